"""Limits for commands, and how long-running commands let other tasks run.

All shells run in the event loop that also serves all clients. Therefore, anything that may take
long must call `breathe` regularly, and anything that may grow has a limit.
"""

from __future__ import annotations

import asyncio
import errno
import time
from typing import Final

SECONDS: Final = 300.0  # of processor time for a process
MEMORY: Final = 1 << 28  # bytes that a command may hold
LINES: Final = 1 << 21  # lines in a list that a command holds
LINE: Final = 1 << 22  # bytes of a line
VALUE: Final = 1 << 24  # characters of a variable, or of the output of $(...)
WORDS: Final = 1 << 18  # words of a command
ARGUMENTS: Final = 1 << 21  # total characters of a program's arguments
SCRIPT: Final = 1 << 22  # characters of a script
OUTPUT: Final = 1 << 32  # bytes that are sent to a client
PROCESSES: Final = 500  # subshells, pipeline stages and jobs that run at once
FLUSH: Final = 0.5  # seconds until data written to a large file is flushed
BLOCK: Final = 1 << 16  # bytes that are passed on at once

_BREATH = 0.005  # seconds
_next = 0.0


async def breathe() -> None:
    """Let other tasks run, if they have not run for a while."""
    global _next  # noqa: PLW0603 - there is one thread, and one task works in it at a time
    if time.monotonic() >= _next:
        await asyncio.sleep(0)
        _next = time.monotonic() + _BREATH


def out_of_memory() -> OSError:
    """Return the error of a command that exceeds its memory limit."""
    return OSError(errno.ENOMEM, "Out of memory")
