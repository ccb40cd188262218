"""The phone's clock: wall time, which can be set and frozen, and uptime, which cannot go back."""

from __future__ import annotations

import time as host
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

INPUT_SECONDS = 1.0  # of frozen time that passes per input, so that toasts still come and go


class Clock:
    """Runs from `start` (or the host's time) in a time zone; the phone's only source of time.

    A start without a UTC offset is in that zone.
    """

    def __init__(
        self, start: datetime | None = None, *, frozen: bool = False, timezone: str = "UTC"
    ) -> None:
        self.frozen = frozen
        self.timezone = timezone
        if start and start.tzinfo is None:
            start = start.replace(tzinfo=self.zone)
        self._wall = start.timestamp() if start else host.time()
        self._uptime = 0.0
        self._mark = host.monotonic()  # when the two above were valid

    def time(self) -> float:
        """Return the seconds since the epoch."""
        return self._wall + self._since()

    @property
    def milliseconds(self) -> int:
        """The milliseconds since the epoch, as apps keep times."""
        return int(self.time() * 1000)

    def at(self, seconds: float) -> datetime:
        """Return the date and time in the phone's zone, so many seconds after the epoch."""
        return datetime.fromtimestamp(seconds, self.zone)

    @property
    def midnight(self) -> datetime:
        """When today began."""
        return self.now().replace(hour=0, minute=0, second=0, microsecond=0, fold=0)

    def now(self) -> datetime:
        """Return the current date and time in the phone's zone."""
        return self.at(self.time())

    def ago(self, days: int, part: float) -> float:
        """Return the moment when a part of the day so many days ago had passed, in seconds.

        Of today, it is a part of the time that has passed.
        """
        begin = (self.midnight - timedelta(days)).timestamp()
        end = (self.midnight - timedelta(days - 1)).timestamp() if days else self.time()
        return begin + part * (end - begin)

    def uptime(self) -> float:
        """Return the seconds since boot, whatever time is set; if frozen, it grows by inputs."""
        return self._uptime + self._since()

    @property
    def zone(self) -> ZoneInfo:
        """The time zone; UTC if the phone does not know its name, as in Android."""
        return zone_of(self.timezone)

    def set(self, seconds: float) -> None:
        """Set the wall clock; a frozen clock stays frozen at the new time."""
        self._settle()
        self._wall = seconds

    def freeze(self) -> None:
        """Stop the wall clock."""
        self._settle()
        self.frozen = True

    def thaw(self) -> None:
        """Resume the wall clock at its current time."""
        self._settle()
        self.frozen = False

    def input_happened(self) -> None:
        """Advance a frozen uptime for an input, because a person's hands would take that time."""
        if self.frozen:
            self._uptime += INPUT_SECONDS

    def save(self) -> dict[str, float | bool | str]:
        """Return plain data for a snapshot."""
        self._settle()
        times = {"wall": self._wall, "uptime": self._uptime}
        return {**times, "frozen": self.frozen, "timezone": self.timezone}

    def load(self, saved: dict[str, float | bool | str]) -> None:
        """Restore the saved time, from which the clock continues regardless of the host's time."""
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
    """Return the time zone with a name, or UTC if the name is unknown."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
