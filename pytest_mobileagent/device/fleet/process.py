"""A program that the supervisor of a run has started, and commands that start such programs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.fleet.warm import Forked

if TYPE_CHECKING:
    from pathlib import Path


_LAST_OUTPUT = 2000  # characters of a program's log that error messages quote
Process = asyncio.subprocess.Process | Forked
# Environment variables that isolate the run's adb server: it does not search for devices, and
# ignores `adb kill-server`.
ISOLATED_ADB = {
    "ADB_MDNS": "0",
    "ADB_MDNS_OPENSCREEN": "0",
    "ADB_USB": "0",
    "ADB_LIBUSB": "0",
    "ADB_EMU": "0",
    "ADB_REJECT_KILL_SERVER": "1",
}


@dataclass(slots=True)
class Program:
    """A program that was started for a slot; `record` is what it printed when it was ready."""

    process: Process
    grace: float
    log: Path
    log_start: int  # the offset in the log where this program's output begins
    record: dict[str, Any] = field(default_factory=dict)
    fresh: bool = True  # whether no worker has used it yet

    def last_output(self) -> str:
        """Return the end of the program's log."""
        written = self.log.read_bytes()[self.log_start :].decode("utf-8", "replace").strip()
        return written[-_LAST_OUTPUT:] or "it printed nothing"

    async def first_line(self, seconds: float) -> dict[str, Any]:
        """Return the record that the program prints when it is ready.

        Raises:
            RuntimeError: if the program ends before that, or takes longer than `seconds`.
        """
        assert self.process.stdout is not None
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), seconds)
            return dict(json.loads(line))
        except (TimeoutError, ValueError):
            await self.end()
            raise RuntimeError(f"its program did not start: {self.last_output()}") from None

    async def end(self) -> None:
        """End the program if it is still running."""
        await end(self.process, self.grace)

    def wake(self) -> None:
        """Resume the program if a signal has suspended it."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)


async def end(process: Process, grace: float) -> None:
    """Close the program's standard input, which ends a phone, and kill it after `grace` seconds."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        process.send_signal(signal.SIGCONT)  # a suspended process would not handle the signal
        try:
            await asyncio.wait_for(process.wait(), grace)
        except TimeoutError:
            process.kill()
            # The program that forked it reports its end, but may be suspended itself.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), grace)


def python_program(module: str, *arguments: str) -> list[str]:
    """Return a command that runs a module like `python -m`, but ignores the current folder.

    A `calendar.py` there must not shadow Python's own. This process's `sys.path` is searched last,
    after the path of an isolated Python.
    """
    path = [folder for folder in sys.path if folder]
    code = (
        f"import runpy, sys; sys.path += [p for p in {path!r} if p not in sys.path]; "
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-P", "-c", code, *arguments]


def warm_program(module: str, *words: str) -> list[str]:
    """Return the command of a warm program that forks a module's `main` (see `warm`)."""
    return python_program("pytest_mobileagent.device.fleet.warm", "{socket}", module, *words)
