"""The supervisor of a run: a process that owns its adb server and phones, and outlives its workers.

It is started as `python -m pytest_mobileagent.device.fleet.supervisor FOLDER`. When it is asked to
stop, or the holder of FOLDER/owner.lock is gone, it ends everything that it has started and every
process that the run's agents have started (recognised by FOLDER/mark), and removes the folder. The
operating system frees that lock however its holder died. Phones end when their standard input
closes, so they do not outlive the supervisor either.

The program returns as soon as the supervisor, its child, listens at the socket FOLDER/supervisor.
Requests and replies are each one line of JSON:

    {"do": "adb"}                                           → {"port": 41235, "home": "…"}
    {"do": "start", "slot": 0, "command": ["…", "{adb}"]}   → what the program printed when ready
    {"do": "replace", "slot": 0, "command": […]}            → the same, from a new program
    {"do": "prestart", "slot": 0, "command": […]}           → {"slot": 0} at once; it starts later
    {"do": "ended", "slot": 0}                              → {"ended": "why it ended by itself"}
    {"do": "stop"}                                          → closes when everything has ended

"{adb}" in a command is replaced by the adb server's port. Requests that start a program may contain

- "warm": the command of a program that is started once and kept warm (see `programs`), in which
  "{socket}" is replaced by the path where it listens; "command" is then the arguments for a fork;
- "seconds" that the program has until it must be ready, and "grace", the seconds it has to end.

Their replies also contain "fresh": whether no worker has used the program before. Every request
except "stop" may contain "home", the home folder of started programs (by default one in FOLDER).
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import IO, Any

from pytest_mobileagent.device.fleet.programs import (
    ISOLATED_ADB,
    Process,
    Program,
    answers,
    end,
    fork,
)
from pytest_mobileagent.processes import die_with_parent, end_marked

SOCKET, OWNER_LOCK, HOME, MARK = "supervisor", "owner.lock", "home", "mark"
MEMORY = "memory"  # a link to a folder that is removed together with that of the run
_START_SECONDS, _GRACE_SECONDS = 60.0, 3.0
_ADB_SECONDS = 5.0  # the server answers from memory, in less than a millisecond
_REMOVALS = 10  # attempts to remove a folder, in which another process may still create files
_ENDING_SECONDS = 0.5  # between the last connection to a phone and its end


class Supervisor:
    """Starts programs for a run, and ends them with the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = (folder / MARK).read_text("utf-8") if (folder / MARK).exists() else ""
        self.home = folder / HOME
        self.home.mkdir(mode=0o700, exist_ok=True)
        self.adb: Process | None = None
        self.adb_port = 0
        self.adb_guard = asyncio.Lock()
        self.warm: dict[Path, Program] = {}  # by the paths of their sockets
        self.warm_guard = asyncio.Lock()
        self.phones: dict[int, Program] = {}
        self.phone_guards: dict[int, asyncio.Lock] = {}
        self.ahead = asyncio.Semaphore(max(2, os.cpu_count() or 2))
        self.starting: set[asyncio.Task[None]] = set()  # asyncio only holds weak references
        self.stopping = False
        self.stopped = asyncio.Event()

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out a request and return the reply, which is {"error": …} if the request failed."""
        self.home = Path(request.get("home", self.home))
        try:
            match request:
                case {"do": "adb"}:
                    return {"port": await self.adb_server(), "home": str(self.home)}
                case {"do": "start" | "replace" as what, "slot": int(slot), "command": [*command]}:
                    grace = float(request.get("grace", _GRACE_SECONDS))
                    limits = float(request.get("seconds", _START_SECONDS)), grace
                    warm = tuple(request.get("warm", ()))
                    return await self.phone(slot, command, warm, limits, replace=what == "replace")
                case {"do": "prestart", "slot": int(slot), "command": [*_]}:
                    task = asyncio.create_task(self.prestart(request))
                    self.starting.add(task)
                    task.add_done_callback(self.starting.discard)
                    return {"slot": slot}
                case {"do": "ended", "slot": int(slot)}:
                    return {"ended": await self.ended(slot)}
                case _:
                    return {"error": f"not a request: {request}"}
        except (OSError, RuntimeError) as error:
            return {"error": str(error)}

    async def adb_server(self) -> int:
        """Return the port of the run's adb server, which is started if it is gone or hangs."""
        async with self.adb_guard:
            for _ in range(5):
                if self.adb is not None and self.adb.returncode is None:
                    if await _answers(self.adb_port):
                        return self.adb_port
                    with contextlib.suppress(ProcessLookupError):
                        self.adb.kill()
                    await self.adb.wait()
                await self._start_adb_server()
            raise RuntimeError(f"the adb server does not start; its log is {self.folder}/adb.log")

    async def phone(
        self,
        slot: int,
        command: list[str],
        warm: tuple[str, ...],
        limits: tuple[float, float],
        *,
        replace: bool,
    ) -> dict[str, Any]:
        """Return what a slot's phone printed when it was ready; it is started if it is not running.

        `limits` are the seconds that it has to start and to end.
        """
        port = str(await self.adb_server())
        async with self.phone_guards.setdefault(slot, asyncio.Lock()):
            phone = self.phones.get(slot)
            if phone is None or phone.process.returncode is not None or replace:
                # This comes first, because the warm program reports the end of phones it forked.
                forks = await self._keep_warm(warm, limits) if warm else None
                if phone is not None:
                    del self.phones[slot]
                    await phone.end()
                words = [word.replace("{adb}", port) for word in command]
                phone = await self._start(slot, words, forks, limits)
            fresh, phone.fresh = phone.fresh, False
            return phone.record | {"fresh": fresh}

    async def _start(
        self, slot: int, command: list[str], forks: Path | None, limits: tuple[float, float]
    ) -> Program:
        """Start a program, or fork it from the warm program that listens at the path `forks`."""
        log = self.folder / f"phone-{slot}.log"
        log_start = log.stat().st_size if log.exists() else 0
        if forks is not None:
            process: Process = await fork(forks, command, self._environment(), log)
        else:
            process = await self._spawn(command, log)
        phone = self.phones[slot] = Program(process, limits[1], log, log_start)
        phone.record = await phone.first_line(limits[0])
        return phone

    async def _keep_warm(self, command: tuple[str, ...], limits: tuple[float, float]) -> Path:
        """Return the socket of a warm program, which is started if it is gone or hangs."""
        path = self.folder / f"warm-{zlib.crc32(repr((self.home, command)).encode()):08x}"
        async with self.warm_guard:
            program = self.warm.get(path)
            if program is not None and program.process.returncode is None:
                program.wake()  # resumed rather than killed, because its phones would die with it
                if not await answers(path):
                    program.process.kill()
                    await program.process.wait()
            if program is None or program.process.returncode is not None:
                words = [word.replace("{socket}", str(path)) for word in command]
                log = path.with_suffix(".log")
                log_start = log.stat().st_size if log.exists() else 0
                process = await self._spawn(words, log)
                program = self.warm[path] = Program(process, limits[1], log, log_start)
                await program.first_line(limits[0])
        return path

    async def prestart(self, request: dict[str, Any]) -> None:
        """Start the phone of a slot before it is requested; only a few start at the same time.

        Errors are ignored: the phone is started again when it is requested.
        """
        async with self.ahead:
            if request["slot"] not in self.phones and not self.stopping:
                await self.answer(request | {"do": "start"})
                if (phone := self.phones.get(request["slot"])) is not None:
                    phone.fresh = True

    async def ended(self, slot: int) -> str:
        """Return why the phone of a slot ended by itself; empty if it runs or there is no phone."""
        phone = self.phones.get(slot)
        if phone is None:
            return ""
        with contextlib.suppress(TimeoutError):  # its connections may close before it has ended
            await asyncio.wait_for(phone.process.wait(), _ENDING_SECONDS)
        if phone.process.returncode is None:
            return ""
        return f"ended with status {phone.process.returncode}: {phone.last_output()}"

    async def stop(self) -> None:
        """End everything that was started, and remove the folder."""
        self.stopping = True
        if self.mark:
            await asyncio.to_thread(end_marked, self.mark)
        for task in self.starting:
            task.cancel()
        await asyncio.gather(*self.starting, return_exceptions=True)
        for program in self.warm.values():
            program.wake()
        await asyncio.gather(*(phone.end() for phone in self.phones.values()))
        await asyncio.gather(*(program.end() for program in self.warm.values()))
        if self.adb is not None:  # last, because emulators report their end to it
            await end(self.adb, _GRACE_SECONDS)
        remove(self.folder)
        self.stopped.set()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the one request of a connection."""
        with contextlib.suppress(OSError, ValueError):
            request = json.loads(await reader.readline() or b"{}")
            if request == {"do": "stop"}:
                await self.stop()
            else:
                writer.write(json.dumps(await self.answer(request)).encode() + b"\n")
                await writer.drain()
        writer.close()

    async def _start_adb_server(self) -> None:
        import adbutils  # it takes 50 ms to import

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.adb_port = free.getsockname()[1]
        # The process is not called adb, because programs that drive phones may run `pkill adb`.
        link = self.folder / "phones-server"
        with contextlib.suppress(FileExistsError):
            link.symlink_to(adbutils.adb_path())
        command = [str(link), "-P", str(self.adb_port), "nodaemon", "server"]
        self.adb = await self._spawn(command, self.folder / "adb.log")
        while self.adb.returncode is None:  # it ends if another program took the port first
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.adb_port)
                writer.close()
                return
            await asyncio.sleep(0.01)

    async def _spawn(self, command: list[str], log: Path) -> Process:
        """Start a program that dies with this process."""
        with log.open("ab") as output:
            return await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=self._environment(),
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    def _environment(self) -> dict[str, str]:
        """Return the environment of started programs, whose files go to the run's folder."""
        own = {"HOME": self.home, "TMPDIR": self.folder}
        own["ANDROID_ADB_LOG_PATH"] = self.folder / "adb.log"
        environment = os.environ | ISOLATED_ADB | {name: str(path) for name, path in own.items()}
        if self.home == self.folder / HOME:
            environment.pop("ADB_VENDOR_KEYS", None)  # the run's phones only accept its own key
        return environment


def remove(folder: Path) -> None:
    """Remove the folder of a run, although workers that are still ending may open locks in it.

    The folder is renamed first so that they no longer find it. A file that a worker was just
    creating may still appear, so removal is repeated.
    """
    if (memory := folder / MEMORY).is_symlink():
        shutil.rmtree(memory.readlink(), ignore_errors=True)
    gone = folder.with_name(f"{folder.name}-gone")
    with contextlib.suppress(OSError):
        folder = folder.rename(gone)
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


async def _answers(adb_port: int) -> bool:
    """Return whether an adb server reports its version; one that hangs only accepts connections."""
    try:
        async with asyncio.timeout(_ADB_SECONDS):
            reader, writer = await asyncio.open_connection("127.0.0.1", adb_port)
            with contextlib.closing(writer):
                writer.write(b"000chost:version")
                return await reader.readexactly(4) == b"OKAY"
    except (OSError, EOFError):
        return False


async def serve(supervisor_socket: socket.socket, folder: Path) -> None:
    """Answer requests until asked to stop, or until the owner of the folder is gone."""
    supervisor = Supervisor(folder)
    loop = asyncio.get_running_loop()
    lock = (folder / OWNER_LOCK).open("rb")
    threading.Thread(target=_watch_owner, args=(loop, supervisor, lock), daemon=True).start()
    async with await asyncio.start_unix_server(supervisor.converse, sock=supervisor_socket):
        await supervisor.stopped.wait()


def _watch_owner(loop: asyncio.AbstractEventLoop, supervisor: Supervisor, lock: IO[bytes]) -> None:
    # The lock is on the file that was opened at the start, even if the folder has been removed.
    fcntl.flock(lock, fcntl.LOCK_EX)
    asyncio.run_coroutine_threadsafe(supervisor.stop(), loop).result()


def main(folder: Path) -> None:
    """Listen, and serve in a child process."""
    supervisor_socket = socket.socket(socket.AF_UNIX)
    supervisor_socket.bind(str(folder / SOCKET))
    supervisor_socket.listen()
    if os.fork() == 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the owner, which stops this
        asyncio.new_event_loop().run_until_complete(serve(supervisor_socket, folder))
        os._exit(0)  # at once; `asyncio.run` would wait for a phone that is just starting


if __name__ == "__main__":
    main(Path(sys.argv[1]))
