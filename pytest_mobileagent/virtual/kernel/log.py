"""The log: entries in Android's buffers, subscriptions to new ones, and a drop box of crashes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.clock import Clock

CAPACITY = 8192  # entries; the oldest are dropped
SYSTEM_PID = 577
MINUTE, MOST = 60, 20  # of more than MOST minutes that have passed, only the last are logged
IDLE = (  # the messages of an idle phone, in turn
    ("D", "ConnectivityService", "NetReassign [no changes]"),
    ("W", "ActivityManager", "Skipping next CPU consuming process, not a java proc: 298"),
    ("I", "DropBoxManagerService", "add tag=netstats_uid isTagEnabled=true flags=0x4"),
    ("D", "WifiScoringParams", "rssi above threshold, no scan needed"),
    ("I", "BatteryStatsService", "Collected power stats: 0 uids changed"),
)


class Entry(NamedTuple):
    """A line of the log."""

    time: float
    level: str  # V D I W E F
    tag: str
    message: str
    pid: int
    tid: int
    buffer: str = "main"


Follower = Callable[[Entry], None]


class Log:
    """All buffers in a single sequence, in the order of writing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: deque[Entry] = deque(maxlen=CAPACITY)
        self._followers: list[Follower] = []
        self._minute: int | None = None  # of the uptime, up to which the idle messages are logged

    @property
    def entries(self) -> list[Entry]:
        """All entries still kept, oldest first."""
        self.idle()
        return list(self._entries)

    def write(
        self, level: str, tag: str, message: str, *, pid: int = SYSTEM_PID, buffer: str = "main"
    ) -> None:
        """Append an entry and notify the followers."""
        self.idle()
        self._append(Entry(self._clock.time(), level, tag, message, pid, pid, buffer))

    def idle(self) -> None:
        """Log the system's once-a-minute messages for the minutes that have passed."""
        time, uptime = self._clock.time(), self._clock.uptime()
        minute = int(uptime // MINUTE)
        first = minute if self._minute is None else max(self._minute, minute - MOST)
        self._minute = minute
        for at in range(first + 1, minute + 1):
            when = time - (uptime - at * MINUTE)
            self._append(Entry(when, *IDLE[at % len(IDLE)], SYSTEM_PID, SYSTEM_PID, "system"))

    def _append(self, entry: Entry) -> None:
        self._entries.append(entry)
        for follower in tuple(self._followers):
            follower(entry)

    def system(self, level: str, tag: str, message: str) -> None:
        """Append an entry of the system server."""
        self.write(level, tag, message, buffer="system")

    def clear(self, buffers: set[str]) -> None:
        """Drop all entries of these buffers."""
        kept = [entry for entry in self._entries if entry.buffer not in buffers]
        self._entries = deque(kept, maxlen=CAPACITY)

    def subscribe(self, follower: Follower) -> Callable[[], None]:
        """Call back for every new entry; return a function that ends the subscription."""
        self._followers.append(follower)

        def unsubscribe() -> None:
            if follower in self._followers:
                self._followers.remove(follower)

        return unsubscribe

    def save(self) -> list[Entry]:
        """Return the entries; followers are not part of the phone's state."""
        return self.entries

    def load(self, saved: list[Any]) -> None:
        """Restore the entries."""
        self._entries = deque((Entry(*entry) for entry in saved), maxlen=CAPACITY)
        self._minute = None


MOST_DROPS = 1000  # as on a current phone


class Drop(NamedTuple):
    """The record of a crash."""

    time: float
    package: str
    pid: int
    trace: str


class DropBox:
    """The records of crashes, which Android keeps independently of the log."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.drops: deque[Drop] = deque(maxlen=MOST_DROPS)

    def add(self, package: str, pid: int, trace: str) -> None:
        """Record a crash."""
        self.drops.append(Drop(self._clock.time(), package, pid, trace))

    def save(self) -> list[Drop]:
        """Return the records."""
        return list(self.drops)

    def load(self, saved: list[Any]) -> None:
        """Restore the records."""
        self.drops = deque((Drop(*each) for each in saved), maxlen=MOST_DROPS)
