"""Tests of an emulator's console: finding it, authenticating, and using snapshots."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.console import (
    Console,
    NoSnapshotError,
    ReadOnlyError,
    console_of,
    console_port,
)
from pytest_mobileagent.device.drivers.adb.shell import ScriptOutput
from pytest_mobileagent.errors import DeviceError
from tests.device.drivers.adb.stub_phone import serving

if TYPE_CHECKING:
    import socketserver
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "Zm9vYmFyYmF6cXV4"
SNAPSHOTS = """List of snapshots present on all disks:
ID        TAG                 VM SIZE                DATE       VM CLOCK
--        default_boot            75M 2026-09-09 11:41:45   00:10:07.753
--        ready_for_tasks        112M 2026-09-09 12:00:00   00:12:00.000
12        old-one                 75M 2025-01-01 00:00:00   01:00:00.000"""
GREETING = """Android Console: Authentication required
Android Console: type 'auth <auth_token>' to authenticate
Android Console: you can find your <auth_token> in
'/home/u/.emulator_console_auth_token'"""
WELCOME = "Android Console: type 'help' for a list of commands"


@dataclass
class Emulator:
    """An emulator's console, with the commands that the tests use."""

    token: str = TOKEN
    replies: dict[str, str] = field(default_factory=lambda: {"avd snapshot list": SNAPSHOTS})
    heard: list[str] = field(default_factory=list)
    connections: int = 0
    port: int = 0

    def handle(self, stream: socketserver.StreamRequestHandler) -> None:
        self.connections += 1
        trusted = not self.token

        def say(text: str) -> None:
            end = "" if text.startswith("KO") else "\nOK"
            stream.wfile.write(f"{text}{end}\n".lstrip("\n").replace("\n", "\r\n").encode())

        say(WELCOME if trusted else GREETING)
        for line in stream.rfile:
            command = line.decode().rstrip("\r\n")
            if command.startswith("auth "):
                trusted = command == f"auth {self.token}"
                say(WELCOME if trusted else "KO: authentication token does not match ~/.emul")
                continue
            self.heard.append(command if trusted else "?")
            if self.replies.get(command) == "hang up":
                stream.wfile.write(b"List of snap")
                return
            say(self.replies.get(command, "KO: unknown command, try 'help'"))


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    emulator = Emulator()
    with serving(emulator.handle) as emulator.port:
        yield emulator


@pytest.fixture
def address(emulator: Emulator, tmp_path: Path) -> Address:
    (tmp_path / ".emulator_console_auth_token").write_text(f"{TOKEN}\n")
    return Address(f"emulator-{emulator.port}", "127.0.0.1", 5037, str(tmp_path))


@pytest.fixture
def console(address: Address) -> Console:
    return Console(address)


@pytest.mark.parametrize("serial", ["emulator-", "emulator-5554x", "R58M123456", "10.0.0.1:5555"])
def test_serial_of_an_emulator_alone_contains_the_port_of_a_console(serial):
    assert console_port("emulator-5554") == 5554
    assert console_port(serial) is None
    with pytest.raises(DeviceError, match=f"{serial} is not an emulator: it has no console"):
        Console(Address(serial, "127.0.0.1", 5037, "/home/u"))


@pytest.mark.parametrize(
    "reply",
    ["There is no snapshot available.", "", "\n".join(SNAPSHOTS.splitlines()[:2])],
    ids=["a sentence", "nothing", "a header"],
)
def test_emulator_may_have_no_snapshots(console, emulator, reply):
    assert console.snapshots() == ["default_boot", "ready_for_tasks", "old-one"]
    emulator.replies["avd snapshot list"] = reply
    assert console.snapshots() == []


def test_snapshot_is_loaded(console, emulator):
    emulator.replies["avd snapshot load default_boot"] = ""
    console.load("default_boot")
    console.load("default_boot")
    assert emulator.heard == ["avd snapshot load default_boot"] * 2
    assert emulator.connections == 2


def test_console_without_token_needs_no_authentication(console, emulator, tmp_path):
    (tmp_path / ".emulator_console_auth_token").unlink()
    emulator.token = ""
    assert console.snapshots() == ["default_boot", "ready_for_tasks", "old-one"]


def test_a_refusal_of_the_console_is_reported(console, emulator):
    refusal = 'KO: Snapshot load is disabled because "-read-only" was specified'
    emulator.replies["avd snapshot load default_boot"] = refusal
    told = re.escape(f"the emulator's console answered {refusal!r}")
    with pytest.raises(ReadOnlyError, match=told):
        console.load("default_boot")


class Device:
    """A device of an AVD that can only be asked for the AVD's name."""

    def __init__(self, avd: str) -> None:
        self.avd = avd

    def run_all(self, scripts: list[str]) -> list[ScriptOutput]:
        return [ScriptOutput(self.avd.encode() + b"\n", 0), ScriptOutput(b"\n", 0)]


@pytest.mark.parametrize("avd", ["Pixel_6", ""], ids=["its name", "no name"])
def test_console_at_the_devices_port_is_used_unless_it_is_another_emulators(emulator, address, avd):
    emulator.replies["avd name"] = "Pixel 6"
    assert console_of(address, Device(avd)).snapshots()  # type: ignore[arg-type]
    # Through a tunnel, a remote emulator may have the serial of an emulator on this machine.
    emulator.replies["avd name"] = "mine"
    with pytest.raises(NoSnapshotError, match="is that of another emulator, mine"):
        console_of(address, Device("theirs"))  # type: ignore[arg-type]


def test_a_wrong_token_is_reported_and_nothing_is_done(console, emulator, tmp_path):
    (tmp_path / ".emulator_console_auth_token").write_text("wrong")
    with pytest.raises(DeviceError, match="authentication token does not match"):
        console.load("default_boot")
    assert emulator.heard == []


def test_a_token_that_does_not_exist_is_reported(console, tmp_path):
    (tmp_path / ".emulator_console_auth_token").unlink()
    with pytest.raises(DeviceError, match=r"console at 127\.0\.0\.1:\d+ failed: .*No such file"):
        console.snapshots()


def test_a_connection_may_stay_open_and_is_made_again_once_it_is_lost(emulator, address):
    emulator.replies |= {"avd name": "Pixel 6", "avd fork emulator-1": "hang up"}
    console = Console(address, stays=True)
    assert [console.name(), console.name()] == ["Pixel 6", "Pixel 6"]
    assert emulator.connections == 1
    with pytest.raises(DeviceError, match="unknown command"):
        console.save("x")
    with pytest.raises(DeviceError, match=r"the emulator's console at .* closed the connection"):
        console.fork("emulator-1")
    assert (console.name(), emulator.connections) == ("Pixel 6", 2)
    console.close()


def test_a_console_that_does_not_exist_is_reported(unused_port):
    console = Console(Address(f"emulator-{unused_port}", "127.0.0.1", 5037, "/home/u"))
    with pytest.raises(DeviceError, match=rf"console at 127\.0\.0\.1:{unused_port} failed"):
        console.snapshots()


def test_snapshot_name_cannot_inject_a_command(console, emulator):
    for name in ("a\nkill", "a;b", "a\r", "\x1b[A"):
        with pytest.raises(DeviceError, match="contains characters that are not allowed"):
            console.load(name)
    assert emulator.connections == 0
