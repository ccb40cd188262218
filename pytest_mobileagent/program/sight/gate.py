"""The gate between a program and its phone, through which no hidden part of the screen passes.

Everything that a program sends over adb passes here before the phone gets it: services, requests to
sockets, and the reading of files. What cannot be controlled, such as a binary stream, is refused,
and ends the episode with the reason.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import struct
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError, ScreenError
from pytest_mobileagent.program.adb.conversation import SOCKETS, StreamSplitter, splitter_of
from pytest_mobileagent.program.adb.services import open_service
from pytest_mobileagent.program.commands import Command, FileRead, Request
from pytest_mobileagent.program.commands.sockets import SocketReader
from pytest_mobileagent.program.commands.steps import BINARY
from pytest_mobileagent.program.sight.servers import answered
from pytest_mobileagent.program.sight.shell import HiddenError, may_read, sighted
from pytest_mobileagent.screen.picture import HEADER, size_of
from pytest_mobileagent.screen.sight import black

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.program.adb.conversation import Piece
    from pytest_mobileagent.program.sight.shell import SightedScript
    from pytest_mobileagent.screen.sight import Part


_SCRIPT = re.compile(r"((?:shell(?:,[^:]*)?|exec):)(.+)", re.DOTALL)
_INSTALL = re.compile(r"exec:cmd package '?install")
_ALLOWED = ("sync:", "root:", "unroot:", "reverse:list-forward", "reverse:killforward")


class Gate:
    """Hides a part of the screen from one program, on one phone, for one episode.

    A program may read only those files of the phone that it has written with permitted commands.
    """

    def __init__(self, address: Address, hidden: Part) -> None:
        self._address = address
        self._hidden = hidden
        self._readable: set[str] = set()
        sees = "screenshot" if hidden == "hierarchy" else "hierarchy"
        self._why = f"--mobile-sees={sees}: the program must not see the {hidden}, so it cannot use"

    def opening(self, service: str, command: Command) -> Command:
        """Return the command of opening a service, refused if the service may show the part."""
        shows_picture = service.startswith("framebuffer:")
        is_open = service.startswith((*SOCKETS, *_ALLOWED)) or bool(_INSTALL.match(service))
        if command.refused or is_open or (shows_picture and self._hidden == "hierarchy"):
            return command
        if match := _SCRIPT.fullmatch(service):
            try:
                self._readable |= self._script(match[2]).files
            except HiddenError as error:
                return self._refused(command, str(error))
            return command
        if service.startswith("shell"):
            return self._refused(command, "a shell without a command: give it the command")
        return self._refused(command, service[:100], ends=not shows_picture)

    async def to_open(self, service: str) -> str:
        """Return the service to open in place of a permitted one.

        Raises:
            DeviceError: if a picture is to be replaced, but the phone shows none.
        """
        match = _SCRIPT.fullmatch(service)
        if match is None or _INSTALL.match(service):
            return service
        script = self._script(match[2])
        picture = await self._black() if script.shows_picture else b""
        try:
            return match[1] + script.text(picture)
        except HiddenError as error:
            raise DeviceError(f"{self._why} {error}") from error

    def splitter_of(self, service: str) -> StreamSplitter:
        """Return the splitter for a service, which holds requests until they are complete."""
        if service.startswith(SOCKETS):
            return WholeRequests(service)
        return FileRequests() if service.startswith("sync:") else splitter_of(service)

    async def on_stream(self, command: Command) -> Command:
        """Return a command that was sent on an open stream, with an answer if it must not pass."""
        request = command.request
        if isinstance(request, FileRead):
            if may_read(request.path, self._readable):
                return command
            refused = self._refused(command, f"the file {request.path[:100]}")
            text = refused.refused.encode("utf-8", "replace")
            return dataclasses.replace(
                refused, answer=b"FAIL" + struct.pack("<I", len(text)) + text
            )
        if not isinstance(request, Request):
            return self._refused(command, command.text, ends=True)
        why = f"{self._why} {request.method} {request.path[:100]}"
        answer = answered(request, self._hidden, why)
        if answer is None or command.refused:
            return command
        try:
            picture = b"" if answer.error or answer.value is not None else await self._black()
        except DeviceError as error:
            return self._refused(command, str(error))
        return dataclasses.replace(command, refused=answer.error, answer=answer.encoded(picture))

    def _script(self, script: str) -> SightedScript:
        return sighted(script, self._hidden, self._readable)

    def _refused(self, command: Command, what: str, *, ends: bool = False) -> Command:
        return dataclasses.replace(command, refused=f"{self._why} {what}", ends=ends)

    async def _black(self) -> bytes:
        """Return a black picture of the phone's current size.

        Raises:
            DeviceError: if the phone takes no picture.
        """
        data = b""
        opened = await open_service(self._address, "exec:screencap -p")
        with contextlib.closing(opened):
            while len(data) < HEADER and (more := await opened.read()):
                data += more
        try:
            return black(size_of(data))
        except ScreenError as error:
            raise DeviceError(f"device {self._address} takes no screenshot: {error}") from error


class WholeRequests(StreamSplitter):
    """Splits the data for a socket into whole requests; anything else is one command of its own."""

    waits = True

    def __init__(self, name: str) -> None:
        self._name = name
        self._reader = SocketReader(name)
        self._held = b""

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the requests that are complete now."""
        pieces: list[Piece] = []
        for piece, command in self._reader.feed(data):
            self._held += piece
            unread = None if self._reader.is_read else Command(f"{self._name}{BINARY}")
            if (whole := command or unread) is not None:
                pieces.append((self._held, (whole,)))
                self._held = b""
        return pieces


_MOST_PATH = 4096  # bytes
_WITH_PATH = {b"STAT", b"LSTA", b"LST2", b"STA2", b"LIST", b"LIS2", b"SEND", b"RECV"}
_ALONE = {b"DONE", b"QUIT"}  # what looks like their length is something else


class FileRequests(StreamSplitter):
    """Splits the data for `sync:` into requests; each file that is read is a command.

    Source: AOSP, packages/modules/adb: SYNC.TXT (an id of 4 bytes and a length, little endian).
    """

    def __init__(self) -> None:
        self._held = b""
        self._left = 0  # bytes of a file that follow

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the requests that are complete now."""
        pieces: list[Piece] = []
        self._held += data
        while self._held:
            if self._left:
                size, commands = min(self._left, len(self._held)), tuple[Command, ...]()
                self._left -= size
            else:
                size, commands = self._next()
            if not size:
                break
            pieces.append((self._held[:size], commands))
            self._held = self._held[size:]
        return pieces

    def _next(self) -> tuple[int, tuple[Command, ...]]:
        """Return the size of the next request and its command; 0 if it is not complete."""
        kind, length = self._held[:4], int.from_bytes(self._held[4:8], "little")
        if len(self._held) < 8:  # an id and a length
            return 0, ()
        if kind in _ALONE:
            return 8, ()
        if kind == b"DATA":
            self._left = length
            return 8, ()
        if kind not in _WITH_PATH or length > _MOST_PATH:
            return len(self._held), (Command(f"sync:{kind!r}{BINARY}"),)
        if len(self._held) < 8 + length:
            return 0, ()
        path = self._held[8 : 8 + length].decode("utf-8", "replace")
        reads = (Command(f"sync:RECV {path}", request=FileRead(path)),) if kind == b"RECV" else ()
        return 8 + length, reads
