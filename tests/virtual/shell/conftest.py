"""A phone reduced to what a shell needs, and shells on it."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, cast

import pytest

from pytest_mobileagent.virtual.faults import Faults
from pytest_mobileagent.virtual.kernel.clock import Clock
from pytest_mobileagent.virtual.kernel.files import FileSystem
from pytest_mobileagent.virtual.kernel.processes import Process
from pytest_mobileagent.virtual.shell.interpreter import Session, interactive, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected, Writer

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TMP = "/data/local/tmp"


class Processes:
    """The system's first process, and an app's."""

    def list(self) -> list[Process]:
        return [Process(1, 0, 0, "init", 10_952_000, 10_800), Process(2311, 1, 10100, "org.notes")]


@dataclass(eq=False)
class Device:
    """Files, a clock stopped at noon, properties and a few processes."""

    clock: Clock = field(default_factory=lambda: Clock(NOON, frozen=True))
    packages: dict[str, object] = field(default_factory=dict)
    props: dict[str, str] = field(default_factory=lambda: {"ro.product.device": "emu64xa"})

    def __post_init__(self) -> None:
        self.files = FileSystem(self.clock.time)
        self.faults = Faults(self.files)
        self.proc = Processes()

    def changed(self) -> None:
        """A real phone would redraw its screen."""


class Ended(NamedTuple):
    """The outcome of a script."""

    out: str
    err: str
    status: int


class Shells:
    """Runs scripts on a device, in the folder for temporary files."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def __call__(self, script: str, *, stdin: bytes = b"", uid: int = 2000) -> Ended:
        out, err, status = self.raw(script, stdin=stdin, uid=uid)
        return Ended(out.decode(errors="surrogateescape"), err.decode(), status)

    def raw(self, script: str, *, stdin: bytes = b"", uid: int = 2000) -> tuple[bytes, bytes, int]:
        out, err = Collected(), Collected()
        status = asyncio.run(run(self.session(stdin, uid, out, err), script))
        return out.data, err.data, status

    def typed(self, text: str, *, tty: bool = False) -> Ended:
        out, err = Collected(), Collected()
        session = self.session(text.encode(), 2000, out, err)
        session.tty = tty
        status = asyncio.run(interactive(session))
        return Ended(out.data.decode(), err.data.decode(), status)

    def session(
        self,
        stdin: bytes = b"",
        uid: int = 2000,
        out: Writer | None = None,
        err: Writer | None = None,
    ) -> Session:
        return Session(
            phone=cast("Phone", self.device),
            uid=uid,
            cwd=TMP,
            stdin=Bytes(stdin),
            stdout=out or Collected(),
            stderr=err or Collected(),
        )


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def sh(device: Device) -> Shells:
    return Shells(device)
