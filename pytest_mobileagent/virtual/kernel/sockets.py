"""The sockets that the phone's programs listen on, by address."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Awaitable, Callable
from typing import Protocol


class Connection(Protocol):
    """A connection to a socket, in both directions."""

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent any more."""

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes (-1: all available), at least one; b"" at the end."""

    def unread(self, data: bytes) -> None:
        """Put back bytes for the next reader."""

    async def write(self, data: bytes) -> None:
        """Send `data`, waiting while the other side is too slow."""

    def drop(self) -> None:
        """Close the connection immediately."""


Serve = Callable[[Connection], Awaitable[None]]


class Sockets(UserDict[str, Serve]):
    """The handlers of addresses such as tcp:6790 or localabstract:name."""
