"""log: writes a line to the log; and entries as logd keeps them, for `logcat -B`."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.log import Entry
    from pytest_mobileagent.virtual.shell.options import Options

LEVELS = "VDIWEFS"
# Payload and header sizes, pid, tid, seconds, nanoseconds, buffer, uid.
_HEADER = struct.Struct("<HHiIIIII")
_BUFFERS = {"main": 0, "radio": 1, "events": 2, "system": 3, "crash": 4, "kernel": 7}
_PRIORITIES = {"V": 2, "D": 3, "I": 4, "W": 5, "E": 6, "F": 7}
_MOST = 4068  # bytes of payload
_SYSTEM_UID = 1000


@command("log")
async def log(ctx: Context, args: list[str]) -> int:
    """Write the words, or the lines of stdin, to the log."""
    options = parse(args, "p:t:", stop=True)
    level, tag = _level(options), options.get("t", "log")
    lines = [" ".join(options.rest)]
    if not options.rest:
        lines = (await ctx.read_all()).decode(errors="replace").splitlines()
    for line in lines:
        if level != "S":
            ctx.phone.log.write(level, tag, line, pid=ctx.pid)
    return 0


def _level(options: Options) -> str:
    level = options.get("p", "i")[:1].upper()
    if not level or level not in LEVELS:
        raise Failure(f"bad -p '{options.get('p')}'")
    return level


def packed(entry: Entry) -> bytes:
    """Give the bytes of an entry: its header, then its priority, tag and message."""
    words = f"{entry.tag}\0{entry.message}".encode(errors="replace")
    payload = bytes([_PRIORITIES[entry.level]]) + words[: _MOST - 2] + b"\0"
    seconds, nanoseconds = divmod(round(entry.time * 10**9), 10**9)
    numbers = (entry.pid, entry.tid, seconds, nanoseconds, _BUFFERS[entry.buffer], _SYSTEM_UID)
    header = _HEADER.pack(len(payload), _HEADER.size, *numbers)
    return header + payload
