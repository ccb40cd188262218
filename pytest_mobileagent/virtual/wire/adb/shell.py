"""The shell and exec services: a command, or an interactive shell, on an adb stream."""

from __future__ import annotations

import asyncio
import struct
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.interpreter import interactive, run
from pytest_mobileagent.virtual.shell.limits import OUTPUT
from pytest_mobileagent.virtual.shell.session import Session, default_environment
from pytest_mobileagent.virtual.shell.streams import Limited, Pipe
from pytest_mobileagent.virtual.wire.adb.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pytest_mobileagent.virtual.shell.streams import Reader, Writer
    from pytest_mobileagent.virtual.wire.adb.adbd import Adbd
    from pytest_mobileagent.virtual.wire.adb.stream import Stream

    Start = Callable[[Reader, Writer, Writer], Coroutine[None, None, int]]

_FRAME = struct.Struct("<BI")  # of the shell protocol: the kind of content, and how many bytes
MOMENT = 1.0  # seconds
_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = range(5)


async def serve(adbd: Adbd, command: str, options: Sequence[str], stream: Stream) -> None:
    """Run `command`, or a shell if it is empty, until it ends or the client hangs up."""
    tty = "pty" in options or (not command and "raw" not in options)
    env = _environment(adbd.uid, options)

    async def shell(stdin: Reader, stdout: Writer, stderr: Writer) -> int:
        session = Session(
            phone=adbd.phone,
            uid=adbd.uid,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=env,
            tty=tty,
        )
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
