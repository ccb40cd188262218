"""The packets that an adb server and adbd exchange: a header of 24 bytes, and a payload.

AOSP, packages/modules/adb: docs/dev/protocol.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader

VERSION = 0x01000001  # the first in which nobody computes checksums
MOST_PAYLOAD = 1 << 20  # bytes

_HEADER = struct.Struct("<4s5I")
_ALL_BITS = 0xFFFFFFFF


class PacketError(Exception):
    """What was received is no packet of adb."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A command (`CNXN`, `OPEN`, `OKAY`, `WRTE`, `CLSE`), its two arguments and its payload."""

    command: bytes
    arg0: int
    arg1: int
    payload: bytes = b""

    def encoded(self) -> bytes:
        """Return the packet as it is sent."""
        magic = int.from_bytes(self.command, "little") ^ _ALL_BITS
        size = len(self.payload)
        header = _HEADER.pack(self.command, self.arg0, self.arg1, size, 0, magic)
        return header + self.payload


async def read_packet(reader: StreamReader) -> Packet:
    """Return the next packet.

    Raises:
        PacketError: the bytes are no packet.
        EOFError: the connection has ended.
        OSError: the connection broke.
    """
    command, arg0, arg1, size, _, magic = _HEADER.unpack(await reader.readexactly(_HEADER.size))
    if int.from_bytes(command, "little") ^ magic != _ALL_BITS or size > MOST_PAYLOAD:
        msg = f"no packet of adb: {command!r} with {size} bytes"
        raise PacketError(msg)
    return Packet(command, arg0, arg1, await reader.readexactly(size) if size else b"")
