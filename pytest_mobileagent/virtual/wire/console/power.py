"""power: what the phone's battery tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

group("power", "power related commands")


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
