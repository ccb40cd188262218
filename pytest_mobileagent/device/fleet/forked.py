"""Processes that a program kept warm forks (see `warm`), and whether it still does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
from pathlib import Path

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_ANSWER_SECONDS = 10.0  # a fork takes milliseconds, but some may be asked for at once


class Forked:
    """A process that a program kept warm has forked (see `warm`), used as one of asyncio's is."""

    def __init__(self, pid: int, streams: Streams, control: Streams) -> None:
        self.pid = pid
        self.stdout, self.stdin = streams
        self._status = asyncio.create_task(_status(control))

    @property
    def returncode(self) -> int | None:
        """Its status, once it has ended."""
        return self._status.result() if self._status.done() else None

    async def wait(self) -> int:
        """Wait for its end."""
        return await asyncio.shield(self._status)

    def terminate(self) -> None:
        """Ask it to end; ProcessLookupError if it has."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it; ProcessLookupError if it has ended."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send it a signal; ProcessLookupError if it has ended."""
        if self._status.done():
            raise ProcessLookupError
        os.kill(self.pid, number)


async def fork(path: Path, arguments: list[str], environment: dict[str, str], log: Path) -> Forked:
    """Have the program that listens at a path fork.

    Raises:
        OSError: it does not listen any more, or does not answer.
    """
    ours, theirs = socket.socketpair()
    with theirs, log.open("ab") as errors, contextlib.ExitStack() as undo:
        undo.callback(ours.close)
        control = undo.enter_context(_connected(path))
        about = {"arguments": arguments, "environment": environment, "folder": str(Path.cwd())}
        request = json.dumps(about).encode() + b"\n"
        streams = [theirs.fileno(), theirs.fileno(), errors.fileno()]
        sent = socket.send_fds(control, [request], streams)
        control.sendall(request[sent:])
        answers = await asyncio.open_connection(sock=control)
        undo.callback(answers[1].close)  # which ends what is forked after all
        async with asyncio.timeout(_ANSWER_SECONDS):
            line = await answers[0].readline()
        if not line:
            raise ConnectionResetError("the program that forks has ended")
        forked = Forked(json.loads(line)["pid"], await asyncio.open_connection(sock=ours), answers)
        undo.pop_all()
        return forked


async def answers(path: Path) -> bool:
    """Whether the program that listens at a path still answers; one that is stopped does not."""
    try:
        with _connected(path) as control:
            control.sendall(b"{}\n")
            reader, writer = await asyncio.open_connection(sock=control)
            async with asyncio.timeout(_ANSWER_SECONDS):
                with contextlib.closing(writer):
                    return bool(await reader.readline())
    except OSError:
        return False


def _connected(path: Path) -> socket.socket:
    """Return a connection, which is refused at once where others fill the queue."""
    control = socket.socket(socket.AF_UNIX)
    try:
        control.settimeout(_ANSWER_SECONDS)
        control.connect(str(path))
    except OSError:
        control.close()
        raise
    return control


async def _status(control: Streams) -> int:
    """Return the status that a process ended with; it was killed with the one that forked it."""
    reader, writer = control
    try:
        return int(json.loads(await reader.readline())["status"])
    except (OSError, ValueError):
        return -signal.SIGKILL
    finally:
        writer.close()
