"""Temporal checks, and when the goal was first met: questions about every moment of an episode.

A moment is a prefix of the episode: the start, after each step, and the whole. A question is a
function of an episode whose result is interpreted like the operand of `assert`; one that returns
nothing does not hold. At a moment it sees what had happened until then, so `e.saw(…)` and
`e.tapped(…)` stay true once they are, while `e.screen` and `e.probe(…)` are those of that moment.

A question does not hold at a moment at which it raises an AssertionError, as `screen.get` does for
a missing element, or an IndexError. Other errors propagate.

The body itself is such a question (`on_the_way`), run in a fork, so that it changes nothing here.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.processes import is_readable
from pytest_mobileagent.screen.explain import collect_misses, missed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_mobileagent.check.body import SubGoal


E = TypeVar("E", bound=EpisodeRecord)


def ever(episode: E, question: Callable[[E], Any]) -> bool:
    """Return whether a question held at any moment, including the start and the end."""
    asked = _Asked(question, "ever")
    if asked.first(episode) is not None:
        return True
    missed(lambda: f"it held at no moment of {len(episode.steps)} steps{asked.why()}")
    return False


def never(episode: E, question: Callable[[E], Any]) -> bool:
    """Return whether a question held at no moment, including the start."""
    found = _Asked(question, "never").first(episode)
    if found is None:
        return True
    missed(lambda: f"it held {_after(episode, found)}")
    return False


def in_order(episode: E, *questions: Callable[[E], Any]) -> bool:
    """Return whether several questions became true one after another.

    The first question counts from the moment at which it first held. Each later one is evaluated on
    the part of the episode that begins at the previous question's moment, with the screen of that
    moment. It counts from the moment at which it became true, so a question that held just before
    and continued to hold does not count. For example, `in_order(lambda e: e.saw(text="Cart"),
    lambda e: e.tapped(text="Pay"))` holds if Pay was tapped on the first screen that showed Cart,
    or later. Two questions that become true at the same moment are in order both ways.

    A step with several actions is split: each action is on the screen that the agent saw, and the
    results of the step follow the last one.
    """
    if len(questions) < 2:
        msg = f"in_order() takes two or more functions of an episode, not {len(questions)}"
        raise TaskError(msg)
    whole, at = apart(episode), 0
    for number, question in enumerate(questions):
        asked = _Asked(question, "in_order")
        before = whole.rest(at - 1).prefix(0) if number and at else None
        rest = whole.rest(at)
        found = asked.first(rest, held=before is not None and asked.holds(before))
        if found is None:
            _note_order(asked, number, len(questions), len(rest.steps))
            return False
        at += found
    return True


def until_end(episode: E, since: Callable[[E], Any]) -> bool:
    """Return whether a question held from the first moment at which it held until the end."""
    asked = _Asked(since, "until_end")
    begun = asked.first(episode)
    if begun is None:
        missed(lambda: f"it held at no moment of {len(episode.steps)} steps{asked.why()}")
        return False
    later = range(begun + 1, len(episode.steps) + 1)
    ended = next((n for n in later if not asked.holds(episode.prefix(n))), None)
    if ended is None:
        return True
    held = f"it first held {_after(episode, begun)}, and no longer {_after(episode, ended)}"
    missed(lambda: f"{held}{asked.why('then')}")
    return False


def apart(episode: E) -> E:
    """Return the episode with one action per step, each on the screen that the agent saw.

    The results of a step, such as its probes and events, belong to its last action.
    """
    steps = []
    before = episode.initial_probes
    for step in episode.steps:
        noise, last = step.noise, max(0, len(step.done) - 1)
        each = [noise and noise.of_action(place) for place in range(last + 1)]
        steps += [
            replace(step, actions=(action,), noise=met, probes=before, events=(), reply=None,
                    undone=0)
            for action, met in zip(step.done[:-1], each[:-1], strict=True)
        ]  # fmt: skip
        actions, undone = step.done[-1:] or step.actions, 0 if step.done else step.undone
        steps.append(replace(step, actions=actions, noise=each[-1], undone=undone))
        before = step.probes
    return replace(episode, steps=tuple(steps))


class _Asked(Generic[E]):
    """A question, and the reason why it last did not hold."""

    def __init__(self, question: Callable[[E], Any], by: str) -> None:
        if not callable(question):
            msg = f"{by}() takes functions of an episode, such as lambda e: e.saw(text=…), not"
            raise TaskError(f"{msg} {question!r}")
        self._question = question
        self._why: Callable[[], str] | None = None

    def first(self, episode: E, *, held: bool = False) -> int | None:
        """Return after how many steps the question became true; None if it never did.

        `held` says whether it was already true before the episode.
        """
        for length in range(len(episode.steps) + 1):
            held_before, held = held, self.holds(episode.prefix(length))
            if held and not held_before:
                return length
        return None

    def holds(self, moment: E) -> bool:
        """Return whether the question holds at a moment.

        Raises:
            TaskError: if the question returns a function, which would count as true.
        """
        with collect_misses() as misses:
            try:
                answer = self._question(moment)
                if callable(answer):
                    name = getattr(answer, "__name__", "it")
                    msg = f"a question about the episode returns a function: call it: {name}(…)"
                    raise TaskError(msg)
                if answer:
                    return True
            except (AssertionError, IndexError) as error:
                misses.append(error.__str__)
        self._why = misses[-1] if misses else None
        return False

    def why(self, when: str = "at last") -> str:
        """Return the reason why the question last did not hold, if known."""
        words = self._why() if self._why is not None else ""
        return f"\n  {when}, {words}" if words else ""


def _note_order(asked: _Asked[Any], met: int, of: int, left: int) -> None:
    def explain() -> str:
        if not met:
            return f"the first of {of} held at no moment{asked.why()}"
        after = f"{left} action{'s' * (left != 1)} after number {met} did"
        return f"number {met + 1} of {of} did not become true in the {after}{asked.why()}"

    missed(explain)


def _after(episode: EpisodeRecord, length: int) -> str:
    """Return a description of a moment: the step before it, and its actions."""
    if not length:
        return "at the start"
    done = ", ".join(map(repr, episode.steps[length - 1].done))
    return f"after step {length}{f', {done}' if done else ''}"


# Returns whether a body holds for a prefix, and the sub-goals that it evaluated.
Holds = Callable[[E], "tuple[bool, Sequence[SubGoal]]"]


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """The results of a test body on prefixes of an episode.

    - `first_step`: after how many steps the body first held; None if it never did, or is unknown.
    - `subgoals`: by name, the weight and the first step of each sub-goal that a prefix evaluated.
    - `asked`: whether the body could be evaluated.
    - `held`: whether the body held at the start, and after each step; None if unknown.
    """

    first_step: int | None = None
    asked: bool = False
    subgoals: Mapping[str, tuple[float, int | None]] = field(default_factory=dict)
    held: Sequence[bool | None] = ()


def on_the_way(holds: Holds[E], episode: E, *, whole: bool) -> OnTheWay:
    """Return when a body first held; `whole` is whether it holds for the whole episode."""
    if not episode.steps:
        return OnTheWay(0 if whole else None, asked=True, held=[whole])
    first, *later = all_in_fork(lambda: _ask(holds, episode, whole=whole)) or [None]
    if first is None:
        return OnTheWay()
    subgoals = {name: (weight, step) for name, weight, step in first["subgoals"]}
    known = [*first["held"], *later]
    held = [*known, *[None] * (len(episode.steps) - len(known)), whole]
    return OnTheWay(first["first"], asked=True, subgoals=subgoals, held=held)


def first_success(holds: Callable[[E], bool], episode: E, *, whole: bool) -> int | None:
    """Return after how many steps a predicate first held: 0 if at the start, None if never.

    It is evaluated for every proper prefix of the episode until it holds, whether or not the agent
    noticed; `whole` says whether it holds for the whole episode. The final report does not count as
    a step, but may be what makes the predicate hold.
    """
    for length in range(len(episode.steps)):
        prefix = episode.prefix(length)
        if holds(prefix):
            return prefix.step_count
    return episode.step_count if whole else None


def _ask(holds: Holds[E], episode: E, *, whole: bool) -> Iterator[Any]:
    """Run the body on every prefix, to find when it and each of its sub-goals first held.

    The first item is that result; the others are whether the body held for each later prefix.
    """
    weights, firsts, each_held = dict[str, float](), dict[str, int](), list[bool]()

    def noted(prefix: E) -> bool:
        held, subgoals = holds(prefix)
        each_held.append(held)
        for each in subgoals:
            weights.setdefault(each.name, each.weight)
            if each.held:
                firsts.setdefault(each.name, prefix.step_count)
        return held

    first = first_success(noted, episode, whole=whole)
    reached = [(name, weight, firsts.get(name)) for name, weight in weights.items()]
    yield {"first": first, "subgoals": reached, "held": each_held}
    for length in range(len(each_held), len(episode.steps)):
        yield noted(episode.prefix(length))


_SECONDS = 60.0  # for the first answer
_SECONDS_MORE = 1.0  # for all later answers together


def in_fork(ask: Callable[[], Any]) -> Any:
    """Return the JSON-able result of a function in a forked process; None if it fails."""
    return next(iter(all_in_fork(lambda: iter([ask()]))), None)


def all_in_fork(answers: Callable[[], Iterator[Any]]) -> list[Any]:
    """Return the JSON-able items that a function yields in a forked process, until it fails.

    The first item may take `_SECONDS`, and all others together `_SECONDS_MORE`.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn about forks in multi-threaded processes. The child only runs the body.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _answer(answers, writing)
    os.close(writing)
    try:
        lines = _read(reading)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return [json.loads(line) for line in lines]


def _read(reading: int) -> list[bytes]:
    """Return the lines that the child writes until it ends or the time is up."""
    until, written = time.monotonic() + _SECONDS, b""
    while is_readable(reading, until - time.monotonic()):
        part = os.read(reading, 65_536)
        if not part:
            break
        if b"\n" in part and b"\n" not in written:
            until = time.monotonic() + _SECONDS_MORE
        written += part
    return written.split(b"\n")[:-1]


def _answer(answers: Callable[[], Iterator[Any]], writing: int) -> NoReturn:
    """Write each item that a function yields as a line, and end this process."""
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - not a path
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            sys.stdout = sys.stderr = nowhere
            for answer in answers():
                line = json.dumps(answer).encode() + b"\n"
                while line:
                    line = line[os.write(writing, line) :]
    finally:
        os._exit(0)
