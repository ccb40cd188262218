"""What an agent is given at each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.screen.screen import Screen


@dataclass(frozen=True, slots=True)
class Observation:
    """The screen, and what came of the last decision.

    - `reply`: the user's reply to the question that the agent asked last; None if it asked none.
    - `notice`: why the last decision, or part of it, could not be done; empty if it could.

    What probes read is never part of it.
    """

    screen: Screen
    reply: str | None = None
    notice: str = ""
