"""geo, finger, rotate, power: the phone's position, orientation and power supply."""

from __future__ import annotations

from pytest_mobileagent.virtual.system.hardware import Fix
from pytest_mobileagent.virtual.wire.console.registry import Emulator, Refusal, command, group

STATUS = ("unknown", "charging", "discharging", "not-charging", "full")
LEAST_SATELLITES, MOST_SATELLITES = 1, 12

group("geo", "Geo-location commands")
group("finger", "manage emulator finger print")
group("power", "power related commands")


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


@command("finger touch", "touch finger print sensor with <fingerid>")
def _touch(_: Emulator, text: str) -> None:
    """Touch the sensor, which has no effect, because no finger is enrolled."""
    if not text:
        raise Refusal("missing fingerid")
    if not text.isdecimal() or int(text) == 0:
        raise Refusal("invalid fingerid")


_FIXED = (
    "The phone is turned, but not its screen: auto-rotate is off.\n"
    "Switch it on by: adb shell settings put system accelerometer_rotation 1\n"
)


@command("rotate", "rotate the screen clockwise by 90 degrees")
def _rotate(emulator: Emulator, _: str) -> str:
    """Rotate the phone; unlike an emulator's console, mention it if the screen does not turn."""
    emulator.phone.hardware.rotate()
    return "" if emulator.phone.display.turns_with_phone else _FIXED


@command("power ac", "set AC charging state")
def _ac(emulator: Emulator, word: str) -> None:
    if word.lower() not in ("on", "off"):
        raise Refusal('Usage: "ac on" or "ac off"')
    emulator.phone.power.set_battery(ac=word.lower() == "on")


@command("power status", "set battery status")
def _status(emulator: Emulator, word: str) -> None:
    if word.lower() not in STATUS:
        raise Refusal(f'Usage: "status {"|".join(STATUS)}"')
    emulator.phone.power.set_battery(status=STATUS.index(word.lower()) + 1)


@command("power capacity", "set battery capacity state")
def _capacity(emulator: Emulator, text: str) -> None:
    if not text.isdecimal() or int(text) > 100:
        raise Refusal('Usage: "capacity <percentage>"')
    emulator.phone.power.set_battery(level=int(text))
