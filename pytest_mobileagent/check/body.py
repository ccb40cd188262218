"""The body of a task as a predicate over an episode: its sub-goals, and its unclear answers.

A body declares sub-goals with `with episode.subgoal("paid", weight=2): …`. If `collect_subgoals`
collects them, the body continues after a failed one, and fails at its end. Otherwise, for example
when a body is called like any function, it fails immediately.

An unclear answer is assumed to be right, or wrong, until somebody has decided: if the result of the
body is the same under both assumptions, the answer does not matter. This makes `answers(…) or …`
and `not answers(…)` mean what they say, whichever way a body is written.

Without pytest, `evaluate` runs pure bodies, which take nothing but the episode and parameters.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.golden import collect_matches
from pytest_mobileagent.episode import AGENTS_FAULT
from pytest_mobileagent.errors import MobileAgentError, TaskError, UndecidedError, in_one_line
from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.screen.explain import collect_misses, missed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.episode import EpisodeRecord

    Failures = tuple[type[BaseException], ...]


_LONGEST_REASON = 300  # characters


class SubGoalError(AssertionError):
    """A body has evaluated all of its sub-goals, and some did not hold."""


@dataclass(frozen=True, slots=True)
class SubGoal:
    """The result of one sub-goal; if it did not hold, `reason` says why."""

    name: str
    weight: float
    held: bool
    reason: str = ""


@dataclass(slots=True)
class SubGoals:
    """The sub-goals of a body that were evaluated so far.

    - `error` is the error of the first one that failed.
    - `inside` is the name of the sub-goal whose block is running.
    - `complete`: whether the body ran to its end, so that there are no further ones.
    """

    asked: list[SubGoal] = field(default_factory=list)
    error: AssertionError | None = None
    inside: str | None = None
    complete: bool = False

    @property
    def partial_credit(self) -> float | None:
        """The share (0 to 1), by weight, of the sub-goals that held; None without sub-goals."""
        return credit([(each.weight, each.held) for each in self.asked])

    def reset(self) -> None:
        """Forget everything, before the body is run again."""
        self.asked.clear()
        self.error = self.inside = None
        self.complete = False

    def settle(self) -> None:
        """Record that the body ran to its end, and fail if one of its sub-goals failed.

        Raises:
            SubGoalError: if a sub-goal did not hold; the message names all that failed.
        """
        self.complete = True
        if failed := [each for each in self.asked if not each.held]:
            each = "; ".join(f"{goal.name}: {goal.reason}" for goal in failed)
            count = f"{len(failed)} of {len(self.asked)} sub-goals did not hold"
            raise SubGoalError(f"{count}: {each}") from self.error


_collected: ContextVar[SubGoals | None] = ContextVar("subgoals", default=None)


@contextmanager
def collect_subgoals() -> Iterator[SubGoals]:
    """Collect the sub-goals inside the `with` block; a failed one does not end the block.

    `SubGoals.settle` then decides the result.
    """
    subgoals = SubGoals()
    token = _collected.set(subgoals)
    try:
        yield subgoals
    finally:
        _collected.reset(token)


@contextmanager
def subgoal(name: str, weight: float = 1) -> Iterator[None]:
    """Run the `with` block as a sub-goal with a weight.

    An AssertionError is recorded, and the body continues. Any other error ends the body as usual.

    Raises:
        TaskError: if the name is empty or already used, the weight is not positive, or the sub-goal
            is nested in another, so that weights would count twice.
    """
    subgoals = _collected.get()
    _check(name, weight, subgoals)
    if subgoals is None:
        yield
        return
    held, reason = False, "it was not evaluated completely"
    subgoals.inside = name
    try:
        with collect_misses() as misses:
            yield
        held, reason = True, ""
    except AssertionError as error:
        for explain in misses:
            missed(explain)
        reason = in_words(error)
        if subgoals.error is None:
            subgoals.error = error
    finally:
        subgoals.inside = None
        subgoals.asked.append(SubGoal(name, weight, held, reason))


def credit(weighed: Sequence[tuple[float, bool]]) -> float | None:
    """Return the share of the total weight that counts; None without any weights."""
    whole = math.fsum(weight for weight, _ in weighed)
    return math.fsum(weight for weight, counts in weighed if counts) / whole if weighed else None


def in_words(error: AssertionError) -> str:
    """Return an assertion's message on one line."""
    return cut(" ".join(str(error).split()) or "it does not hold", _LONGEST_REASON)


def _check(name: str, weight: float, subgoals: SubGoals | None) -> None:
    if not isinstance(name, str) or not name.strip():
        raise TaskError(f"a sub-goal needs a name in words, not {name!r}")
    number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not number or not 0 < weight < math.inf:
        raise TaskError(f"sub-goal {name!r}: weight={weight!r} must be a number above 0")
    if subgoals is None:
        return
    if subgoals.inside is not None:
        msg = f"sub-goal {name!r} is inside {subgoals.inside!r}: sub-goals cannot be nested"
        raise TaskError(msg)
    if any(each.name == name for each in subgoals.asked):
        raise TaskError(f"two sub-goals are named {name!r}: use different names")


_MOST_RUNS = 16  # of a body; more than four unclear answers are left undecided


@dataclass(frozen=True, slots=True)
class UnclearAnswer:
    """An answer that neither certainly states nor certainly lacks what is expected.

    `said` are the parts of the answer that resemble what is expected.
    """

    goal: str
    expected: str
    answer: str
    reason: str
    said: tuple[str, ...] = ()

    def evidence(self, right: bool | None) -> dict[str, Any]:
        """Return the answer as plain data, and whether somebody has found it right."""
        texts = {"goal": self.goal, "expected": self.expected, "answer": self.answer}
        return {**texts, "said": list(self.said), "right": right}


@dataclass(slots=True)
class Assumptions:
    """What is assumed of unclear answers; all others count as wrong, and are collected in `met`."""

    known: Mapping[UnclearAnswer, bool]
    met: list[UnclearAnswer] = field(default_factory=list)


_assumed: ContextVar[Assumptions | None] = ContextVar("assumed", default=None)


@contextmanager
def assume(known: Mapping[UnclearAnswer, bool]) -> Iterator[Assumptions]:
    """Inside the `with` block, take unclear answers as `known`, and all others as wrong."""
    assumptions = Assumptions(known)
    token = _assumed.set(assumptions)
    try:
        yield assumptions
    finally:
        _assumed.reset(token)


def assumed(unclear: UnclearAnswer) -> bool:
    """Return what is assumed of an unclear answer.

    Raises:
        UndecidedError: outside of `assume`.
    """
    assumptions = _assumed.get()
    if assumptions is None:
        raise UndecidedError(unclear.reason)
    if unclear in assumptions.known:
        return assumptions.known[unclear]
    if unclear not in assumptions.met:
        assumptions.met.append(unclear)
    return False


def matter(
    holds: Callable[[], bool],
    known: Mapping[UnclearAnswer, bool],
    met: Sequence[UnclearAnswer],
    *,
    is_held: bool,
) -> list[UnclearAnswer]:
    """Return the unclear answers if the result of a body depends on them; else none.

    `is_held` is the body's result if the answers `met` are wrong; `holds` runs the body again.
    """
    all_met, todo, runs = list(met), [dict(known)], 0
    while todo:
        settled = todo.pop()
        unsettled = next((each for each in all_met if each not in settled), None)
        if unsettled is None:
            continue
        right = settled | {unsettled: True}
        with assume(right) as assumptions:
            differs = holds() is not is_held
        all_met += [each for each in assumptions.met if each not in all_met]
        runs += 1
        if differs or runs == _MOST_RUNS:
            return all_met
        todo += [right, settled | {unsettled: False}]
    return []


@dataclass(frozen=True, slots=True)
class Held:
    """Whether a body held for an episode, the reason if not, and the credit for its sub-goals.

    `credit` is the share, by weight, of the sub-goals that held; None without sub-goals.
    """

    held: bool
    reason: str = ""
    credit: float | None = None


def evaluate(
    body: Callable[..., Any],
    arguments: Mapping[str, Any],
    episode: EpisodeRecord,
    *,
    failures: Failures = (AssertionError,),
    after_error: bool = False,
) -> Held:
    """Return whether a body holds for an episode; `arguments` are its other arguments.

    `failures` are the exceptions that say "no". With `after_error`, the body also decides about an
    episode that the agent's error or time limit has ended; otherwise, such an episode is a failure.

    Raises:
        UndecidedError: if the result depends on an unclear answer.
        TaskError: if the body raises anything else.
    """
    with collect_misses(), collect_subgoals() as subgoals, collect_matches():

        def begin() -> SubGoals:
            subgoals.reset()
            return subgoals

        def run() -> None:
            if (returned := body(episode=episode, **arguments)) is not None:
                raise TaskError(f"its body returns {returned!r}: a body must use assert")

        try:
            decide(run, begin, _nobody, failures)
            subgoals.settle()
            held, reason = True, ""
        except failures as error:
            held, reason = False, in_one_line(error)
        except MobileAgentError:
            raise
        except Exception as error:
            raise TaskError(f"its body raised {in_one_line(error)}") from error
    if episode.termination in AGENTS_FAULT and not after_error:
        held, reason = False, episode.error
    return Held(held, reason, subgoals.partial_credit)


def decide(
    body: Callable[[], object],
    begin: Callable[[], SubGoals],
    ask: Callable[[list[UnclearAnswer]], Mapping[UnclearAnswer, bool]],
    failures: Failures = (AssertionError,),
) -> None:
    """Run a body; if its result depends on unclear answers, `ask` somebody about them.

    `begin` empties what the body collects, and returns its sub-goals.

    Raises:
        BaseException: the body's own, and what `ask` raises if nobody can decide.
    """
    __tracebackhide__ = True
    decided: dict[UnclearAnswer, bool] = {}
    while True:
        subgoals, failure = begin(), None
        with assume(decided) as assumptions:
            try:
                body()
            except failures as error:
                failure = error
        held = failure is None and all(each.held for each in subgoals.asked)
        unclear = matter(lambda: _holds(body, failures), decided, assumptions.met, is_held=held)
        if not unclear:
            break
        decided |= ask([each for each in unclear if each not in decided])
    if failure is not None:
        raise failure


def _holds(body: Callable[[], object], failures: Failures) -> bool:
    with collect_misses(), collect_subgoals() as subgoals, collect_matches():
        try:
            body()
            subgoals.settle()
        except failures:
            return False
    return True


def _nobody(unclear: list[UnclearAnswer]) -> Mapping[UnclearAnswer, bool]:
    raise UndecidedError("; ".join(each.reason for each in unclear))
