"""What a function says of a prefix of an episode, as it comes out of the sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import expect

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 2000  # characters of a reason


@dataclass(frozen=True, slots=True)
class Limits:
    """What a function may use for one prefix: seconds, and bytes beside the episode's own."""

    seconds: float = 10.0
    memory: int = 512 * 1024**2


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a function holds for a prefix.

    - `reason`: why it does not, in words; empty if it does.
    - `broke`: whether it ended by anything but an assert: an error of its own, or a limit.
    """

    holds: bool
    reason: str = ""
    broke: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {"holds": self.holds, "reason": self.reason[:_LONGEST], "broke": self.broke}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Answer:
        """Return the answer that a process gave, of which nothing is believed but its form.

        Raises:
            LookupError, TypeError, ValueError: it is no answer.
        """
        expect(data, dict, "answer")
        reason = expect(data["reason"], str, "reason")[:_LONGEST]
        holds, broke = (expect(data[name], bool, name) for name in ("holds", "broke"))
        return cls(holds, reason, broke)
