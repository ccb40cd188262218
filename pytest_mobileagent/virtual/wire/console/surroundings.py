"""The console's commands for what is around the phone: position, sensors, hands and network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.hardware import Fix
from pytest_mobileagent.virtual.wire.console.console import Command, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.virtual.phone import Phone

SPEEDS = {  # kilobits per second: up and down
    "gsm": (14.4, 14.4),
    "hscsd": (14.4, 57.6),
    "gprs": (28.8, 57.6),
    "edge": (473.6, 473.6),
    "umts": (384.0, 384.0),
    "hsdpa": (5760.0, 13980.0),
    "lte": (58000.0, 173000.0),
    "evdo": (75000.0, 280000.0),
    "full": (0.0, 0.0),
}
DELAYS = {
    "gprs": (150, 550),
    "edge": (80, 400),
    "umts": (35, 200),
    "none": (0, 0),
}
LEAST_SATELLITES, MOST_SATELLITES = 1, 12


def surroundings(phone: Phone) -> tuple[Command, ...]:
    """Give the groups geo, sensor, network, finger and redir, and the command rotate."""
    senses = _SensorCommands(phone)
    network = _NetworkCommands(phone)
    return (
        Command("geo", "Geo-location commands", parts=(
            Command("fix", "send a simple GPS fix", lambda text: _fix(phone, text)),
        )),
        Command("network", "manage network settings", parts=(
            Command("status", "dump network status", network.status),
            Command("speed", "change network speed", network.speed),
            Command("delay", "change network latency", network.delay),
        )),
        Command("rotate", "rotate the screen clockwise by 90 degrees",
                lambda _: phone.hardware.rotate()),
        Command("sensor", "manage emulator sensors", parts=(
            Command("status", "list all sensors and their status.", senses.status),
            Command("get", "get sensor values", senses.get),
            Command("set", "set sensor values", senses.set),
        )),
        Command("finger", "manage emulator finger print", parts=(
            Command("touch", "touch finger print sensor with <fingerid>", _touch),
            Command("remove", "remove finger from the fingerprint sensor", lambda _: None),
        )),
        Command("redir", "manage port redirections", parts=(
            Command("list", "list current redirections", lambda _: "no active redirections\n"),
        )),
    )  # fmt: skip


def _fix(phone: Phone, text: str) -> None:
    words = text.split()
    if len(words) < 2:
        raise Refusal("not enough arguments: see 'help geo fix' for details")
    numbers: list[float] = []
    for word in words[:5]:
        try:
            numbers.append(float(word))
        except ValueError:
            raise Refusal(f"argument '{word}' is not a number") from None
    longitude, latitude, *rest = numbers
    if not -180 <= longitude <= 180:
        raise Refusal("invalid longitude value. Should be in [-180,+180] range")
    if not -90 <= latitude <= 90:
        raise Refusal("invalid latitude value. Should be in [-90,+90] range")
    altitude, satellites, velocity = [*rest, *(0.0, 1.0, 0.0)[len(rest) :]]
    whole = satellites == int(satellites)
    if not whole or not LEAST_SATELLITES <= satellites <= MOST_SATELLITES:
        raise Refusal("invalid number of satellites. Must be an integer between 1 and 12")
    now = phone.clock.uptime()
    phone.hardware.locate(Fix(longitude, latitude, altitude, int(satellites), velocity, now))


def _touch(text: str) -> None:
    """Put a finger on the sensor; no finger is enrolled, so nothing comes of it."""
    if not text:
        raise Refusal("missing fingerid")
    if not text.isdecimal() or int(text) == 0:
        raise Refusal("invalid fingerid")


class _NetworkCommands:
    def __init__(self, phone: Phone) -> None:
        self._hardware = phone.hardware

    def status(self, _: str) -> str:
        (down, up), (least, most) = self._hardware.speed, self._hardware.delay
        return (
            "Current network status:\n"
            f"  download speed:   {down:8} bits/s ({down / 8192:.1f} KB/s)\n"
            f"  upload speed:     {up:8} bits/s ({up / 8192:.1f} KB/s)\n"
            f"  minimum latency:  {least} ms\n  maximum latency:  {most} ms\n"
        )

    def speed(self, text: str) -> None:
        up, down = _pair(text, SPEEDS, "speed")
        self._hardware.speed = (int(down * 1000), int(up * 1000))

    def delay(self, text: str) -> None:
        least, most = _pair(text, DELAYS, "delay")
        self._hardware.delay = (int(least), int(most))


def _pair(text: str, names: Mapping[str, tuple[float, float]], what: str) -> tuple[float, float]:
    """Read a name, a number, or two of them with a colon between."""
    if not text:
        raise Refusal(f"missing <{what}> argument, see 'help network {what}'")
    if text in names:
        return names[text]
    if not re.fullmatch(r"\d+(\.\d+)?(:\d+(\.\d+)?)?", text):
        raise Refusal(f"invalid <{what}> argument, see 'help network {what}' for valid values")
    one, _, other = text.partition(":")
    return float(one), float(other or one)


class _SensorCommands:
    def __init__(self, phone: Phone) -> None:
        self._hardware = phone.hardware

    def status(self, _: str) -> str:
        return "".join(f"{name}: enabled.\n" for name in self._hardware.sensors)

    def get(self, text: str) -> str:
        if not text:
            raise Refusal('Usage: "get <sensorname>"')
        name = text.split(maxsplit=1)[0]
        return f"{name} = {':'.join(f'{value:g}' for value in self._values(name))}\n"

    def set(self, text: str) -> None:
        words = text.split()
        if len(words) < 2:
            raise Refusal('Usage: "set <sensorname> <value-a>[:<value-b>[:<value-c>]]"')
        self._values(words[0])
        try:
            values = [float(part) for part in words[1].split(":")]
        except ValueError:
            raise Refusal('Usage: "set <sensorname> <value-a>[:<value-b>[:<value-c>]]"') from None
        self._hardware.sense(words[0], values[: len(self._values(words[0]))])

    def _values(self, name: str) -> list[float]:
        if name not in self._hardware.sensors:
            raise Refusal(
                f"unknown sensor name: {name}, run 'sensor status' to get available sensors."
            )
        return self._hardware.sensors[name]
