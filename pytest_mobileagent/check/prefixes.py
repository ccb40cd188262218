"""When a task was first done: the question asked of each prefix of its episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.check.episode import Episode


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """What prefixes tell: after how many steps a body, and each of its sub-goals, first held.

    - `first_step`: of the body; None if it never did, or could not be asked.
    - `subgoals`: of each by its name, as far as a prefix asked for it, its weight and first step.
    - `asked`: whether the body could be asked.
    - `held`: whether the body held at the start, and after each step; None where that is not known.
    """

    first_step: int | None = None
    asked: bool = False
    subgoals: Mapping[str, tuple[float, int | None]] = field(default_factory=dict)
    held: Sequence[bool | None] = ()


def first_success(holds: Callable[[Episode], bool], episode: Episode, *, whole: bool) -> int | None:
    """Return after how many steps a question first held, 0 if it did at once; None if it never did.

    It is asked of every proper prefix of the episode until it holds, so the agent need not have
    noticed; `whole` says whether it holds of the whole. A report of being done counts as no step,
    but may be what makes it hold.
    """
    for length in range(len(episode.steps)):
        prefix = episode.prefix(length)
        if holds(prefix):
            return prefix.step_count
    return episode.step_count if whole else None
