"""The sockets at which the phone's programs listen, by address."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Awaitable, Callable
from typing import Protocol


class Connection(Protocol):
    """Both ways of a connection to a socket."""

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent any more."""

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes (-1: whatever is there), at least one; b"" at the end."""

    def unread(self, data: bytes) -> None:
        """Put back what was read, for somebody else to read it."""

    async def write(self, data: bytes) -> None:
        """Send `data`, waiting while the other side lags behind."""

    def drop(self) -> None:
        """End it at once."""


Serve = Callable[[Connection], Awaitable[None]]


class Sockets(UserDict[str, Serve]):
    """Who serves an address, such as tcp:6790 or localabstract:name."""
