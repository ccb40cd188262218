"""The memory that the roles of Mobile-Agent-v3 share."""

from __future__ import annotations

from dataclasses import dataclass, field

STUCK_AFTER = 2
INVALID = '{"action": "invalid"}'


@dataclass(frozen=True, slots=True)
class Attempt:
    """An action and the reflector's outcome: A, it worked; B, a wrong page; C, no change."""

    action: str
    description: str
    outcome: str
    error: str

    @property
    def line(self) -> str:
        """The attempt as a line of the executor's history."""
        done = f"Action: {self.action} | Description: {self.description} | Outcome: "
        return done + ("Successful" if self.outcome == "A" else f"Failed | Feedback: {self.error}")


@dataclass(slots=True)
class Memory:
    """The memory that the roles share."""

    plan: str = ""
    completed: str = ""
    progress: str = ""
    notes: str = ""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def stuck(self) -> bool:
        """Whether the last attempts have all failed."""
        last = self.attempts[-STUCK_AFTER:]
        return len(last) == STUCK_AFTER and all(each.outcome != "A" for each in last)

    @property
    def last_was_invalid(self) -> bool:
        """Whether the last attempt was not a valid action."""
        return bool(self.attempts) and self.attempts[-1].action == INVALID
