"""geo, network, rotate, sensor, finger, redir: what is around the phone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.hardware import Fix
from pytest_mobileagent.virtual.wire.console.registry import Emulator, Refusal, command, group

if TYPE_CHECKING:
    from collections.abc import Mapping

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

group("geo", "Geo-location commands")
group("network", "manage network settings")
group("sensor", "manage emulator sensors")
group("finger", "manage emulator finger print")
group("redir", "manage port redirections")


@command("geo fix", "send a simple GPS fix")
def _fix(emulator: Emulator, text: str) -> None:
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
    now = emulator.phone.clock.uptime()
    emulator.phone.hardware.locate(
        Fix(longitude, latitude, altitude, int(satellites), velocity, now)
    )


@command("network status", "dump network status")
def _network_status(emulator: Emulator, _: str) -> str:
    (down, up), (least, most) = emulator.phone.hardware.speed, emulator.phone.hardware.delay
    return (
        "Current network status:\n"
        f"  download speed:   {down:8} bits/s ({down / 8192:.1f} KB/s)\n"
        f"  upload speed:     {up:8} bits/s ({up / 8192:.1f} KB/s)\n"
        f"  minimum latency:  {least} ms\n  maximum latency:  {most} ms\n"
    )


@command("network speed", "change network speed")
def _speed(emulator: Emulator, text: str) -> None:
    up, down = _pair(text, SPEEDS, "speed")
    emulator.phone.hardware.speed = (int(down * 1000), int(up * 1000))


@command("network delay", "change network latency")
def _delay(emulator: Emulator, text: str) -> None:
    least, most = _pair(text, DELAYS, "delay")
    emulator.phone.hardware.delay = (int(least), int(most))


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


@command("rotate", "rotate the screen clockwise by 90 degrees")
def _rotate(emulator: Emulator, _: str) -> None:
    emulator.phone.hardware.rotate()


@command("sensor status", "list all sensors and their status.")
def _sensor_status(emulator: Emulator, _: str) -> str:
    return "".join(f"{name}: enabled.\n" for name in emulator.phone.hardware.sensors)


@command("sensor get", "get sensor values")
def _get(emulator: Emulator, text: str) -> str:
    if not text:
        raise Refusal('Usage: "get <sensorname>"')
    name = text.split(maxsplit=1)[0]
    return f"{name} = {':'.join(f'{value:g}' for value in _values(emulator, name))}\n"


@command("sensor set", "set sensor values")
def _set(emulator: Emulator, text: str) -> None:
    words = text.split()
    if len(words) < 2:
        raise Refusal('Usage: "set <sensorname> <value-a>[:<value-b>[:<value-c>]]"')
    _values(emulator, words[0])
    try:
        values = [float(part) for part in words[1].split(":")]
    except ValueError:
        raise Refusal('Usage: "set <sensorname> <value-a>[:<value-b>[:<value-c>]]"') from None
    emulator.phone.hardware.sense(words[0], values[: len(_values(emulator, words[0]))])


def _values(emulator: Emulator, name: str) -> list[float]:
    if name not in emulator.phone.hardware.sensors:
        raise Refusal(f"unknown sensor name: {name}, run 'sensor status' to get available sensors.")
    return emulator.phone.hardware.sensors[name]


@command("finger touch", "touch finger print sensor with <fingerid>")
def _touch(_: Emulator, text: str) -> None:
    """Put a finger on the sensor; no finger is enrolled, so nothing comes of it."""
    if not text:
        raise Refusal("missing fingerid")
    if not text.isdecimal() or int(text) == 0:
        raise Refusal("invalid fingerid")


@command("finger remove", "remove finger from the fingerprint sensor")
def _remove(*_: object) -> None:
    """Take the finger away, which nothing feels."""


@command("redir list", "list current redirections")
def _redirections(*_: object) -> str:
    return "no active redirections\n"
