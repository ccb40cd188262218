"""A real adb server for the tests, and phones in this process that it sees as emulators."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import adbutils
import pytest

from pytest_mobileagent.virtual.main import boot
from pytest_mobileagent.virtual.wire.server import Server, claim

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator

    from pytest_mobileagent.virtual.phone import Phone

T = TypeVar("T")
PATIENCE = 10
SIZE = 2 * 2**30  # bytes of storage
WHEEL = str(Path(adbutils.__file__).with_name("binaries") / "adb")


@dataclass(frozen=True)
class Adb:
    """An adb program that talks to one adb server and, with a serial, about one device."""

    program: str
    port: int
    home: Path
    serial: str = ""

    def on(self, serial: str) -> Adb:
        return replace(self, serial=serial)

    def command(self, *words: str) -> list[str]:
        device = ["-s", self.serial] if self.serial else []
        return [self.program, "-P", str(self.port), *device, *words]

    def run(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self.command(*words),
            input=stdin,
            capture_output=True,
            check=False,
            env=self.env,
            timeout=PATIENCE,
        )

    def text(self, *words: str, stdin: bytes = b"") -> str:
        """What a person sees: both outputs, without the last newline."""
        done = self.run(*words, stdin=stdin)
        return (done.stdout + done.stderr).decode().replace("\r\n", "\n").rstrip("\n")

    def text_after_restart(self, *words: str) -> str:
        """What a person sees once the device, or its adbd, is back.

        The server may not have noticed yet that the old connection ends; a command on it is closed,
        or finds the device offline.
        """
        said = "error: closed"
        deadline = time.monotonic() + PATIENCE
        while said.startswith(("error: closed", "error: device ")) and time.monotonic() < deadline:
            said = self.text("wait-for-device", *words)
        return said

    @property
    def env(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "ANDROID_ADB_LOG_PATH": str(self.home / "adb.log"),
            "ADB_REJECT_KILL_SERVER": "1",
        } | dict.fromkeys(
            ("ADB_MDNS", "ADB_MDNS_OPENSCREEN", "ADB_USB", "ADB_LIBUSB", "ADB_EMU"), "0"
        )


def free_port() -> int:
    """A port below those that the system assigns to programs."""
    for port in random.sample(range(10_000, 20_000), 200):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    pytest.fail("no port is free")


@contextmanager
def adb_server(program: str, home: Path, port: int | None = None) -> Iterator[Adb]:
    """Run an adb server that does not search for devices, until it has stopped listening."""
    adb = Adb(program, port or free_port(), home)
    command = adb.command("nodaemon", "server")
    with subprocess.Popen(command, env=adb.env, stderr=subprocess.DEVNULL) as process:
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", adb.port)).close()
                    break
                except ConnectionRefusedError:
                    assert process.poll() is None, "the adb server has ended"
            yield adb
        finally:
            if process.poll() is not None:  # it has ended by itself, and `running` started another
                adb.run("kill-server")
            process.kill()


class Loop:
    """An event loop in a separate thread, where phones run while tests wait for adb."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def call(self, function: Callable[[], T]) -> T:
        async def called() -> T:
            return function()

        return self.run(called())

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@dataclass(frozen=True)
class Running:
    """A phone that is registered with an adb server."""

    phone: Phone
    server: Server
    adb: Adb
    loop: Loop

    async def all_commands_end(self) -> None:
        """Wait until no services of adbd are running."""
        tasks = self.server._tasks._running
        while services := [task for task in tasks if "_serve_stream" in repr(task.get_coro())]:
            await asyncio.wait(services)

    def reset(self) -> None:
        """Undo what is not part of a snapshot, and return to the one of the boot."""
        phone = self.phone
        phone.faults.clear()
        phone.files.size = SIZE
        for name in [each for each in phone.sockets if each.startswith("tcp:")]:
            del phone.sockets[name]
        for name in set(phone.snapshots) - {"default_boot"}:
            phone.snapshots.delete(name)
        phone.snapshots.load("default_boot")

    @property
    def device(self) -> adbutils.AdbDevice:
        return adbutils.AdbClient(port=self.adb.port).device(self.server.serial)


@contextmanager
def running(
    loop: Loop,
    adb: Adb,
    folder: Path | None = None,
    apps: Iterable[Path] = (),
    **manners: Any,
) -> Iterator[Running]:
    """Run a phone within the context."""
    phone = loop.call(lambda: boot(apps))
    if folder:
        phone.snapshots.keep_in(folder)
    server = Server(phone, claim(0), adb.port, home=adb.home, **manners)
    loop.run(server.__aenter__())
    try:
        if not loop.run(server.registration.attempt(PATIENCE)):
            # In long runs, a worker's server was gone, or had ceased to accept phones.
            adb.run("kill-server")
            adb.run("start-server")
            adb.on(server.serial).run("wait-for-device")  # raises an error if it does not come
        yield Running(phone, server, adb.on(server.serial), loop)
    finally:
        loop.run(server.__aexit__())


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder for the tests, which contains the console's token and adb's keys."""
    return tmp_path_factory.mktemp("home")


BOTH_ADBS = pytest.mark.parametrize("program", ["wheel", "distribution"], indirect=True)


@pytest.fixture(scope="session")
def program(request: pytest.FixtureRequest) -> str:
    """The adb that comes with adbutils; with `BOTH_ADBS`, also the system's, often years older."""
    if getattr(request, "param", "wheel") == "wheel":
        return WHEEL
    return shutil.which("adb") or pytest.skip("this system has no adb of its own")


@pytest.fixture(scope="session")
def server(program: str, home: Path) -> Iterator[Adb]:
    with adb_server(program, home) as adb:
        yield adb


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


StartServer = Callable[..., AbstractContextManager[Adb]]
StartPhone = Callable[..., AbstractContextManager[Running]]


@pytest.fixture
def start_server(program: str, home: Path) -> StartServer:
    """Start another adb server: `with start_server() as adb`."""
    return partial(adb_server, program, home)


@pytest.fixture
def start_phone(loop: Loop) -> StartPhone:
    """Start a phone for an adb server: `with start_phone(adb) as running`."""
    return partial(running, loop)


@pytest.fixture
def own_phone(start_phone: StartPhone, server: Adb) -> Iterator[Running]:
    """A phone that a test may end, restart or disconnect."""
    with start_phone(server) as phone:
        yield phone


@pytest.fixture(scope="session")
def lasting_phone(loop: Loop, server: Adb) -> Iterator[Running]:
    with running(loop, server) as phone:
        yield phone


@pytest.fixture
def running_phone(lasting_phone: Running) -> Iterator[Running]:
    """A phone that all tests of an adb server share, as it was when it had booted."""
    yield lasting_phone
    lasting_phone.device.forward_remove_all()
    lasting_phone.device.reverse_remove_all()
    lasting_phone.loop.call(lasting_phone.reset)


@pytest.fixture
def adb(running_phone: Running) -> Adb:
    return running_phone.adb
