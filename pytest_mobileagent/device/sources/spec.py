"""Which devices a run uses, as `--mobile-device` names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

Kind = Literal["virtual", "avd", "serial", "appium"]
HELP = (
    "has to be `virtual`; `avd:NAME` for emulators that the run starts; "
    "`serial:SERIAL[,SERIAL]` for devices that `adb devices` lists, of another adb server "
    "`HOST:PORT/SERIAL`; or `appium:URL` for an Appium server"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A device that is there already: its serial, and the adb server that knows it.

    Without a host that is this machine's server.
    """

    serial: str
    host: str | None = None
    port: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """The devices of a run; `name` is that of an AVD, or the URL of an Appium server."""

    kind: Kind
    name: str = ""
    places: tuple[Place, ...] = ()

    @property
    def limit(self) -> int | None:
        """How many there are; None where the run makes as many as it needs."""
        return len(self.places) or None


def parse_device(text: str) -> DeviceSpec:
    """Read a value of `--mobile-device`.

    Raises:
        ValueError: it is none.
    """
    kind, _, rest = (part.strip() for part in text.partition(":"))
    if kind == "virtual" and not rest:
        return DeviceSpec("virtual")
    if kind == "avd" and re.fullmatch(r"[\w.-]+", rest):
        return DeviceSpec("avd", rest)
    if kind == "serial" and rest:
        places = tuple(_place(word.strip()) for word in rest.split(",") if word.strip())
        if len(set(places)) < len(places):
            msg = "names a device twice: a device is used by one worker at a time"
            raise ValueError(msg)
        if places:
            return DeviceSpec("serial", places=places)
    if kind == "appium" and _is_url(rest):
        return DeviceSpec("appium", rest.rstrip("/"))
    raise ValueError(HELP)


def _place(word: str) -> Place:
    server, slash, serial = word.rpartition("/")
    if not slash:
        return Place(word)
    # An address of IPv6 stands in brackets: [::1]:5037/emulator-5554.
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:]+)\]|([\w.-]+)):(\d{1,5})", server)
    if match is None or not serial or not 0 < int(match[3]) < 1 << 16:
        msg = f"{word!r} is no HOST:PORT/SERIAL, such as farm.example:5037/emulator-5554"
        raise ValueError(msg)
    return Place(serial, match[1] or match[2], int(match[3]))


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
