"""Sub-goals of a task: which of its parts were done, and which share of it that is.

A body declares them with `with episode.subgoal("paid", weight=2): …`. After a failed sub-goal the
body goes on with the others, and fails at its end, if `collect_subgoals` collects them. Otherwise,
as when a body is called like any function, it fails at once.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses, missed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST_REASON = 300  # characters


class SubGoalError(AssertionError):
    """A body has asked all of its sub-goals, and some did not hold."""


@dataclass(frozen=True, slots=True)
class SubGoal:
    """What became of one sub-goal: `reason` says in words why it did not hold, where it did not."""

    name: str
    weight: float
    held: bool
    reason: str = ""


@dataclass(slots=True)
class SubGoals:
    """The sub-goals of a body that were asked so far.

    - `error` is that of the first one that failed.
    - `inside` names the one whose block is running.
    - `complete`: whether the body ran to its end, so that there are no further ones.
    """

    asked: list[SubGoal] = field(default_factory=list)
    error: AssertionError | None = None
    inside: str | None = None
    complete: bool = False

    @property
    def partial_credit(self) -> float | None:
        """The share (0 to 1), by weight, of the sub-goals that held; None if there were none."""
        return credit([(each.weight, each.held) for each in self.asked])

    def settle(self) -> None:
        """Note that the body ran to its end, and fail if one of its sub-goals failed.

        Raises:
            SubGoalError: one did not hold; the text names all those that did not.
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
    """Collect the sub-goals inside the `with` block; one that fails does not end the block.

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

    An AssertionError is recorded, and the body goes on. Any other error ends the body, as it does
    outside of sub-goals.

    Raises:
        TaskError: the name is empty or was given before, the weight is not above 0, or the sub-goal
            is inside another: weights would count twice.
    """
    subgoals = _collected.get()
    _check(name, weight, subgoals)
    if subgoals is None:
        yield
        return
    held, reason = False, "it was not asked to its end"
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
    """Return the share of weights that count; None if there is none."""
    whole = math.fsum(weight for weight, _ in weighed)
    return math.fsum(weight for weight, counts in weighed if counts) / whole if weighed else None


def in_words(error: AssertionError) -> str:
    """Return an assertion's text in one line."""
    words = " ".join(str(error).split()) or "it does not hold"
    return words if len(words) <= _LONGEST_REASON else f"{words[:_LONGEST_REASON]}…"


def _check(name: str, weight: float, subgoals: SubGoals | None) -> None:
    if not isinstance(name, str) or not name.strip():
        msg = f"a sub-goal needs a name in words, not {name!r}"
        raise TaskError(msg)
    number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not number or not 0 < weight < math.inf:
        msg = f"sub-goal {name!r}: weight={weight!r} has to be a number above 0"
        raise TaskError(msg)
    if subgoals is None:
        return
    if subgoals.inside is not None:
        msg = f"sub-goal {name!r} is inside {subgoals.inside!r}: sub-goals stand beside each other"
        raise TaskError(msg)
    if any(each.name == name for each in subgoals.asked):
        msg = f"two sub-goals are named {name!r}: give each a name of its own"
        raise TaskError(msg)
