"""The phone's clock: wall time that can be set and frozen, and uptime that cannot go back."""

from __future__ import annotations

import time as host
from datetime import datetime
from zoneinfo import ZoneInfo

INPUT_SECONDS = 1.0  # what one input takes in frozen time, so that toasts still come and go


class Clock:
    """Runs from `start` (or the host's time), in a time zone; everything on the phone reads it."""

    def __init__(
        self, start: datetime | None = None, *, frozen: bool = False, timezone: str = "UTC"
    ) -> None:
        self._wall = start.timestamp() if start else host.time()
        self._uptime = 0.0
        self._mark = host.monotonic()  # when the two above were true
        self.frozen = frozen
        self.timezone = timezone

    def time(self) -> float:
        """Seconds since the epoch."""
        return self._wall + self._since()

    def now(self) -> datetime:
        """Give the time of day in the phone's zone."""
        return datetime.fromtimestamp(self.time(), self.zone)

    def uptime(self) -> float:
        """Seconds since boot: not moved by setting the time, and by inputs when frozen."""
        return self._uptime + self._since()

    @property
    def zone(self) -> ZoneInfo:
        """The time zone; UTC when the phone does not know its name, as in Android."""
        return zone_of(self.timezone)

    def set(self, seconds: float) -> None:
        """Set the wall clock; a frozen one stays frozen at the new time."""
        self._settle()
        self._wall = seconds

    def freeze(self) -> None:
        """Stop the wall clock."""
        self._settle()
        self.frozen = True

    def thaw(self) -> None:
        """Let the wall clock run on from where it stands."""
        self._settle()
        self.frozen = False

    def input_happened(self) -> None:
        """Let frozen uptime pass with every input, as it would with a person's hands."""
        if self.frozen:
            self._uptime += INPUT_SECONDS

    def save(self) -> dict[str, float | bool | str]:
        """Plain data for a snapshot."""
        self._settle()
        return {
            "wall": self._wall,
            "uptime": self._uptime,
            "frozen": self.frozen,
            "timezone": self.timezone,
        }

    def load(self, saved: dict[str, float | bool | str]) -> None:
        """Go on from what was saved: time runs from there, not from the host's now."""
        self._wall, self._uptime = float(saved["wall"]), float(saved["uptime"])
        self._mark = host.monotonic()
        self.frozen, self.timezone = bool(saved["frozen"]), str(saved["timezone"])

    def _since(self) -> float:
        return 0.0 if self.frozen else host.monotonic() - self._mark

    def _settle(self) -> None:
        passed = self._since()
        self._wall += passed
        self._uptime += passed
        self._mark = host.monotonic()


def zone_of(name: str) -> ZoneInfo:
    """Give the time zone with a name; UTC for one that nobody knows."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
