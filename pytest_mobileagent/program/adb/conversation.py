"""A stream between a program and the device, on which commands wait for permission.

The data that the program sends is split into pieces, each of which waits until its commands are
permitted. The bytes and their order never change.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb import shell
from pytest_mobileagent.device.drivers.adb.shell import CLOSE_STDIN, STDIN, FrameReader, frame
from pytest_mobileagent.program.adb.adbd import Stream, cancel
from pytest_mobileagent.program.commands import Command
from pytest_mobileagent.program.commands.sockets import ShellSession, SocketReader
from pytest_mobileagent.program.commands.steps import BINARY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from pytest_mobileagent.program.adb.services import Service
    from pytest_mobileagent.program.commands import Passage, Watcher
    from pytest_mobileagent.program.track import RawLog

    # Asks whether a command, sent on the stream to a service, may pass.
    Ask = Callable[[str, Command], Awaitable["Passing"]]
    Piece = tuple[bytes, tuple[Command, ...]]  # bytes, and the commands that they carry


_LEAVING_SECONDS = 10.0  # for the device to accept what a program sent before it disconnected


class AdbConversation:
    """The exchange of data between a program and a service of the device.

    `opened` is the command that opened the stream, and `splitter` splits its data. `error` says how
    the conversation failed: a shell's exit status, or why a later command was refused.
    """

    def __init__(
        self,
        stream: Stream,
        device: Service,
        service: str,
        opened: Passing,
        splitter: StreamSplitter,
    ) -> None:
        self.error = ""
        self._stream, self._device, self._service = stream, device, service
        self._splitter, self._opened = splitter, opened
        self._frames = shell.FrameReader() if service.startswith("shell,v2") else None
        self._unanswered: list[Passing] = []
        self._passed_on = False  # whether the device has received anything

    async def run(self, ask: Ask) -> None:
        """Pass data on in both directions until either side has closed the stream.

        Each command that the program sends on the stream is submitted to `ask`.
        """
        sending = asyncio.create_task(self._send(ask))
        receiving = asyncio.create_task(self._receive(ask))
        leaving = asyncio.create_task(self._stream.ended())
        try:
            await asyncio.wait({sending, receiving, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done() or receiving.exception():
                await asyncio.wait({sending}, timeout=_LEAVING_SECONDS)
                if sending.done() and not sending.result():
                    await receiving  # the device accepts no more data, but may still send some
                else:
                    await cancel(sending, receiving)
                    await self._device.finish()
        finally:
            await cancel(sending, receiving, leaving)
            self._opened.end(self.error)
            self._answered()
        await self._stream.finish()

    async def _send(self, ask: Ask) -> bool:
        """Pass on the program's data until it closes the stream or a command is refused.

        Return False if the device stopped accepting data before that.
        """
        try:
            while data := await self._stream.read():
                if not await self._admit(self._splitter.feed(data), ask):
                    return True
            await self._admit(self._splitter.rest(), ask)
        except OSError:
            return False
        return True

    async def _admit(self, pieces: Iterable[Piece], ask: Ask) -> bool:
        """Pass pieces on; return False if a command in one of them was refused."""
        for data, commands in pieces:
            asked: list[Passing] = []
            answer = b""
            for command in commands:
                passing = await ask(self._service, command)
                answer += passing.answer
                if passing.refused and not passing.answer:
                    await self._refuse(passing.refused, asked)
                    return False
                asked.append(passing)
            if answer:
                await self._stream.write(answer)
                for passing in asked:
                    passing.end()
                continue
            self._passed_on = True
            await self._device.write(data)
            self._wait_for_answer(asked)
        return True

    async def _refuse(self, refusal: str, asked: Iterable[Passing]) -> None:
        self.error = refusal
        for passing in asked:
            passing.end(refusal)
        if self._frames is not None and self._frames.between_frames:
            with contextlib.suppress(BrokenPipeError):
                await self._stream.write(shell.failure(refusal))

    def _wait_for_answer(self, asked: list[Passing]) -> None:
        self._unanswered += asked
        if self._splitter.seconds is not None:
            loop = asyncio.get_running_loop()
            for passing in asked:
                loop.call_later(self._splitter.seconds, passing.end)

    async def _receive(self, ask: Ask) -> None:
        """Pass on the device's data until it closes the stream, or speaks although it must not."""
        while data := await self._device.read():
            if self._splitter.waits and not self._passed_on:
                spoke = Command(f"{self._service}{BINARY}")
                self.error = (await ask(self._service, spoke)).refused
                return
            content = data if self._frames is None else self._unframed(data)
            if self._unanswered and self._splitter.answers(content):
                self._answered()
            await self._stream.write(data)

    def _unframed(self, data: bytes) -> bytes:
        """Return the output of a shell; note its end before the program learns of it."""
        assert self._frames is not None
        content = b""
        for kind, part in self._frames.feed(data):
            if kind != shell.EXIT:
                content += part
                continue
            self.error = f"exit status {part[0]}" if part.strip(b"\0") else ""
            self._opened.end(self.error)
        return content

    def _answered(self) -> None:
        for passing in self._unanswered:
            passing.end()
        self._unanswered.clear()


class Passing:
    """A command on its way to a service, from the moment when it was sent."""

    def __init__(self, log: RawLog, service: str, command: Command) -> None:
        self.refused = ""
        self.answer = command.answer
        self._log, self._service, self._command = log, service, command
        self._at = log.now()
        self._passage: Passage | None = None
        self._ended = False

    async def ask(self, watcher: Watcher) -> None:
        """Wait until the command is permitted, or is `refused`."""
        try:
            self._passage = await watcher.command(self._command)
        except BaseException:
            self.end("the stream was cut off while the command waited")
            raise
        self.refused = self._passage.refused or self._command.refused
        if self.refused:
            self.end()

    def end(self, error: str = "") -> None:
        """Report that the command has ended, unless that was reported before."""
        if self._ended:
            return
        self._ended = True
        if self._passage is not None and not self.refused:
            self._passage.done(error)
        self._log.write(self._at, self._service, self._command, refused=self.refused, error=error)


_LONGEST_LINE = 1 << 20  # bytes that are held back at most
_LINE_SECONDS = 1.0  # the assumed duration of a line's command: most end without any output
SOCKETS = ("tcp:", "local:", "localabstract:", "localreserved:", "localfilesystem:")


class StreamSplitter:
    """Splits the data that a program sends on one stream.

    This one passes everything on, because the stream was permitted as a whole when it was opened.
    `waits` says whether the phone must not send anything before it has received something.
    `seconds` is the assumed duration of a command that is not answered; None if all are answered.
    """

    seconds: float | None = None
    waits = False

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Process the next data, and return the complete pieces."""
        return [(data, ())]

    def rest(self) -> Iterable[Piece]:
        """Return the remaining pieces when the program has closed the stream.

        There are none by default, because an incomplete request has no effect.
        """
        return ()

    def answers(self, data: bytes) -> bool:
        """Return whether data from the phone shows that the commands so far have ended."""
        return bool(data)


def splitter_of(service: str) -> StreamSplitter:
    """Return the stream splitter for a service."""
    if service.startswith(SOCKETS):
        return SocketSplitter(SocketReader(service))
    words, _, script = service.partition(":")
    kind, *options = words.split(",")
    if kind != "shell" or script:
        return StreamSplitter()
    if "v2" not in options:
        return LineSplitter(terminal=True)
    return FrameSplitter(LineSplitter(terminal="raw" not in options))


class SocketSplitter(StreamSplitter):
    """Splits the data for a socket of the phone, in which a reader finds the commands."""

    def __init__(self, reader: SocketReader) -> None:
        self._reader = reader

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the reader's pieces."""
        found = self._reader.feed(data)
        return [(piece, (command,) if command else ()) for piece, command in found]


class LineSplitter(StreamSplitter):
    """Splits the input of an interactive shell, which runs a line when it ends.

    At a terminal, typed characters must be visible at once, so only the end of a line is held back.
    Elsewhere the whole line is, because the shell also runs a last line without an end.
    """

    seconds = _LINE_SECONDS

    def __init__(self, *, terminal: bool) -> None:
        self._reader = ShellSession()
        self._terminal = terminal
        self._held = b""  # input that is not passed on yet
        self._line = b""  # input that was passed on, but not read as a command yet

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the complete lines."""
        if not self._terminal:
            return self._lines(data)
        return [piece for part in re.split(rb"([\r\n])", data) for piece in self._typed(part)]

    def rest(self) -> Iterable[Piece]:
        """Return the last line if it has no end."""
        held, self._held = self._held, b""
        return [(held, tuple(self._reader.feed(held + b"\n")))] if held else ()

    def answers(self, data: bytes) -> bool:
        """Return whether the shell has written something; at a terminal, its prompt."""
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


class FrameSplitter(StreamSplitter):
    """Splits the input of an interactive shell that arrives in frames of the shell protocol."""

    def __init__(self, lines: LineSplitter) -> None:
        self.seconds = lines.seconds
        self._lines = lines
        self._frames = FrameReader()

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the frames of complete lines, and all frames that are not input."""
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
        """Return the last line if it has no end."""
        return _framed(self._lines.rest())

    def answers(self, data: bytes) -> bool:
        """Return whether the shell has written something; at a terminal, its prompt."""
        return self._lines.answers(data)


def _framed(pieces: Iterable[Piece]) -> list[Piece]:
    return [(frame(STDIN, data), commands) for data, commands in pieces]
