"""The console's power commands: what the phone's battery tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.wire.console.console import Command, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.virtual.system.power.power import Power

_STATUS = {"unknown": 1, "charging": 2, "discharging": 3, "not-charging": 4, "full": 5}
_HEALTH = {"unknown": 1, "good": 2, "overheat": 3, "dead": 4, "overvoltage": 5, "failure": 6}


def power_commands(power: Power) -> Command:
    """Give the group `power`."""

    def choice(usage: str, name: str, values: Mapping[str, object]) -> Callable[[str], None]:
        def choose(word: str) -> None:
            if word.lower() not in values:
                raise Refusal(f"Usage: {usage}")
            power.set_battery(**{name: values[word.lower()]})

        return choose

    def capacity(text: str) -> None:
        if not text.isdecimal() or int(text) > 100:
            raise Refusal('Usage: "capacity <percentage>"')
        power.set_battery(level=int(text))

    ac = choice('"ac on" or "ac off"', "ac", {"on": True, "off": False})
    status = choice(f'"status {"|".join(_STATUS)}"', "status", _STATUS)
    present = choice(  # the emulator takes both words, and in either case puts the battery in
        '"present true" or "present false"', "present", {"true": True, "false": True}
    )
    health = choice(f'"health {"|".join(_HEALTH)}"', "health", _HEALTH)
    return Command("power", "power related commands", parts=(
        Command("display", "display battery and charger state", lambda _: _display(power)),
        Command("ac", "set AC charging state", ac),
        Command("status", "set battery status", status),
        Command("present", "set battery present state", present),
        Command("health", "set battery health state", health),
        Command("capacity", "set battery capacity state", capacity),
    ))  # fmt: skip


def _display(power: Power) -> str:
    battery = power.battery
    return (
        f"AC: {'online' if battery.ac else 'offline'}\n"
        f"status: {_word(_STATUS, battery.status)}\n"
        f"health: {_word(_HEALTH, battery.health)}\n"
        f"present: {str(battery.present).lower()}\n"
        f"capacity: {battery.level}\n"
    )


def _word(words: Mapping[str, Any], number: int) -> str:
    return next(word for word in words if words[word] == number).capitalize()
