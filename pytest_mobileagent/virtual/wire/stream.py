"""Packets of the adb protocol, and the streams that they carry."""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader
    from collections.abc import Callable


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


_HIGH_WATER = 1 << 18  # unsent bytes above which a writer waits for the reader
_MAX_UNREAD = 1 << 22  # bytes that a client may send without acknowledgement


class Stream:
    """What a service reads from and writes to; also a Reader and a Writer for the shell.

    A packet is acknowledged only once it has been read, which holds back a sender that is faster
    than the phone. (Real adb servers do send a second packet at the end of their input.)
    """

    def __init__(
        self, send: Callable[[Packet], None], local: int, remote: int, max_payload: int
    ) -> None:
        self.local = local
        self.remote = remote  # 0 until the other side has accepted
        self._send = send
        self._max_payload = max_payload
        self._open = True
        self._clear_to_send = bool(remote)
        self._incoming = bytearray()
        self._unacknowledged = False
        self._outgoing = bytearray()
        self._changed = asyncio.Event()

    # Called by services

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent any more."""
        return not self._open

    @property
    def unread_bytes(self) -> int:
        """The number of bytes that have arrived but have not been read."""
        return len(self._incoming)

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes (-1: all available), at least one; b"" at the end."""
        await self._until(lambda: bool(self._incoming) or self.closed)
        size = len(self._incoming) if n < 0 else n
        data = bytes(self._incoming[:size])
        del self._incoming[:size]
        self._acknowledge()
        return data

    def unread(self, data: bytes) -> None:
        """Put back bytes for the next reader."""
        self._incoming[:0] = data

    async def read_exactly(self, n: int) -> bytes:
        """Return `n` bytes; EOFError if the other side closes before."""
        data = bytearray()
        while len(data) < n:
            if not (more := await self.read(n - len(data))):
                raise EOFError
            data += more
        return bytes(data)

    async def write(self, data: bytes) -> None:
        """Send `data`, waiting while the other side is too slow."""
        await self._until(lambda: len(self._outgoing) < _HIGH_WATER or self.closed)
        if self.closed:
            raise BrokenPipeError
        self._outgoing += data
        self._send_next()

    async def accepted(self) -> bool:
        """Wait until the other side accepts or refuses the stream; return whether it accepted."""
        await self._until(lambda: bool(self.remote) or self.closed)
        return not self.closed

    async def ended(self) -> None:
        """Wait until the stream is closed, by either side."""
        await self._until(lambda: self.closed)

    async def close(self) -> None:
        """Close the stream once the other side has received everything."""
        await self._until(lambda: self.closed or (self._clear_to_send and not self._outgoing))
        self.drop()

    def drop(self) -> None:
        """Close the stream immediately, discarding unsent data."""
        if self._open:
            self._open = False
            self._outgoing.clear()
            self._send(Packet(b"CLSE", self.local, self.remote))
            self._changed.set()

    # Called by the connection, when something has arrived

    def take_okay(self, remote: int) -> None:
        """Handle the other side's acceptance of the stream, or its receipt of our last packet."""
        self.remote = self.remote or remote
        self._clear_to_send = True
        self._send_next()
        self._changed.set()

    def take_data(self, data: bytes) -> None:
        """Handle a data packet from the other side."""
        if len(self._incoming) > _MAX_UNREAD:
            raise ProtocolError(f"stream {self.remote} sends without waiting for acknowledgement")
        self._unacknowledged = True
        self._incoming += data
        if not data:
            self._acknowledge()
        self._changed.set()

    def _acknowledge(self) -> None:
        if self._unacknowledged and not self._incoming and self._open:
            self._unacknowledged = False
            self._send(Packet(b"OKAY", self.local, self.remote))

    def _send_next(self) -> None:
        if self._clear_to_send and self._outgoing and self._open:
            payload = bytes(self._outgoing[: self._max_payload])
            del self._outgoing[: self._max_payload]
            self._clear_to_send = False
            self._send(Packet(b"WRTE", self.local, self.remote, payload))

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()
