"""The log: entries in Android's buffers, and those who follow it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.clock import Clock

CAPACITY = 8192  # entries; the oldest are dropped
SYSTEM_PID = 577


class Entry(NamedTuple):
    """One line of the log."""

    time: float
    level: str  # V D I W E F
    tag: str
    message: str
    pid: int
    tid: int
    buffer: str = "main"


Follower = Callable[[Entry], None]


class Log:
    """All buffers in one sequence, in the order of writing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: deque[Entry] = deque(maxlen=CAPACITY)
        self._followers: list[Follower] = []

    @property
    def entries(self) -> list[Entry]:
        """Every entry still kept, oldest first."""
        return list(self._entries)

    def write(
        self, level: str, tag: str, message: str, *, pid: int = SYSTEM_PID, buffer: str = "main"
    ) -> None:
        """Append an entry and tell the followers."""
        entry = Entry(self._clock.time(), level, tag, message, pid, pid, buffer)
        self._entries.append(entry)
        for follower in tuple(self._followers):
            follower(entry)

    def system(self, level: str, tag: str, message: str) -> None:
        """Append an entry of the system server's."""
        self.write(level, tag, message, buffer="system")

    def clear(self, buffers: set[str]) -> None:
        """Drop all entries of these buffers."""
        kept = [entry for entry in self._entries if entry.buffer not in buffers]
        self._entries = deque(kept, maxlen=CAPACITY)

    def subscribe(self, follower: Follower) -> Callable[[], None]:
        """Call back for every new entry, until the function that this returns is called."""
        self._followers.append(follower)

        def unsubscribe() -> None:
            if follower in self._followers:
                self._followers.remove(follower)

        return unsubscribe

    def save(self) -> list[Entry]:
        """Give the entries; followers are no state of the phone."""
        return self.entries

    def load(self, saved: list[Any]) -> None:
        """Take the entries back."""
        self._entries = deque((Entry(*entry) for entry in saved), maxlen=CAPACITY)
