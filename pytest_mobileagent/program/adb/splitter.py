"""A program's data on an open stream, split into pieces that wait for their commands.

Neither the bytes nor their order ever change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.device.drivers.adb.shell import CLOSE_STDIN, STDIN, FrameReader, frame

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
    from pytest_mobileagent.program.commands import sockets

    return Reading(sockets.read_service, sockets.ShellSession, sockets.SocketReader)


if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.program.watching import Command

    # Bytes, and the commands that they carry.
    Piece = tuple[bytes, tuple[Command, ...]]

_LONGEST_LINE = 1 << 20  # bytes that are held
_LINE_SECONDS = 1.0  # which the command of a line has; most say nothing when they have ended
_SOCKETS = ("tcp:", "local:", "localabstract:", "localreserved:", "localfilesystem:")


class StreamSplitter(Protocol):
    """Cuts what a program sends on one stream.

    `seconds` is the assumed duration of a command that is never answered; None if all are.
    """

    seconds: float | None

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Take what comes next, and return what is complete."""

    def rest(self) -> Iterable[Piece]:
        """Return what is left when the program has closed the stream."""

    def answers(self, data: bytes) -> bool:
        """Whether what the phone sends says that the commands so far have ended."""


def splitter_of(service: str, reading: Reading) -> StreamSplitter:
    """Return the stream splitter for a service."""
    if service.startswith(_SOCKETS):
        return SocketSplitter(reading.socket(service))
    words, _, script = service.partition(":")
    kind, *options = words.split(",")
    if kind != "shell" or script:
        return PassingSplitter()
    if "v2" not in options:
        return LineSplitter(reading.session(), terminal=True)
    return FrameSplitter(LineSplitter(reading.session(), terminal="raw" not in options))


class PassingSplitter:
    """Passes everything on: the whole stream was decided on when it was opened."""

    seconds: float | None = None

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the bytes."""
        return [(data, ())]

    def rest(self) -> Iterable[Piece]:
        """Return nothing."""
        return ()

    def answers(self, data: bytes) -> bool:  # noqa: ARG002 - there are no commands
        """Return a constant: nothing is waited for."""
        return False


class SocketSplitter:
    """A socket of the phone: its reader says what is a command."""

    seconds: float | None = None

    def __init__(self, reader: ReadsSocket) -> None:
        self._reader = reader

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the reader's pieces."""
        return [
            (piece, (command,) if command else ()) for piece, command in self._reader.feed(data)
        ]

    def rest(self) -> Iterable[Piece]:
        """Return nothing: an incomplete request is not a request."""
        return ()

    def answers(self, data: bytes) -> bool:
        """Check whether there is any data."""
        return bool(data)


class LineSplitter:
    """An interactive shell, which does what a line says when the line ends.

    At a terminal, what is typed has to be seen at once, so that only the line's end is held; else
    the line is, since the shell also does the last one, which has no end.
    """

    seconds: float | None = _LINE_SECONDS

    def __init__(self, reader: ReadsSession, *, terminal: bool) -> None:
        self._reader = reader
        self._terminal = terminal
        self._held = b""  # not passed on yet
        self._line = b""  # passed on, but not read yet

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the lines that are complete."""
        if not self._terminal:
            return self._lines(data)
        return [piece for part in re.split(rb"([\r\n])", data) for piece in self._typed(part)]

    def rest(self) -> Iterable[Piece]:
        """Return the last line, which has no end."""
        held, self._held = self._held, b""
        return [(held, tuple(self._reader.feed(held + b"\n")))] if held else ()

    def answers(self, data: bytes) -> bool:
        """Whether the shell has said something, at a terminal that it is ready."""
        return not self._terminal or data.endswith((b"$ ", b"# "))

    def _lines(self, data: bytes) -> Iterable[Piece]:
        *lines, self._held = (self._held + data).split(b"\n")
        pieces = [(line + b"\n", tuple(self._reader.feed(line + b"\n"))) for line in lines]
        return [*pieces, *self.rest()] if len(self._held) > _LONGEST_LINE else pieces

    def _typed(self, part: bytes) -> Iterable[Piece]:
        if part not in (b"\r", b"\n"):
            self._line += part
            return [(part, ())] if part else ()
        line, self._line = self._line, b""
        return [(part, tuple(self._reader.feed(line + b"\n")))]


class FrameSplitter:
    """An interactive shell whose input comes in the frames of the shell protocol."""

    def __init__(self, lines: LineSplitter) -> None:
        self.seconds = lines.seconds
        self._lines = lines
        self._frames = FrameReader()

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the frames of lines that are complete, and all others."""
        pieces: list[Piece] = []
        for kind, content in self._frames.feed(data):
            if kind == STDIN:
                pieces += _framed(self._lines.feed(content))
                continue
            if kind == CLOSE_STDIN:
                pieces += self.rest()
            pieces.append((frame(kind, content), ()))
        return pieces

    def rest(self) -> Iterable[Piece]:
        """Return the last line, which has no end."""
        return _framed(self._lines.rest())

    def answers(self, data: bytes) -> bool:
        """Whether the shell has said something, at a terminal that it is ready."""
        return self._lines.answers(data)


def _framed(pieces: Iterable[Piece]) -> list[Piece]:
    return [(frame(STDIN, data), commands) for data, commands in pieces]
