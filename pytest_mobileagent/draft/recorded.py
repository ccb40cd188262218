"""The recorded tasks that checks are drafted for: their episodes, and what is known of those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.check.episode import Episode, load
from pytest_mobileagent.verdict import effective, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_mobileagent.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Recorded:
    """An episode, the folder that it is recorded in, and the verdict on it that stands."""

    folder: Path
    episode: Episode
    verdict: Verdict | None

    @property
    def passed(self) -> bool | None:
        """Whether the goal was met; None if nobody has decided that."""
        return None if self.verdict is None else self.verdict.passed


def recorded_tasks(folders: Iterable[Path]) -> list[list[Recorded]]:
    """Return the episodes in the folders by their tasks, that to draft from first.

    That is one in which the goal was met, if there is one.

    Raises:
        RecordError: a folder holds no episode.
    """
    tasks: dict[str, list[Recorded]] = {}
    for folder in dict.fromkeys(folders):
        each = Recorded(folder, load(folder), effective(verdicts(folder)))
        tasks.setdefault(each.episode.case.id, []).append(each)
    return [sorted(episodes, key=_order) for episodes in tasks.values()]


def _order(recorded: Recorded) -> int:
    return [True, None, False].index(recorded.passed)
