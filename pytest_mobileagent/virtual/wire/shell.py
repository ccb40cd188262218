"""The shell and exec services: a command, or an interactive shell, on an adb stream."""

from __future__ import annotations

import asyncio
import struct
from functools import partial
from typing import TYPE_CHECKING, Self

from pytest_mobileagent.virtual.shell.interpreter import interactive, run
from pytest_mobileagent.virtual.shell.limits import OUTPUT
from pytest_mobileagent.virtual.shell.script import INTERRUPT
from pytest_mobileagent.virtual.shell.session import Limited, Pipe, Session, default_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pytest_mobileagent.virtual.shell.session import Reader, Writer
    from pytest_mobileagent.virtual.wire.adbd import Adbd
    from pytest_mobileagent.virtual.wire.stream import Stream

    Start = Callable[[Reader, Writer, Writer], Coroutine[None, None, int]]


_FRAME = struct.Struct("<BI")  # of the shell protocol: the kind of content, and how many bytes
MOMENT = 1.0  # seconds
_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = range(5)


async def serve(adbd: Adbd, command: str, options: Sequence[str], stream: Stream) -> None:
    """Run `command`, or a shell if it is empty, until it ends or the client hangs up."""
    tty = "pty" in options or (not command and "raw" not in options)
    env = _environment(adbd.uid, options)
    begin = partial(Session, phone=adbd.phone, uid=adbd.uid, env=env, tty=tty)

    async def shell(stdin: Reader, stdout: Writer, stderr: Writer) -> int:
        session = begin(stdin=stdin, stdout=stdout, stderr=stderr)
        return await (run(session, command) if command else interactive(session))

    start = partial(_on_terminal, shell) if tty else shell
    if "v2" in options:
        await _serve_frames(start, stream)
    else:
        screen = Limited(stream, OUTPUT)
        await _until_hangup(stream, start(stream, screen, screen), reading=not tty)


async def _on_terminal(shell: Start, stdin: Reader, stdout: Writer, _: Writer) -> int:
    async with Terminal(stdin, stdout) as terminal:
        return await terminal.run(shell(terminal.stdin, terminal.stdout, terminal.stdout))


def _environment(uid: int, options: Sequence[str]) -> dict[str, str]:
    env = default_environment()
    if uid == 0:
        env |= {"USER": "root", "LOGNAME": "root"}
    for option in options:
        if option.startswith("TERM="):
            env["TERM"] = option.removeprefix("TERM=")
    return env


async def _serve_frames(start: Start, stream: Stream) -> None:
    """Speak the shell protocol: separate stdout and stderr, and the exit status at the end."""
    stdin = Pipe()
    keyboard = asyncio.create_task(_feed(stream, stdin))
    try:
        screen, errors = _Frames(stream, _STDOUT), _Frames(stream, _STDERR)
        work = start(stdin, Limited(screen, OUTPUT), Limited(errors, OUTPUT))
        status = await _until_hangup(stream, work)
        await _Frames(stream, _EXIT).write(bytes([status & 0xFF]))
    finally:
        keyboard.cancel()


class _Frames:
    """A writer that sends its bytes in frames of one kind."""

    def __init__(self, stream: Stream, kind: int) -> None:
        self._stream = stream
        self._kind = kind

    async def write(self, data: bytes) -> None:
        if data:
            await self._stream.write(_FRAME.pack(self._kind, len(data)) + data)


async def _feed(stream: Stream, stdin: Pipe) -> None:
    """Pass the client's input to the command; window sizes are ignored."""
    try:
        while True:
            kind, size = _FRAME.unpack(await stream.read_exactly(_FRAME.size))
            while size:
                data = await stream.read(min(size, 1 << 16))
                if not data:
                    return
                size -= len(data)
                if kind == _STDIN:
                    await stdin.write(data)
            if kind == _CLOSE_STDIN:
                await stdin.close_write()
    except (EOFError, BrokenPipeError):
        await stdin.close_write()


async def _until_hangup(
    stream: Stream, work: Coroutine[None, None, int], *, reading: bool = False
) -> int:
    """Run `work`, and cancel it when the client closes the stream, as SIGHUP would.

    A client without a terminal also closes the stream when it has nothing more to send. A command
    that is still `reading` may therefore read the rest, and gets a moment to process it.
    """
    job, hangup = asyncio.create_task(work), asyncio.create_task(stream.ended())
    try:
        await asyncio.wait({job, hangup}, return_when=asyncio.FIRST_COMPLETED)
        unread = -1
        while reading and not job.done() and unread != stream.unread_bytes:
            unread = stream.unread_bytes
            await asyncio.wait({job}, timeout=MOMENT)
        if not job.done():
            raise BrokenPipeError
        return job.result()
    finally:
        job.cancel()
        hangup.cancel()
        await asyncio.gather(job, hangup, return_exceptions=True)


_INTERRUPTED = 130
_INTERRUPT, _END, _TAB, _KILL_LINE = 0x03, 0x04, 0x09, 0x15
_LONGEST_LINE = 4095  # limit of Linux for a line being edited
_BACKSPACES = (0x08, 0x7F)


class Terminal:
    """Converts keys to lines for `stdin`, and displays them and the shell's output."""

    def __init__(self, keyboard: Reader, screen: Writer) -> None:
        self.stdin = Pipe()
        self.stdout = _Screen(screen)
        self._keyboard = keyboard
        self._screen = screen
        self._line = bytearray()
        self._job: asyncio.Task[int] | None = None

    async def __aenter__(self) -> Self:
        self._typing = asyncio.create_task(self._type())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._typing.cancel()
        await asyncio.gather(self._typing, return_exceptions=True)

    async def run(self, work: Coroutine[None, None, int]) -> int:
        """Run a shell; Ctrl-C ends it or, if it is interactive, the command it is running."""
        self._job = asyncio.create_task(work)
        try:
            await asyncio.wait({self._job})
            return _INTERRUPTED if self._job.cancelled() else self._job.result()
        finally:
            self._job.cancel()

    async def _type(self) -> None:
        try:
            while keys := await self._keyboard.read():
                for key in keys:
                    await self._press(key)
        except BrokenPipeError:
            pass  # the client has disconnected
        await self.stdin.close_write()

    async def _press(self, key: int) -> None:
        if key in b"\r\n":
            await self._screen.write(b"\r\n")
            await self._enter(b"\n")
        elif key == _END and not self._line:
            await self.stdin.close_write()
        elif key == _END:
            await self._enter()
        elif key == _INTERRUPT:
            await self._interrupt()
        elif key in _BACKSPACES:
            await self._erase(1)
        elif key == _KILL_LINE:
            await self._erase(len(self._line.decode(errors="replace")))
        elif len(self._line) < _LONGEST_LINE:
            self._line.append(key)
            printable = key >= 0x20 or key == _TAB
            await self._screen.write(bytes([key]) if printable else b"^" + bytes([key + 0x40]))

    async def _enter(self, end: bytes = b"") -> None:
        line = bytes(self._line) + end
        self._line.clear()
        await self.stdin.write(line)

    async def _erase(self, characters: int) -> None:
        text = self._line.decode(errors="surrogateescape")
        gone = text[len(text) - characters :] if characters else ""
        self._line = bytearray(text.removesuffix(gone).encode(errors="surrogateescape"))
        await self._screen.write(b"\b \b" * len(gone))

    async def _interrupt(self) -> None:
        self._line.clear()
        await self._screen.write(b"^C\r\n")
        if self._job:
            self._job.cancel(INTERRUPT)


class _Screen:
    """A writer that starts every line at the left edge, as a terminal driver does."""

    def __init__(self, screen: Writer) -> None:
        self._screen = screen

    async def write(self, data: bytes) -> None:
        await self._screen.write(data.replace(b"\n", b"\r\n"))
