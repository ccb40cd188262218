"""How what a program sends to the phone is read as commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.program.watching import Command


class ReadsSession(Protocol):
    """Reads what is typed into an interactive shell."""

    def feed(self, data: bytes) -> Iterable[Command]:
        """Take what comes next, and return the command of each whole line."""


class ReadsSocket(Protocol):
    """Reads what is sent to a socket of the phone."""

    def feed(self, data: bytes) -> Iterable[tuple[bytes, Command | None]]:
        """Take what comes next, and cut it into pieces.

        One that has a command may be passed on when that may.
        """


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads services as they are opened, interactive shells, and sockets by their names."""

    service: Callable[[str], Command]
    session: Callable[[], ReadsSession]
    socket: Callable[[str], ReadsSocket]


def default_reading() -> Reading:
    """Return how the commands of Android and of its automation servers are read."""
    from pytest_mobileagent.program.commands import (  # not before needed
        services,
        sessions,
        sockets,
    )

    return Reading(services.read_service, sessions.ShellSession, sockets.SocketReader)
