"""Attached devices, which an adb server on this or another machine already knows."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.sources import Slots, Source
from pytest_mobileagent.errors import DeviceError, HostError
from pytest_mobileagent.fileio import own_folder
from pytest_mobileagent.jsonable import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun

_PORT = "ANDROID_ADB_SERVER_PORT"  # adb's own
_LIST_SECONDS = 5.0  # an adb server lists devices from memory
_REMEDIES = {  # for the states that a device does not leave by itself
    "unauthorized": "accept the key on the phone's screen",
    "no permissions": "this user may not access it: see `adb devices` and Android's udev rules",
    "bootloader": "start Android on it: `adb reboot`, or its power key",
    "recovery": "start Android on it: `adb reboot`",
    "sideload": "start Android on it: `adb reboot`",
    "rescue": "start Android on it: `adb reboot`",
    "detached": "give it back to the adb server: `adb attach`",
}
_SPECIAL = re.compile(r"[,/\\]|^ ")  # characters that need a backslash


@dataclass(frozen=True, slots=True)
class AttachedDevice:
    """A device's serial, and the adb server that knows it; None for adb's default server."""

    serial: str
    host: str | None = None
    port: int | None = None

    def address(self) -> Address:
        """Return the address of the device.

        Raises:
            ValueError: if an environment variable sets an invalid port of the adb server.
        """
        host = self.host or os.environ.get("ANDROID_ADB_SERVER_ADDRESS") or "127.0.0.1"
        return Address(self.serial, host, self.port or _usual_port(), str(Path.home()))


class AttachedSource(Source):
    r"""Devices of adb servers, by their serials; each worker uses one at a time.

    Serials may contain any characters: a backslash precedes commas, slashes, backslashes, and
    spaces at the beginning (`serial:\ GS1012,usb\/3`).
    """

    form = "serial:[HOST:PORT/]SERIAL,…"
    how_to_install = "install it: adb -s SERIAL install FILE.apk"
    help = "attached devices that `adb devices` lists on this or another machine"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        words = (word.strip() for word in re.findall(r"(?:\\.|[^,])+", text, re.DOTALL))
        self.places = tuple(_place(word) for word in words if word)
        if not self.places:
            msg = f"names no device: write `{self.form}`, with serials that `adb devices` lists"
            raise ValueError(msg)
        if len(set(self.places)) < len(self.places):
            raise ValueError("names a device twice, but only one worker can use it at a time")

    @property
    def count(self) -> int:
        return len(self.places)

    def check(self, options: DeviceOptions) -> None:
        """Check that the adb servers list the devices, in a state in which they can be used."""
        from pytest_mobileagent.device.drivers.adb.shell import listed

        servers: dict[tuple[str, int], dict[str, str]] = {}
        for address in [place.address() for place in self.places]:
            server = (address.adb_host, address.adb_port)
            if server not in servers:
                try:
                    servers[server] = listed(*server, seconds=_LIST_SECONDS)
                except DeviceError as error:
                    start = "start it with `adb start-server`, or on another machine with"
                    raise ValueError(f"{error}; {start} `adb -a nodaemon server`") from None
            self._check_state(address, servers[server])

    def _check_state(self, address: Address, states: dict[str, str]) -> None:
        where = f"the adb server at {address.adb_host}:{address.adb_port}"
        it = "it" if len(self.places) == 1 else address.serial
        if (state := states.get(address.serial)) is None:
            names = ", ".join(_SPECIAL.sub(r"\\\g<0>", each) for each in states)
            raise ValueError(f"{where} does not list {it} (it lists: {names or 'none'})")
        for known, remedy in _REMEDIES.items():
            if state.startswith(known):
                raise ValueError(f"{where} lists {it} as {known}; {remedy}")

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> AttachedSlots:
        try:
            return AttachedSlots([place.address() for place in self.places])
        except ValueError as error:
            raise HostError(str(error)) from None


class AttachedSlots(Slots):
    """A slot for each of several attached devices."""

    renews = False

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._addresses = list(addresses)

    @property
    def locks(self) -> Sequence[str]:
        """The paths of locks that all runs of this user share, because they share the devices.

        Raises:
            HostError: if the folder of the locks cannot be created.
        """
        # One folder for each machine: home folders may be shared, but local devices are not.
        folder = own_folder("leases", platform.node() or "localhost")
        names = [f"{one.adb_host}-{one.adb_port}-{one.serial}" for one in self._addresses]
        return [str(folder / f"{re.sub('[/:]', '_', name)}.lock") for name in names]

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Return the address of the device; `fresh` is ignored."""
        return self._addresses[slot]


def _place(word: str) -> AttachedDevice:
    if not word.isprintable():
        msg = f"{word!r} is not a serial: it contains characters that serials do not have"
        raise ValueError(msg)
    *server, escaped = re.split(r"(?<!\\)/", word, maxsplit=1)
    serial = re.sub(r"\\(.)", r"\1", escaped)
    if not server:
        return AttachedDevice(serial)
    # IPv6 addresses are in brackets: [::1]:5037/emulator-5554.
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([\w.-]+)):([0-9]{1,5})", server[0])
    if match is None or not serial or not 0 < int(match[3]) < 1 << 16:
        msg = f"{word!r} is not HOST:PORT/SERIAL, as in farm.example:5037/emulator-5554"
        raise ValueError(rf"{msg} (in a serial, write / as \/)")
    return AttachedDevice(serial, match[1] or match[2], int(match[3]))


def _usual_port() -> int:
    text = os.environ.get(_PORT) or "5037"
    port = whole_number(text)
    if port is None or not 0 < port < 1 << 16:
        msg = f"the environment variable {_PORT}={text} must be the port of an adb server"
        raise ValueError(msg)
    return port
