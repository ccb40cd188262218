"""Entries of the log as logd keeps them, for clients that read `logcat -B`."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.log import Entry

# Payload and header sizes, pid, tid, seconds, nanoseconds, buffer, uid.
_HEADER = struct.Struct("<HHiIIIII")
_BUFFERS = {"main": 0, "radio": 1, "events": 2, "system": 3, "crash": 4, "kernel": 7}
_PRIORITIES = {"V": 2, "D": 3, "I": 4, "W": 5, "E": 6, "F": 7}
_MOST = 4068  # bytes of payload
_SYSTEM_UID = 1000


def packed(entry: Entry) -> bytes:
    """Give the bytes of an entry: its header, then its priority, tag and message."""
    words = f"{entry.tag}\0{entry.message}".encode(errors="replace")
    payload = bytes([_PRIORITIES[entry.level]]) + words[: _MOST - 2] + b"\0"
    seconds, nanoseconds = divmod(round(entry.time * 10**9), 10**9)
    header = _HEADER.pack(
        len(payload),
        _HEADER.size,
        entry.pid,
        entry.tid,
        seconds,
        nanoseconds,
        _BUFFERS[entry.buffer],
        _SYSTEM_UID,
    )
    return header + payload
