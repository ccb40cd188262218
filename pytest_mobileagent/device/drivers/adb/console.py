"""An emulator's console, through which snapshots are listed, loaded and saved."""

from __future__ import annotations

import re
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.device.drivers.adb.shell import Shell


_THIS_MACHINE = {"127.0.0.1", "localhost", "::1"}
_CONNECT_SECONDS = 5.0  # a firewall may drop connection attempts silently


def console_port(serial: str) -> int | None:
    """Return the port of an emulator's console, from its serial; None for other devices."""
    match = re.fullmatch(r"emulator-(\d+)", serial)
    return int(match[1]) if match else None


class NoSnapshotError(Exception):
    """The device cannot load a snapshot; the message says why."""


class ReadOnlyError(DeviceError):
    """The emulator was started with -read-only, so its snapshots cannot be loaded or saved."""


class Console:
    """An emulator's console; each command opens a connection.

    With `stays`, the connection of the first command stays open until `close`. Every method raises
    DeviceError if the console does not answer, or refuses a command.

    Raises:
        DeviceError: if the device is not an emulator.
    """

    def __init__(self, address: Address, *, stays: bool = False) -> None:
        port = console_port(address.serial)
        if port is None:
            raise DeviceError(f"{address.serial} is not an emulator: it has no console")
        # Some emulators listen on only one of their machine's loopback addresses.
        host = "127.0.0.1" if address.adb_host in _THIS_MACHINE else address.adb_host
        self._where = (host, port)
        self._token = Path(address.home, ".emulator_console_auth_token")
        self._stays = stays
        self._kept: tuple[socket.socket, TextIO] | None = None
        self._open = ExitStack()

    def close(self) -> None:
        """Close the connection, if one is open."""
        self._kept = None
        self._open.close()

    def name(self) -> str:
        return self._command("avd name").strip()

    def snapshots(self) -> list[str]:
        return snapshot_names(self._command("avd snapshot list"))

    def load(self, snapshot: str) -> None:
        """Load a snapshot. On a real emulator, the device is not ready yet when this returns."""
        self._command(f"avd snapshot load {snapshot}")

    def save(self, snapshot: str) -> None:
        """Save the current state as a snapshot, which may take a minute."""
        self._command(f"avd snapshot save {snapshot}", 300.0)

    def fork(self, serial: str) -> None:
        """Bring another device of the same process to the state of this one.

        No emulator of Google's has this command, which is that of virtual phones.
        """
        self._command(f"avd fork {serial}")

    def delete(self, snapshot: str) -> None:
        self._command(f"avd snapshot delete {snapshot}")

    def loaded(self) -> str:
        """Return the name of the snapshot that was loaded last; empty if there was none."""
        return self._command("avd snapshot get").strip()

    def kill(self) -> None:
        """Tell the emulator to end, which may take a few more seconds."""
        self._command("kill", 5.0)

    def _command(self, command: str, timeout: float = 60.0) -> str:
        if not re.fullmatch(r"[\w .-]+", command):
            msg = f"the console command {command!r} contains characters that are not allowed"
            raise DeviceError(msg)
        try:
            with ExitStack() as ended:
                stream, reader = self._kept or self._connected(ended, timeout)
                if self._stays and self._kept is None:
                    self._kept, self._open = (stream, reader), ended.pop_all()
                stream.settimeout(timeout)
                stream.sendall(f"{command}\n".encode())
                return _reply(reader)
        except OSError as error:
            self.close()
            msg = f"the emulator's console at {self._where[0]}:{self._where[1]} failed: {error}"
            raise DeviceError(msg) from error

    def _connected(self, ended: ExitStack, timeout: float) -> tuple[socket.socket, TextIO]:
        """Return a connection on which commands are allowed; it is closed when `ended` is."""
        stream = socket.create_connection(self._where, timeout=_CONNECT_SECONDS)
        ended.enter_context(stream).settimeout(timeout)
        reader = stream.makefile("r", encoding="utf-8", errors="replace", newline="\n")
        ended.enter_context(reader)
        if "Authentication required" in _reply(reader):
            stream.sendall(f"auth {self._token.read_text().strip()}\n".encode())
            _reply(reader)
        return stream, reader


def snapshot_names(listing: str) -> list[str]:
    """Return the names of the snapshots in the output of `avd snapshot list`."""
    rows = [line.split() for line in listing.splitlines() if re.match(r"(--|\d+)\s", line)]
    return [row[1] for row in rows if len(row) > 1]


def console_of(address: Address, shell: Shell) -> Console:
    """Return the console of the device at an address, on which `shell` runs.

    Consoles only listen on the emulator's own machine. If the emulator runs on another machine, the
    same port of this machine may belong to a different emulator, so the AVD names are compared.

    Raises:
        DeviceError: if the console of an emulator on this machine does not answer.
        NoSnapshotError: if the device has no console that can be reached.
    """
    if console_port(address.serial) is None:
        raise NoSnapshotError("no snapshots")
    console = Console(address)
    try:
        name = console.name()
    except DeviceError as error:
        if address.adb_host in _THIS_MACHINE:
            raise
        msg = "no snapshots, as the console of an emulator on another machine is out of reach"
        raise NoSnapshotError(msg) from error
    properties = ["getprop ro.boot.qemu.avd_name", "getprop ro.kernel.qemu.avd_name"]
    own = [output.text.strip() for output in shell.run_all(properties)]
    if any(own) and name.replace(" ", "_") not in own:
        msg = f"no snapshots, as the console at its port is that of another emulator, {name}"
        raise NoSnapshotError(msg)
    return console


def _reply(reader: Iterable[str]) -> str:
    """Return the lines before the console's "OK"."""
    lines: list[str] = []
    for line in reader:
        text = line.rstrip("\r\n")
        if text == "OK" or text.startswith("OK: "):
            return "\n".join(lines)
        if "-read-only" in text and text.startswith("KO"):
            raise ReadOnlyError(f"the emulator's console answered {text!r}")
        if text.startswith("KO"):
            raise DeviceError(f"the emulator's console answered {text!r}")
        lines.append(text)
    raise ConnectionError("it closed the connection")
