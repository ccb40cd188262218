"""A program that is kept warm: what takes long it does once, then forks for each process wanted.

So Android's zygote starts apps. Started as `python -m pytest_mobileagent.device.fleet.warm SOCKET
MODULE WORD…` it calls `MODULE.prepare(words)`, listens at SOCKET, and says so by a line, "{}". A
connection is for one process: it brings the descriptors of its standard streams and a line of JSON,
and gets two,

    {"arguments": ["…"], "environment": {…}, "folder": "…"}
    {"pid": 4711}
    {"status": 0}                                           when it has ended

A line without "arguments" only asks whether this program still answers, which "{}" says.

The process runs `MODULE.main(arguments)`, in a session of its own. It is killed when its connection
closes, or when this program ends, which it does with its standard input.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent.processes import die_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Main = Callable[[Sequence[str]], int]

_PATIENCE = 5.0  # seconds that a client has to send its request


class Warm:
    """Forks a process for each connection. It has no threads, which a fork would not take along."""

    def __init__(self, listener: socket.socket, run: Main) -> None:
        self._run = run
        self._listener = listener
        self._connections: dict[int, socket.socket] = {}  # by the ids of the processes
        self._ended, self._wakeup = os.pipe()
        self._selector = selectors.DefaultSelector()
        for file in (0, self._ended, listener):
            self._selector.register(file, selectors.EVENT_READ)

    def serve(self) -> None:
        """Fork until standard input ends."""
        os.set_blocking(self._wakeup, False)
        signal.set_wakeup_fd(self._wakeup)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listener:
                    self._fork(self._listener.accept()[0])
                elif key.fileobj == self._ended:
                    os.read(self._ended, 1 << 10)
                    self._reap()
                elif key.data in self._connections:  # nothing is said: it has closed
                    self._selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)
                elif key.fileobj == 0 and not os.read(0, 1 << 10):
                    return

    def _fork(self, connection: socket.socket) -> None:
        try:
            request, streams = _receive(connection)
        except (OSError, ValueError):
            connection.close()
            return
        if "arguments" not in request:
            _say(connection)
            connection.close()
            return
        parent = os.getpid()
        if (pid := os.fork()) == 0:
            self._become(request, streams, parent)
        for stream in streams:
            os.close(stream)
        self._connections[pid] = connection
        self._selector.register(connection, selectors.EVENT_READ, pid)
        _say(connection, pid=pid)

    def _become(self, request: dict[str, Any], streams: list[int], parent: int) -> NoReturn:
        """Become the requested process, and end."""
        status = 1
        try:
            die_with_parent()
            if os.getppid() != parent:
                os._exit(1)
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            for ours in (self._listener, *self._connections.values()):
                ours.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            os.closerange(3, max(streams) + 1)
            os.environ.clear()
            os.environ.update(request["environment"])
            os.chdir(request["folder"])
            status = self._run(request["arguments"])
        except SystemExit as end:
            if isinstance(end.code, str):
                sys.stderr.write(f"{end.code}\n")
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:  # noqa: BLE001 - as the interpreter does
            traceback.print_exc()
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)

    def _reap(self) -> None:
        """Report the exit status of processes that have ended."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with self._connections.pop(ended[0]) as connection:
                    with contextlib.suppress(KeyError):
                        self._selector.unregister(connection)
                    _say(connection, status=os.waitstatus_to_exitcode(ended[1]))


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    connection.settimeout(_PATIENCE)
    line, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while not line.endswith(b"\n"):
        more = connection.recv(1 << 16)
        if not more:
            raise ValueError("the request ends early")
        line += more
    return json.loads(line), streams


def _say(connection: socket.socket, **words: int) -> None:
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(words).encode() + b"\n")


def main(path: str, name: str, *words: str) -> None:
    """Prepare, report readiness, and serve."""
    module = importlib.import_module(name)
    module.prepare(words)
    Path(path).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        gc.collect()
        gc.freeze()  # a collection would write to, and so copy, what is shared
        sys.stdout.write("{}\n")
        sys.stdout.flush()
        Warm(listener, module.main).serve()


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


if __name__ == "__main__":
    main(*sys.argv[1:])
