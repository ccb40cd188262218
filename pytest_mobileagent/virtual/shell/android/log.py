"""log: writes a line to the log. Also packs entries in logd's format, for `logcat -B`."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.log import Entry

LEVELS = "VDIWEFS"
VERBOSE = 2  # the number of the lowest level
BUFFERS = {"main": 0, "radio": 1, "events": 2, "system": 3, "crash": 4, "kernel": 7}
MOST = 4068  # bytes of payload
SYSTEM_UID = 1000
# Sizes of payload and header, pid, tid, seconds, nanoseconds, buffer, uid.
HEADER = struct.Struct("<HHiIIIII")


@command("log")
async def log(ctx: Context, args: list[str]) -> int:
    """Write the words, or the lines of stdin, to the log."""
    options = parse(args, "p:t:", stop=True)
    level = options.get("p", "i")[:1].upper()
    if not level or level not in LEVELS:
        raise Failure(f"bad -p '{options.get('p')}'")
    lines = [" ".join(options.rest)]
    if not options.rest:
        lines = (await ctx.read_all()).decode(errors="replace").splitlines()
    for line in lines:
        if level != "S":
            ctx.phone.log.write(level, options.get("t", "log"), line, pid=ctx.pid)
    return 0


def packed(entry: Entry) -> bytes:
    """Return the bytes of an entry: its header, then its priority, tag and message."""
    words = f"{entry.tag}\0{entry.message}".encode(errors="replace")
    payload = bytes([VERBOSE + LEVELS.index(entry.level)]) + words[: MOST - 2] + b"\0"
    seconds, nanoseconds = divmod(round(entry.time * 10**9), 10**9)
    numbers = (entry.pid, entry.tid, seconds, nanoseconds, BUFFERS[entry.buffer], SYSTEM_UID)
    return HEADER.pack(len(payload), HEADER.size, *numbers) + payload
