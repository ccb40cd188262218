"""An emulator's console: where its snapshots are loaded."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.device.adb.shell import Address


def console_port(serial: str) -> int | None:
    """Return the port of an emulator's console, which its serial tells; None for other devices."""
    match = re.fullmatch(r"emulator-(\d+)", serial)
    return int(match[1]) if match else None


class Console:
    """Speaks to an emulator's console, one connection a command.

    Raises:
        DeviceError: there is no console, or it refuses the token.
    """

    def __init__(self, address: Address) -> None:
        port = console_port(address.serial)
        if port is None:
            msg = f"{address.serial} is no emulator: it has no console"
            raise DeviceError(msg)
        self._where = (address.adb_host, port)
        self._token = Path(address.home, ".emulator_console_auth_token")

    def snapshots(self) -> list[str]:
        """Return the names of the snapshots that can be loaded."""
        return snapshot_names(self._command("avd snapshot list"))

    def load(self, snapshot: str) -> None:
        """Load a snapshot. On a real emulator the device is not back yet when this returns."""
        self._command(f"avd snapshot load {snapshot}")

    def _command(self, command: str, timeout: float = 60.0) -> str:
        if not re.fullmatch(r"[\w .-]+", command):
            msg = f"{command!r} holds characters that the console cannot take"
            raise DeviceError(msg)
        try:
            with (
                socket.create_connection(self._where, timeout=timeout) as stream,
                stream.makefile("r", encoding="utf-8", errors="replace", newline="\n") as reader,
            ):
                greeting = _reply(reader)
                if "Authentication required" in greeting:
                    stream.sendall(f"auth {self._token.read_text().strip()}\n".encode())
                    _reply(reader)
                stream.sendall(f"{command}\n".encode())
                return _reply(reader)
        except OSError as error:
            msg = f"the emulator's console at {self._where[0]}:{self._where[1]} failed: {error}"
            raise DeviceError(msg) from error


def snapshot_names(listing: str) -> list[str]:
    """Return the names in what `avd snapshot list` prints."""
    rows = [line.split() for line in listing.splitlines() if re.match(r"(--|\d+)\s", line)]
    return [row[1] for row in rows if len(row) > 1]


def _reply(reader: Iterable[str]) -> str:
    """Return the lines up to OK."""
    lines: list[str] = []
    for line in reader:
        text = line.rstrip("\r\n")
        if text == "OK":
            return "\n".join(lines)
        if text.startswith("KO"):
            msg = f"the emulator's console says {text!r}"
            raise DeviceError(msg)
        lines.append(text)
    msg = "the emulator's console broke off"
    raise DeviceError(msg)
