"""The processes of a phone's shells: every command that runs has an id and can be killed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from pytest_mobileagent.virtual.phone import Phone

_FIRST, _LAST = 20000, 32767
SIGNALS = {
    1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE",
    9: "KILL", 10: "USR1", 11: "SEGV", 12: "USR2", 13: "PIPE", 14: "ALRM", 15: "TERM",
    17: "CHLD", 18: "CONT", 19: "STOP", 20: "TSTP",
}  # fmt: skip
BROKEN_PIPE = 128 + 13  # the status of what SIGPIPE has ended
_HARMLESS = {"CHLD", "CONT"}


@dataclass(slots=True, eq=False)
class ShellProcess:
    """A command that runs."""

    pid: int
    ppid: int
    uid: int
    words: list[str]
    task: asyncio.Task[object] | None = field(default_factory=asyncio.current_task)
    signal: int | None = None

    @property
    def name(self) -> str:
        """What ps calls it."""
        return self.words[0].rpartition("/")[2]

    def kill(self, signal: int) -> None:
        """End it, as if a signal had arrived; 0 only asks whether it is there."""
        if signal and SIGNALS.get(signal) not in _HARMLESS and self.task:
            self.signal = signal
            self.task.cancel()


class ProcessList:
    """All that run on one phone."""

    def __init__(self) -> None:
        self._next = _FIRST
        self._running: dict[int, ShellProcess] = {}

    def start(self, words: list[str], uid: int, ppid: int) -> ShellProcess:
        """Enter a process that runs in the current task."""
        process = ShellProcess(self._next, ppid, uid, words)
        self._next = self._next + 1 if self._next < _LAST else _FIRST
        self._running[process.pid] = process
        return process

    async def run(self, process: ShellProcess, work: Awaitable[int]) -> int:
        """Await what a process does, which a signal can end, and return its exit status."""
        try:
            return await work
        except BrokenPipeError:
            return BROKEN_PIPE
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if process.signal is None or task is None or task is not process.task:
                raise
            task.uncancel()
            return 128 + process.signal
        finally:
            self._running.pop(process.pid, None)

    def find(self, pid: int) -> ShellProcess | None:
        """Return the process with this id."""
        return self._running.get(pid)

    def running(self) -> list[ShellProcess]:
        """Return all, the oldest first."""
        return list(self._running.values())


_lists: WeakKeyDictionary[Phone, ProcessList] = WeakKeyDictionary()


def processes_of(phone: Phone) -> ProcessList:
    """Return the shell processes of a phone."""
    return _lists.setdefault(phone, ProcessList())
