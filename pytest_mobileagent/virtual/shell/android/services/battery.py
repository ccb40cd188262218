"""The battery: its state is shown and faked."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service
from pytest_mobileagent.virtual.system.power.power import Battery

HELP = """Battery service (battery) commands:
  help
    Print this help text.
  get [-f] [ac|usb|wireless|dock|status|level|temp|present|counter|invalid]
  set [-f] [ac|usb|wireless|dock|status|level|temp|present|counter|invalid] <value>
    Force a battery property value, freezing battery state.
  unplug [-f]
    Force battery unplugged, freezing battery state.
  reset [-f]
    Unfreeze battery state, returning to current hardware values."""
service = Service("battery", HELP)
SWITCHES = ("ac", "usb", "wireless", "dock", "present")
NUMBERS = {"level": "level", "status": "status", "temp": "temperature"}
UNPLUGGED = {"ac": False, "usb": False, "wireless": False, "dock": False}


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
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


@service.command("set")
def set_(ctx: Context, args: Arguments) -> str:
    """Fake a value."""
    return dump(ctx, ["set", *args.rest()])


@service.command("unplug")
def unplug(ctx: Context, args: Arguments) -> str:
    """Fake that no power comes in."""
    return dump(ctx, ["unplug", *args.rest()])


@service.command("reset")
def reset(ctx: Context, args: Arguments) -> str:
    """Fake no more."""
    return dump(ctx, ["reset", *args.rest()])


@service.command("get")
def get(ctx: Context, args: Arguments) -> str:
    """Tell one value."""
    words = [word for word in args.rest() if word != "-f"]
    now = ctx.phone.power.battery
    values = {
        **{name: str(getattr(now, name)).lower() for name in SWITCHES},
        "status": now.status,
        "level": now.level,
        "temp": now.temperature,
        "counter": 10_000 * now.level,
        "invalid": 0,
    }
    if len(words) != 1 or words[0] not in values:
        raise Refused(f"Unknown get option: {words[0] if words else None}", out=True)
    return f"{values[words[0]]}\n"
