"""Fixtures for a phone whose use by programs is recorded."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.program.adb import RecordedAdb
from pytest_mobileagent.program.track import LoopThread, RawLog

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.program.commands import Command
    from pytest_mobileagent.screen.sight import Sight

    Start = Callable[..., "Recording"]

PATIENCE = 20.0  # the maximum wait in seconds for things that take milliseconds


@dataclass
class Watched:
    """A command that the watcher was asked to allow, and how it ended."""

    command: Command
    refused: str = ""
    error: str | None = None  # None until the command has ended
    ended: threading.Event = field(default_factory=threading.Event)

    def done(self, error: str = "") -> None:
        assert self.error is None, "it has ended twice"
        self.error = error
        self.ended.set()


class Watching:
    """A watcher that allows all commands except those that contain a text in `refuse`."""

    def __init__(self) -> None:
        self.asked: list[Watched] = []
        self.refuse: tuple[str, ...] = ()
        self.hold = threading.Event()  # while it is clear, commands wait
        self.hold.set()

    async def command(self, command: Command) -> Watched:
        while not self.hold.is_set():
            await asyncio.sleep(0.001)
        refused = next((f"no {word}" for word in self.refuse if word in command.text), "")
        self.asked.append(Watched(command, refused))
        return self.asked[-1]

    async def call_begins(self) -> str:
        raise NotImplementedError

    def call_ended(self, words: str) -> None:
        raise NotImplementedError

    async def step(self, phase: str) -> str:
        raise NotImplementedError

    def of(self, text: str) -> list[Watched]:
        """Return the commands that contain a text."""
        return [each for each in self.asked if text in each.command.text]


@dataclass
class Recording:
    """A recorded phone that runs in its own thread, and its watcher."""

    recorded: RecordedAdb
    watching: Watching
    log: Path
    loop: LoopThread

    def call(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run(asyncio.wait_for(coroutine, PATIENCE))

    @property
    def environment(self) -> dict[str, str]:
        usual = {name: os.environ[name] for name in os.environ if not name.startswith("ANDROID_")}
        return usual | self.recorded.environment

    @property
    def server_pid(self) -> int:
        """The process of the program's own adb server."""
        return self.recorded._server.pid

    @property
    def open_streams(self) -> int:
        """The number of open streams in the program's own adb server."""
        streams = [each._streams.values() for each in self.recorded._adbd._connections]
        return sum(not stream.closed for each in streams for stream in list(each))

    def popen(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a program that can use the phone."""
        return subprocess.Popen(command, env=self.environment, **options)

    def run(self, *command: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a program that can use the phone."""
        given = {"env": self.environment, "timeout": PATIENCE, "capture_output": True, **options}
        return subprocess.run(command, check=False, **given)

    def adb(self, *words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        """Run the `adb` that the program finds on its PATH."""
        return self.run("adb", *words, **options)

    def out(self, *words: str, **options: Any) -> str:
        """Return the output of an adb command, which must succeed."""
        done = self.adb(*words, **options)
        assert done.returncode == 0, done
        return str(done.stdout.decode())

    def lines(self) -> list[dict[str, Any]]:
        """Return the raw log so far."""
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]


@pytest.fixture(scope="session")
def loop() -> Iterator[LoopThread]:
    """An event loop running in a thread."""
    with LoopThread() as loop:
        yield loop


@pytest.fixture(scope="session")
def start(loop: LoopThread) -> Start:
    """Starts recording a phone; the caller must close the recording."""

    def start(address: Address, folder: Path, sees: Sight = "both") -> Recording:
        folder.mkdir(exist_ok=True)
        watching, log = Watching(), folder / "adb.jsonl"
        recorded = RecordedAdb(address, watching, RawLog(log), folder / "own", sees=sees)
        recording = Recording(recorded, watching, log, loop)
        recording.call(recorded.start())
        return recording

    return start


@pytest.fixture(scope="session")
def shared(
    phone: Address, start: Start, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Recording]:
    """A recording shared by all tests of this process."""
    recording = start(phone, tmp_path_factory.mktemp("recording"))
    yield recording
    recording.call(recording.recorded.close())


@pytest.fixture
def recording(shared: Recording) -> Iterator[Recording]:
    """The shared recording with a fresh watcher."""
    shared.watching.asked.clear()
    shared.log.unlink(missing_ok=True)
    yield shared
    shared.watching.refuse = ()
    shared.watching.hold.set()
    for each in shared.watching.asked:
        is_refused = each.refused or each.command.refused
        assert is_refused or each.ended.wait(PATIENCE), f"{each.command.text} never ended"


@pytest.fixture
def own(phone: Address, start: Start, tmp_path: Path) -> Iterator[Recording]:
    """A recording that only this test uses."""
    recording = start(phone, tmp_path)
    yield recording
    with contextlib.suppress(OSError):
        recording.call(recording.recorded.close())
