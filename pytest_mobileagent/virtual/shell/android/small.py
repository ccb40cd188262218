"""cmd location, power, battery and device_policy: services with few commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.dumpsys import battery as battery_dump
from pytest_mobileagent.virtual.shell.android.service import FAILED, Arguments, Service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

BATTERY_HELP = """Battery service (battery) commands:
  help
    Print this help text.
  get [-f] [ac|usb|wireless|dock|status|level|temp|present|counter|invalid]
  set [-f] [ac|usb|wireless|dock|status|level|temp|present|counter|invalid] <value>
    Force a battery property value, freezing battery state.
  unplug [-f]
    Force battery unplugged, freezing battery state.
  reset [-f]
    Unfreeze battery state, returning to current hardware values."""
location = Service(
    "location",
    "Location service commands:\n  help or -h\n    Print this help text.\n"
    "  is-location-enabled [--user <USER_ID>]\n"
    "  set-location-enabled true|false [--user <USER_ID>]",
)
power = Service(
    "power",
    "Power manager (power) commands:\n  help\n    Print this help text.\n  set-mode MODE\n"
    "    sets the power mode of the device to MODE.\n    1 turns low power mode on and 0 turns it"
    " off.",
)
battery = Service("battery", BATTERY_HELP)
policy = Service("device_policy", "Device Policy commands:\n  list-owners")


@location.command("is-location-enabled")
async def is_location_enabled(ctx: Context, args: Arguments) -> int:
    """Tell whether apps may learn where the phone is."""
    args.rest()
    on = ctx.phone.settings.on("secure", "location_mode")
    await ctx.out(f"{str(on).lower()}\n")
    return 0


@location.command("set-location-enabled")
async def set_location_enabled(ctx: Context, args: Arguments) -> int:
    """Let apps learn it, or not."""
    wanted = args.required().lower() == "true"
    ctx.phone.settings.put("secure", "location_mode", "3" if wanted else "0")
    return 0


@power.command("set-mode")
async def set_mode(ctx: Context, args: Arguments) -> int:
    """Switch the battery saver."""
    mode = args.required()
    if mode not in ("0", "1"):
        await ctx.out(f"Error: {mode} is not a valid mode\n")
        return FAILED
    ctx.phone.settings.put("global", "low_power", mode)
    return 0


@battery.command("set")
async def set_(ctx: Context, args: Arguments) -> int:
    """Fake a value."""
    return await _forward(ctx, "set", args)


@battery.command("unplug")
async def unplug(ctx: Context, args: Arguments) -> int:
    """Fake that no power comes in."""
    return await _forward(ctx, "unplug", args)


@battery.command("reset")
async def reset(ctx: Context, args: Arguments) -> int:
    """Fake no more."""
    return await _forward(ctx, "reset", args)


async def _forward(ctx: Context, verb: str, args: Arguments) -> int:
    await ctx.out(await battery_dump.dump(ctx, [verb, *args.rest()]))
    return 0


@battery.command("get")
async def get(ctx: Context, args: Arguments) -> int:
    """Tell one value."""
    words = [word for word in args.rest() if word != "-f"]
    now = ctx.phone.power.battery
    values = {
        **{name: str(getattr(now, name)).lower() for name in battery_dump.SWITCHES},
        "status": now.status,
        "level": now.level,
        "temp": now.temperature,
        "counter": 10_000 * now.level,
        "invalid": 0,
    }
    if len(words) != 1 or words[0] not in values:
        await ctx.out(f"Unknown get option: {words[0] if words else None}\n")
        return FAILED
    await ctx.out(f"{values[words[0]]}\n")
    return 0


@policy.command("list-owners")
async def list_owners(ctx: Context, args: Arguments) -> int:
    """Tell who administers the phone: nobody."""
    args.rest()
    await ctx.out("no owners\n")
    return 0
