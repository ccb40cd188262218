"""Sub-goals of a task: which parts were done, and what share of the task they are.

A body declares them with `with episode.subgoal("paid", weight=2): …`. If `collect_subgoals`
collects them, the body continues after a failed sub-goal, and fails at its end. Otherwise, for
example when a body is called like any function, it fails immediately.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.screen.explain import collect_misses, missed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        failed = [each for each in self.asked if not each.held]
        if failed:
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

    An AssertionError is recorded, and the body continues. Any other error ends the body, as it does
    outside sub-goals.

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
