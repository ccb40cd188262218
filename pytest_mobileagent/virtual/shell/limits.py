"""What a command may take, and how it lets the rest of the phone live while it works.

Each shell of the phone runs in the one event loop that also answers everybody else. So whatever may
go on for long breathes now and then, and whatever may grow has a limit, as a process on Android has
those of `ulimit` and of the kernel.
"""

from __future__ import annotations

import asyncio
import errno
import time
from typing import Final

SECONDS: Final = 300.0  # of the processor, for a process
MEMORY: Final = 1 << 28  # bytes that a command may hold
LINES: Final = 1 << 21  # and of them, lines in a list
LINE: Final = 1 << 22  # bytes of one line
VALUE: Final = 1 << 24  # characters of a variable, or of what $(...) prints
WORDS: Final = 1 << 18  # words of a command
ARGUMENTS: Final = 1 << 21  # characters that a program's words may have together
SCRIPT: Final = 1 << 22  # characters of a script
OUTPUT: Final = 1 << 32  # bytes that a client is sent
PROCESSES: Final = 500  # subshells, stages of pipelines and jobs that run at once
FLUSH: Final = 0.5  # seconds after which what was written to a large file is in it
BLOCK: Final = 1 << 16  # bytes that are handed on at once

_BREATH = 0.005  # seconds
_next = 0.0


async def breathe() -> None:
    """Let others work, if this has not happened for a while."""
    global _next  # noqa: PLW0603 - there is one thread, and one who works in it at a time
    if time.monotonic() >= _next:
        await asyncio.sleep(0)
        _next = time.monotonic() + _BREATH


def out_of_memory() -> OSError:
    """Return the error of a command that wants more than it may have."""
    return OSError(errno.ENOMEM, "Out of memory")
