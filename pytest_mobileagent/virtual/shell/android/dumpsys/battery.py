"""dumpsys battery: shows and fakes the battery's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.power.power import Battery

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

SWITCHES = ("ac", "usb", "wireless", "dock", "present")
NUMBERS = {"level": "level", "status": "status", "temp": "temperature"}
UNPLUGGED = {"ac": False, "usb": False, "wireless": False, "dock": False}


async def dump(ctx: Context, args: list[str]) -> str:
    """Tell, set or reset."""
    power = ctx.phone.power
    words = [word for word in args if word != "-f"]
    match words:
        case ["set", name, value] if name in SWITCHES and value.isdecimal():
            power.set_battery(forced=True, **{name: value != "0"})
        case ["set", name, value] if name in NUMBERS and value.isdecimal():
            power.set_battery(forced=True, **{NUMBERS[name]: int(value)})
        case ["set", name, value]:
            return f"Unknown set option: {name}\n" if value.isdecimal() else f"Bad value: {value}\n"
        case ["unplug"]:
            power.set_battery(forced=True, **UNPLUGGED)
        case ["reset"]:
            power.battery = Battery()
            ctx.phone.changed()
        case []:
            return _state(power.battery)
        case _:
            return f"Unknown option: {words[0]}\n"
    return ""


def _state(battery: Battery) -> str:
    stopped = "  (UPDATES STOPPED -- use 'reset' to restart)\n" if battery.forced else ""
    powered = {"AC": battery.ac, "USB": battery.usb, "Wireless": battery.wireless}
    lines = {
        **{f"{name} powered": str(on).lower() for name, on in powered.items()},
        "Dock powered": str(battery.dock).lower(),
        "Max charging current": 0,
        "Max charging voltage": 0,
        "Charge counter": 10_000 * battery.level,
        "status": battery.status,
        "health": battery.health,
        "present": str(battery.present).lower(),
        "level": battery.level,
        "scale": 100,
        "voltage": 5000,
        "temperature": battery.temperature,
        "technology": "Li-ion",
    }
    body = "".join(f"  {name}: {value}\n" for name, value in lines.items())
    return f"Current Battery Service state:\n{stopped}{body}"
