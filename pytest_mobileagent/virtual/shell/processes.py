"""The processes of a phone's shells: every running command has an id and can be killed."""

from __future__ import annotations

import asyncio
import time
import types
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pytest_mobileagent.virtual.shell import limits
from pytest_mobileagent.virtual.shell.errors import ShellError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator, Iterator

    from pytest_mobileagent.virtual.phone import Phone

_FIRST, _LAST = 20000, 32767
SIGNALS = {
    1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE",
    9: "KILL", 10: "USR1", 11: "SEGV", 12: "USR2", 13: "PIPE", 14: "ALRM", 15: "TERM",
    17: "CHLD", 18: "CONT", 19: "STOP", 20: "TSTP",
}  # fmt: skip
BROKEN_PIPE = 128 + 13  # the status after SIGPIPE
OUT_OF_TIME = 128 + 24  # the status after SIGXCPU
_UNDISTURBED = {"nohup", "setsid"}  # commands that survive a hang-up
_HARMLESS = {"CHLD", "CONT"}


@dataclass(slots=True, eq=False)
class ShellProcess:
    """A running command."""

    pid: int
    ppid: int
    uid: int
    words: list[str]
    task: asyncio.Task[object] | None = field(default_factory=asyncio.current_task)
    signal: int | None = None

    @property
    def name(self) -> str:
        """The name that ps prints."""
        return self.words[0].rpartition("/")[2]

    def hang_up(self) -> None:
        """End the command because its client has disconnected, unless it is protected from that."""
        if self.name not in _UNDISTURBED:
            self.kill(1)

    def kill(self, signal: int) -> None:
        """End the command as if by a signal; 0 and signals that end nothing have no effect."""
        if signal and SIGNALS.get(signal) not in _HARMLESS and self.task:
            self.signal = signal
            self.task.cancel()


class OutOfTime(Exception):
    """A process has used up its processor time."""


_used: ContextVar[list[float]] = ContextVar("used")  # seconds, of this task and its ancestors
_nested = 0.0  # seconds used by processes nested in the current step


@types.coroutine
def metered(work: Coroutine[Any, Any, int]) -> Generator[Any, Any, int]:
    """Await `work` and measure its own processor time; OutOfTime is raised when it is used up.

    A forked shell continues its parent's count: otherwise, copies of copies would never end.
    """
    global _nested  # noqa: PLW0603 - steps are only ever nested
    used = [_used.get([0.0])[0]]
    token = _used.set(used)
    step, argument = work.send, None
    try:
        while True:
            start, around, _nested = time.thread_time(), _nested, 0.0
            try:
                waits = step(argument)
            except StopIteration as end:
                return int(end.value)
            finally:
                took = time.thread_time() - start
                used[0] += took - _nested
                _nested = around + took
            if used[0] > limits.SECONDS:
                work.close()
                raise OutOfTime
            step, argument = work.send, None
            try:
                yield waits
            except BaseException as error:  # noqa: BLE001 - any exception belongs to the work
                step, argument = work.throw, error
    finally:
        _used.reset(token)


class ProcessList:
    """All shell processes of a phone."""

    def __init__(self) -> None:
        self._pids = cycle(range(_FIRST, _LAST + 1))
        self._forked = 0
        self._running: dict[int, ShellProcess] = {}

    def start(self, words: list[str], uid: int, ppid: int) -> ShellProcess:
        """Register a process that runs in the current task."""
        pid = next(pid for pid in self._pids if pid not in self._running)
        process = self._running[pid] = ShellProcess(pid, ppid, uid, words)
        return process

    @contextmanager
    def fork(self) -> Iterator[None]:
        """Count a subshell within the context; ShellError if there are too many."""
        if self._forked >= limits.PROCESSES:
            raise ShellError("can't fork - try again")
        self._forked += 1
        try:
            yield
        finally:
            self._forked -= 1

    async def run(self, process: ShellProcess, work: Coroutine[Any, Any, int]) -> int:
        """Await a process's work, which a signal can end, and return its exit status."""
        try:
            return await metered(work)
        except OutOfTime:
            return OUT_OF_TIME
        except BrokenPipeError:
            return BROKEN_PIPE
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if process.signal is None or task is None or task is not process.task:
                raise
            task.uncancel()
            return 128 + process.signal
        finally:
            self.end(process)

    def end(self, process: ShellProcess) -> None:
        """Remove a process that has ended, or was ended before it started."""
        if self._running.get(process.pid) is process:
            del self._running[process.pid]

    def find(self, pid: int) -> ShellProcess | None:
        """Return the process with an id, or None."""
        return self._running.get(pid)

    def running(self) -> list[ShellProcess]:
        """Return all processes, the oldest first."""
        return list(self._running.values())


_lists: WeakKeyDictionary[Phone, ProcessList] = WeakKeyDictionary()


def processes_of(phone: Phone) -> ProcessList:
    """Return the shell processes of a phone."""
    return _lists.setdefault(phone, ProcessList())
