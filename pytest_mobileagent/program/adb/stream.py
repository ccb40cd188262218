"""One stream between an adb server and our adbd: each packet of data waits to be acknowledged."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from pytest_mobileagent.program.adb.packets import Packet

if TYPE_CHECKING:
    from collections.abc import Callable


class Stream:
    """A stream that a client of the adb server has opened.

    What it receives is acknowledged when it is read, so that whoever sends faster than the phone
    takes is held back. `number` is ours, `peer` the adb server's.
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
        """Tell the client that the stream is open, unless it knows."""
        if not self._accepted and not self.closed:
            self._accepted = self._may_send = True
            self._send(Packet(b"OKAY", self.number, self.peer))

    async def read(self) -> bytes:
        """Return the next bytes that the client has sent; none when it has closed the stream."""
        await self._until(lambda: self._received or self.closed)
        if not self._received:
            return b""
        data = self._received.popleft()
        if not self.closed:
            self._send(Packet(b"OKAY", self.number, self.peer))
        return data or await self.read()

    async def write(self, data: bytes) -> None:
        """Send bytes to the client, waiting until the ones before are acknowledged.

        Raises:
            BrokenPipeError: the stream is closed.
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
        """Close the stream when the client has taken everything."""
        await self._until(lambda: self._may_send or not self._accepted or self.closed)
        self.close()

    async def ended(self) -> None:
        """Wait until the stream is closed, by whichever side."""
        await self._until(lambda: self.closed)

    def close(self) -> None:
        """Close the stream at once; one that was not accepted is refused so."""
        if not self.closed:
            self.leave()
            self._send(Packet(b"CLSE", self.number if self._accepted else 0, self.peer))

    def acknowledged(self) -> None:
        """Note that the client has taken what was sent last."""
        self._may_send = True
        self._changed.set()

    def receive(self, data: bytes) -> None:
        """Note what the client has sent."""
        self._received.append(data)
        self._changed.set()

    def leave(self) -> None:
        """Note that the stream is closed, or that nobody is there any more."""
        self.closed = True
        self._changed.set()

    async def _until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()
