"""Packets of the adb protocol: a 24-byte header and a payload."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader

VERSION = 0x01000001  # the first version without checksums
CHECKED = 0x01000000  # the version with checksums
MAX_PAYLOAD = 1 << 20

_HEADER = struct.Struct("<4s5I")


class ProtocolError(Exception):
    """The peer does not speak the adb protocol, or violates it."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A message: a four-letter command, two numbers, and bytes."""

    command: bytes
    arg0: int = 0
    arg1: int = 0
    payload: bytes = b""

    def encode(self, *, checked: bool = False) -> bytes:
        """Return the packet's bytes, with a checksum of the payload if `checked`."""
        magic = int.from_bytes(self.command, "little") ^ 0xFFFFFFFF
        size, total = len(self.payload), sum(self.payload) & 0xFFFFFFFF if checked else 0
        return _HEADER.pack(self.command, self.arg0, self.arg1, size, total, magic) + self.payload


async def read_packet(source: StreamReader) -> Packet:
    """Read the next packet; IncompleteReadError if the peer has disconnected."""
    header = await source.readexactly(_HEADER.size)
    command, arg0, arg1, size, _, magic = _HEADER.unpack(header)
    if int.from_bytes(command, "little") ^ magic != 0xFFFFFFFF:
        raise ProtocolError(f"not a packet header: {header!r}")
    if size > MAX_PAYLOAD:
        raise ProtocolError(f"{command!r} announces {size} bytes, more than {MAX_PAYLOAD}")
    return Packet(command, arg0, arg1, await source.readexactly(size) if size else b"")
