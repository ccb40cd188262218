"""A program that the supervisor of a run has started: its first line, its last output, its end."""

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


_LAST_WORDS = 2000  # characters of its log that are shown of a program that ended
Process = asyncio.subprocess.Process | Forked
# Variables that keep an adb server of our own apart from the user's: it looks for no device, and
# ends for nobody.
ALONE = {
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
    log_start: int  # where what it writes begins in the log
    record: dict[str, Any] = field(default_factory=dict)
    fresh: bool = True  # nobody has been given it

    def last_words(self) -> str:
        """Return the end of what it has written to its log."""
        written = self.log.read_bytes()[self.log_start :].decode("utf-8", "replace").strip()
        return written[-_LAST_WORDS:] or "it said nothing"

    async def first_line(self, seconds: float) -> dict[str, Any]:
        """Return what it prints when it is ready.

        Raises:
            RuntimeError: it ends before, or takes longer than `seconds`.
        """
        assert self.process.stdout is not None
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), seconds)
            return dict(json.loads(line))
        except (TimeoutError, ValueError):
            await self.end()
            msg = f"its program did not start: {self.last_words()}"
            raise RuntimeError(msg) from None

    async def end(self) -> None:
        """End it, if it still runs."""
        await end(self.process, self.grace)

    def wake(self) -> None:
        """Resume it, if something has stopped it."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)


async def end(process: Process, grace: float) -> None:
    """Close the program's standard input, which ends a phone; kill it after `grace` seconds."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        process.send_signal(signal.SIGCONT)  # one that is stopped hears nothing
        try:
            await asyncio.wait_for(process.wait(), grace)
        except TimeoutError:
            process.kill()
            # Who has forked it tells of its end, and may be stopped itself.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), grace)


def python_program(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module as `python -m` does, whatever the current folder holds.

    A `calendar.py` there must not take the place of Python's own. What only this process's
    `sys.path` leads to is found too, after all that an isolated Python finds.
    """
    path = [folder for folder in sys.path if folder]
    code = (
        f"import runpy, sys; sys.path += [p for p in {path!r} if p not in sys.path]; "
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-P", "-c", code, *arguments]


def warm_program(module: str, *words: str) -> list[str]:
    """Return the command that keeps a module's program warm (see `warm`)."""
    return python_program("pytest_mobileagent.device.fleet.warm", "{socket}", module, *words)
