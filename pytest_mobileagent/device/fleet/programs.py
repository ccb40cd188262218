"""Programs that the supervisor of a run starts, among them one that is kept warm.

A warm program does slow preparations once, then forks a process per request, as Android's zygote
starts apps. It is started as `python -m pytest_mobileagent.device.fleet.programs SOCKET MODULE
WORD…`. It calls `MODULE.prepare(words)`, listens at SOCKET, and prints "{}" when it is ready. Each
connection is for one process. The client sends the descriptors of the process's standard streams
and a line of JSON, and receives two lines:

    {"arguments": ["…"], "environment": {…}, "folder": "…"}
    {"pid": 4711}
    {"status": 0}                                           when the process has ended

A line without "arguments" only asks whether this program still answers; the reply is "{}".

The process runs `MODULE.main(arguments)` in a new session. It is killed when its connection closes,
or when this program ends, which it does when its standard input closes.
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent.processes import die_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Main = Callable[[Sequence[str]], int]

_PATIENCE = 30.0  # seconds that a client has to send its request


class Warm:
    """Forks a process for each connection. It has no threads, because a fork would lose them."""

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
                elif key.data in self._connections:  # clients send nothing more: it has closed
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
            _reply(connection)
            connection.close()
            return
        parent = os.getpid()
        if (pid := os.fork()) == 0:
            self._become(request, streams, parent)
        for stream in streams:
            os.close(stream)
        self._connections[pid] = connection
        self._selector.register(connection, selectors.EVENT_READ, pid)
        _reply(connection, pid=pid)

    def _become(self, request: dict[str, Any], streams: list[int], parent: int) -> NoReturn:
        """Turn this fork into the requested process, and exit."""
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
        except BaseException:  # noqa: BLE001 - handled like the interpreter does
            traceback.print_exc()
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)

    def _reap(self) -> None:
        """Report the exit statuses of processes that have ended."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with self._connections.pop(ended[0]) as connection:
                    with contextlib.suppress(KeyError):
                        self._selector.unregister(connection)
                    _reply(connection, status=os.waitstatus_to_exitcode(ended[1]))


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    connection.settimeout(_PATIENCE)
    line, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while not line.endswith(b"\n"):
        more = connection.recv(1 << 16)
        if not more:
            raise ValueError("the request ends early")
        line += more
    return json.loads(line), streams


def _reply(connection: socket.socket, **words: int) -> None:
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
        gc.freeze()  # a collection would write to shared pages, and so copy them
        sys.stdout.write("{}\n")
        sys.stdout.flush()
        Warm(listener, module.main).serve()


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_ANSWER_SECONDS = 10.0  # a fork takes milliseconds, but several may be requested at once


class Forked:
    """A process that was forked by a warm program, with the interface of an asyncio process."""

    def __init__(self, pid: int, streams: Streams, control: Streams) -> None:
        self.pid = pid
        self.stdout, self.stdin = streams
        self._status = asyncio.create_task(_status(control))

    @property
    def returncode(self) -> int | None:
        """The exit status; None while the process runs."""
        return self._status.result() if self._status.done() else None

    async def wait(self) -> int:
        """Wait until the process has ended, and return its exit status."""
        return await asyncio.shield(self._status)

    def terminate(self) -> None:
        """Send SIGTERM; raise ProcessLookupError if the process has ended."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL; raise ProcessLookupError if the process has ended."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send a signal; raise ProcessLookupError if the process has ended."""
        if self._status.done():
            raise ProcessLookupError
        os.kill(self.pid, number)


async def fork(path: Path, arguments: list[str], environment: dict[str, str], log: Path) -> Forked:
    """Fork a process from the warm program that listens at a path.

    Raises:
        OSError: if the program no longer listens, or does not answer.
    """
    ours, theirs = socket.socketpair()
    with theirs, log.open("ab") as errors, contextlib.ExitStack() as undo:
        undo.callback(ours.close)
        control = undo.enter_context(_connected(path))
        about = {"arguments": arguments, "environment": environment, "folder": str(Path.cwd())}
        request = json.dumps(about).encode() + b"\n"
        streams = [theirs.fileno(), theirs.fileno(), errors.fileno()]
        sent = socket.send_fds(control, [request], streams)
        # Sending nothing would fail, too, if the process has ended and its connection is closed.
        if rest := request[sent:]:
            control.sendall(rest)
        answers = await asyncio.open_connection(sock=control)
        undo.callback(answers[1].close)  # closing it kills the process if one was forked
        async with asyncio.timeout(_ANSWER_SECONDS):
            line = await answers[0].readline()
        if not line:
            raise ConnectionResetError("the warm program has ended")
        forked = Forked(json.loads(line)["pid"], await asyncio.open_connection(sock=ours), answers)
        undo.pop_all()
        return forked


async def answers(path: Path) -> bool:
    """Return whether the warm program that listens at a path still answers."""
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
    """Return a connection, which is refused at once if the queue of connections is full."""
    control = socket.socket(socket.AF_UNIX)
    try:
        control.settimeout(_ANSWER_SECONDS)
        control.connect(str(path))
    except OSError:
        control.close()
        raise
    return control


async def _status(control: Streams) -> int:
    """Return the exit status of a process; -SIGKILL if it died together with the warm program."""
    reader, writer = control
    try:
        return int(json.loads(await reader.readline())["status"])
    except (OSError, ValueError):
        return -signal.SIGKILL
    finally:
        writer.close()


_LAST_OUTPUT = 2000  # characters of a program's log that error messages quote
Process = asyncio.subprocess.Process | Forked
# Environment variables that isolate the run's adb server: it does not search for devices, and
# ignores `adb kill-server`.
ISOLATED_ADB = {
    **dict.fromkeys(("ADB_MDNS", "ADB_MDNS_OPENSCREEN", "ADB_USB", "ADB_LIBUSB", "ADB_EMU"), "0"),
    "ADB_REJECT_KILL_SERVER": "1",
}


@dataclass(slots=True)
class Program:
    """A program that was started for a slot; `record` is what it printed when it was ready."""

    process: Process
    grace: float
    log: Path
    log_start: int  # the offset in the log where this program's output begins
    record: dict[str, Any] = field(default_factory=dict)
    fresh: bool = True  # whether no worker has used it yet

    def last_output(self) -> str:
        """Return the end of the program's log."""
        written = self.log.read_bytes()[self.log_start :].decode("utf-8", "replace").strip()
        return written[-_LAST_OUTPUT:] or "it printed nothing"

    async def first_line(self, seconds: float) -> dict[str, Any]:
        """Return the record that the program prints when it is ready.

        Raises:
            RuntimeError: if the program ends before that, or takes longer than `seconds`.
        """
        assert self.process.stdout is not None
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), seconds)
            return dict(json.loads(line))
        except (TimeoutError, ValueError):
            await self.end()
            raise RuntimeError(f"its program did not start: {self.last_output()}") from None

    async def end(self) -> None:
        """End the program if it is still running."""
        await end(self.process, self.grace)

    def wake(self) -> None:
        """Resume the program if a signal has suspended it."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)


async def end(process: Process, grace: float) -> None:
    """Close the program's standard input, which ends a phone, and kill it after `grace` seconds."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        process.send_signal(signal.SIGCONT)  # a suspended process would not handle the signal
        try:
            await asyncio.wait_for(process.wait(), grace)
        except TimeoutError:
            process.kill()
            # The program that forked it reports its end, but may be suspended itself.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), grace)


def python_program(module: str, *arguments: str) -> list[str]:
    """Return a command that runs a module like `python -m`, but ignores the current folder.

    A `calendar.py` there must not shadow Python's own. This process's `sys.path` is searched last,
    after the path of an isolated Python.
    """
    path = [folder for folder in sys.path if folder]
    code = f"import runpy, sys; sys.path += [p for p in {path!r} if p not in sys.path]; "
    code += f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-P", "-c", code, *arguments]


def warm_program(module: str, *words: str) -> list[str]:
    """Return the command of a warm program that forks a module's `main`."""
    return python_program("pytest_mobileagent.device.fleet.programs", "{socket}", module, *words)


if __name__ == "__main__":
    main(*sys.argv[1:])
