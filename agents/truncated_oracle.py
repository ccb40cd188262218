"""The truncated oracle omits the last move: a task that it passes checks too little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent import Scripted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent import Task
    from pytest_mobileagent.agent import Move


class TruncatedOracle(Scripted):
    """Plays the solution without its last move."""

    def moves(self, task: Task) -> Sequence[Move]:
        return super().moves(task)[:-1]
