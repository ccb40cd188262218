"""The protocol between an adb server and adbd: packets and streams.

Source: AOSP, packages/modules/adb/docs/dev/protocol.md (a packet is a header of 24 bytes and a
payload).
"""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader
    from collections.abc import Callable


VERSION = 0x01000001  # the first version without checksums
MOST_PAYLOAD = 1 << 20  # bytes

_HEADER = struct.Struct("<4s5I")
_ALL_BITS = 0xFFFFFFFF


class PacketError(Exception):
    """The data received is not an adb packet."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A command (`CNXN`, `OPEN`, `OKAY`, `WRTE`, `CLSE`), its two arguments and its payload."""

    command: bytes
    arg0: int
    arg1: int
    payload: bytes = b""

    def encoded(self) -> bytes:
        """Return the bytes of the packet."""
        magic = int.from_bytes(self.command, "little") ^ _ALL_BITS
        size = len(self.payload)
        header = _HEADER.pack(self.command, self.arg0, self.arg1, size, 0, magic)
        return header + self.payload


async def read_packet(reader: StreamReader) -> Packet:
    """Return the next packet.

    Raises:
        PacketError: if the bytes are not an adb packet.
        EOFError: if the connection has ended.
        OSError: if the connection broke.
    """
    command, arg0, arg1, size, _, magic = _HEADER.unpack(await reader.readexactly(_HEADER.size))
    if int.from_bytes(command, "little") ^ magic != _ALL_BITS or size > MOST_PAYLOAD:
        raise PacketError(f"not an adb packet: {command!r} with {size} bytes")
    return Packet(command, arg0, arg1, await reader.readexactly(size) if size else b"")


class Stream:
    """A stream that a client of the adb server has opened.

    Data is acknowledged when it is read, so that a sender faster than the phone has to wait.
    `number` is this side's number of the stream, `peer` the adb server's.
    """

    def __init__(
        self, send: Callable[[Packet], None], number: int, peer: int, most_payload: int
    ) -> None:
        self.number = number
        self.peer = peer
        self.closed = False
        self._send = send
        self._most_payload = most_payload
        self._accepted = False
        self._may_send = False
        self._received: deque[bytes] = deque()
        self._changed = asyncio.Event()
        self._writing = asyncio.Lock()

    def accept(self) -> None:
        """Confirm to the client that the stream is open, unless that was done before."""
        if not self._accepted and not self.closed:
            self._accepted = self._may_send = True
            self._send(Packet(b"OKAY", self.number, self.peer))

    async def read(self) -> bytes:
        """Return the next bytes from the client; empty when it has closed the stream."""
        await self._until(lambda: self._received or self.closed)
        if not self._received:
            return b""
        data = self._received.popleft()
        if not self.closed:
            self._send(Packet(b"OKAY", self.number, self.peer))
        return data or await self.read()

    async def write(self, data: bytes) -> None:
        """Send bytes to the client, waiting until the previous ones are acknowledged.

        Raises:
            BrokenPipeError: if the stream is closed.
        """
        async with self._writing:
            for start in range(0, len(data), self._most_payload):
                await self._until(lambda: self._may_send or self.closed)
                if self.closed:
                    raise BrokenPipeError
                self._may_send = False
                part = data[start : start + self._most_payload]
                self._send(Packet(b"WRTE", self.number, self.peer, part))

    async def finish(self) -> None:
        """Close the stream when the client has received everything."""
        await self._until(lambda: self._may_send or not self._accepted or self.closed)
        self.close()

    async def ended(self) -> None:
        """Wait until either side has closed the stream."""
        await self._until(lambda: self.closed)

    def close(self) -> None:
        """Close the stream at once; this refuses a stream that was not accepted."""
        if not self.closed:
            self.leave()
            self._send(Packet(b"CLSE", self.number if self._accepted else 0, self.peer))

    def acknowledged(self) -> None:
        """Record that the client has acknowledged the last packet."""
        self._may_send = True
        self._changed.set()

    def receive(self, data: bytes) -> None:
        """Add data that the client has sent."""
        self._received.append(data)
        self._changed.set()

    def leave(self) -> None:
        """Record that the stream is closed, or that its client is gone."""
        self.closed = True
        self._changed.set()

    async def _until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()
