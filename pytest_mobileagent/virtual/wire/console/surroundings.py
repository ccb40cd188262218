"""geo, rotate, sensor, power: where the phone is, how it lies, what it is fed with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.hardware import Fix
from pytest_mobileagent.virtual.wire.console.registry import Emulator, Refusal, command, group

if TYPE_CHECKING:
    from collections.abc import Mapping

STATUS = {"unknown": 1, "charging": 2, "discharging": 3, "not-charging": 4, "full": 5}
HEALTH = {"unknown": 1, "good": 2, "overheat": 3, "dead": 4, "overvoltage": 5, "failure": 6}
CHOICES: dict[str, tuple[str, str, Mapping[str, int]]] = {
    "ac": ("set AC charging state", '"ac on" or "ac off"', {"on": True, "off": False}),
    "status": ("set battery status", f'"status {"|".join(STATUS)}"', STATUS),
    # The emulator takes both words, and in either case puts the battery in.
    "present": ("set battery present state", '"present true" or "present false"',
                {"true": True, "false": True}),
    "health": ("set battery health state", f'"health {"|".join(HEALTH)}"', HEALTH),
}  # fmt: skip
LEAST_SATELLITES, MOST_SATELLITES = 1, 12

group("geo", "Geo-location commands")
group("power", "power related commands")
group("sensor", "manage emulator sensors")


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


@command("power display", "display battery and charger state")
def _display(emulator: Emulator, _: str) -> str:
    battery = emulator.phone.power.battery
    return (
        f"AC: {'online' if battery.ac else 'offline'}\n"
        f"status: {_word(STATUS, battery.status)}\n"
        f"health: {_word(HEALTH, battery.health)}\n"
        f"present: {str(battery.present).lower()}\n"
        f"capacity: {battery.level}\n"
    )


def _word(words: Mapping[str, int], number: int) -> str:
    return next(word for word in words if words[word] == number).capitalize()


def _choice(name: str, abstract: str, usage: str, values: Mapping[str, int]) -> None:
    @command(f"power {name}", abstract)
    def _choose(emulator: Emulator, word: str) -> None:
        if word.lower() not in values:
            raise Refusal(f"Usage: {usage}")
        emulator.phone.power.set_battery(**{name: values[word.lower()]})


for _name, _choices in CHOICES.items():
    _choice(_name, *_choices)


@command("power capacity", "set battery capacity state")
def _capacity(emulator: Emulator, text: str) -> None:
    if not text.isdecimal() or int(text) > 100:
        raise Refusal('Usage: "capacity <percentage>"')
    emulator.phone.power.set_battery(level=int(text))
