"""When a task was first done: the question asked of each prefix of its episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.check.episode import Episode


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
