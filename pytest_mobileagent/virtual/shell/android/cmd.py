"""cmd: runs the commands of any service; and the services that have few."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    NO_SERVICE,
    Arguments,
    Service,
    services,
)
from pytest_mobileagent.virtual.shell.commands import Context, command

uimode = Service("uimode", "UiModeManager service (uimode) commands:\n  night [yes|no|auto|custom]")
alarm = Service(
    "alarm", "Alarm manager service (alarm) commands:\n  set-time TIME\n  set-timezone TZ"
)
wifi = Service(
    "wifi",
    "Wi-Fi (wifi) commands:\n  set-wifi-enabled enabled|disabled\n  status\n  list-networks\n"
    "  list-scan-results\n  start-scan\n  get-country-code",
)
bluetooth = Service("bluetooth_manager", "Bluetooth Manager Commands:\n  enable\n  disable")
connectivity = Service(
    "connectivity", "Connectivity service commands:\n  airplane-mode [enable|disable]"
)
statusbar = Service("statusbar", "Status bar commands:\n  expand-notifications\n  collapse")
location = Service(
    "location",
    "Location service commands:\n  is-location-enabled\n  set-location-enabled true|false",
)
telephony = Service("phone", "Telephony Commands:\n  data enable|disable")


@location.command("is-location-enabled")
async def is_location_enabled(ctx: Context, _: Arguments) -> int:
    """Tell whether apps may know where the phone is."""
    off = ctx.phone.settings.text("secure", "location_mode", "0") == "0"
    await ctx.out(f"{str(not off).lower()}\n")
    return 0


@location.command("set-location-enabled")
async def set_location_enabled(ctx: Context, args: Arguments) -> int:
    """Let apps know where the phone is, or not."""
    on = args.required().lower() == "true"
    ctx.phone.settings.put("secure", "location_mode", "3" if on else "0")
    return 0


@command("cmd")
async def cmd(ctx: Context, args: list[str]) -> int:
    """Run a command of the service that is named first."""
    words = args[1:] if args[:1] == ["-w"] else args
    if not words:
        await ctx.err("cmd: No service specified; use -l to list all running services\n")
        return NO_SERVICE
    if words[0] == "-l":
        names = "".join(f"  {name}\n" for name in sorted(services))
        await ctx.out(f"Currently running services:\n{names}")
        return 0
    if words[0] not in services:
        await ctx.err(f"cmd: Can't find service: {words[0]}\n")
        return NO_SERVICE
    return await services[words[0]].run(ctx, words[1:])


@uimode.command("night")
async def night(ctx: Context, args: Arguments) -> int:
    """Show or switch the dark theme."""
    display, wanted = ctx.phone.display, args.next()
    if wanted in ("yes", "no"):
        display.dark = wanted == "yes"
    elif wanted is not None:
        await ctx.err("Error: mode must be 'yes', 'no', or 'auto' or 'custom_schedule'\n")
        return FAILED
    await ctx.out(f"Night mode: {'yes' if display.dark else 'no'}\n")
    return 0


@alarm.command("set-time")
async def set_time(ctx: Context, args: Arguments) -> int:
    """Set the clock, in milliseconds since the epoch."""
    text = args.required()
    if not text.isdecimal():
        await ctx.err(f"Error: Invalid time {text}\n")
        return FAILED
    ctx.phone.clock.set(int(text) / 1000)
    ctx.phone.broadcasts.send(Intent("android.intent.action.TIME_SET"))
    return 0


@alarm.command("set-timezone")
async def set_timezone(ctx: Context, args: Arguments) -> int:
    """Set the time zone; an unknown one is ignored, as by Android."""
    zone = args.required()
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        return 0
    ctx.phone.props.set("persist.sys.timezone", zone)
    return 0


@wifi.command("set-wifi-enabled")
async def set_wifi_enabled(ctx: Context, args: Arguments) -> int:
    """Switch Wi-Fi."""
    wanted = args.required()
    if wanted not in ("enabled", "disabled"):
        await ctx.err(f"Invalid args to set-wifi-enabled: {wanted}\n")
        return FAILED
    ctx.phone.radios.set_wifi(wanted == "enabled", package="com.android.shell", uid=ctx.uid)
    return 0


@wifi.command("status")
async def wifi_status(ctx: Context, _: Arguments) -> int:
    """Tell whether Wi-Fi is on."""
    if not ctx.phone.radios.wifi:
        await ctx.out("Wifi is disabled\nWifi scanning is only available when wifi is enabled\n")
        return 0
    await ctx.out(
        "Wifi is enabled\nWifi scanning is only available when wifi is enabled\n"
        "==== Primary ClientModeManager instance ====\n"
        'Wifi is connected to "AndroidWifi"\n'
        'WifiInfo: SSID: "AndroidWifi", BSSID: 00:13:10:85:fe:01\n'
    )
    return 0


@wifi.command("list-networks")
async def list_networks(ctx: Context, _: Arguments) -> int:
    """List the networks that the phone knows."""
    await ctx.out(
        f"{'Network Id':<12} {'SSID':<32} Security type\n{0:<12} {'AndroidWifi':<32} open\n"
    )
    return 0


@wifi.command("start-scan")
async def start_scan(_: Context, args: Arguments) -> int:
    """Look for networks, which a phone that sees but one need not do."""
    args.rest()
    return 0


@wifi.command("list-scan-results")
async def list_scan_results(ctx: Context, _: Arguments) -> int:
    """List the networks that can be received."""
    if not ctx.phone.radios.wifi:
        await ctx.out("No scan results\n")
        return 0
    await ctx.out(
        f"{'BSSID':>17} {'Frequency':>14} {'RSSI':>16} {'Age(sec)':>12}     SSID{' ' * 33}Flags\n"
        f"  00:13:10:85:fe:01         2447              -50        0.5     {'AndroidWifi':<32}"
        "     [ESS]\n"
    )
    return 0


@wifi.command("get-country-code")
async def country_code(ctx: Context, _: Arguments) -> int:
    """Tell by which country's rules the radio works."""
    await ctx.out("Wifi Country Code = US\n")
    return 0


@bluetooth.command("enable")
async def enable_bluetooth(ctx: Context, _: Arguments) -> int:
    """Switch Bluetooth on."""
    await ctx.out("Enabling Bluetooth\n")
    ctx.phone.radios.set_bluetooth(True)
    return 0


@bluetooth.command("disable")
async def disable_bluetooth(ctx: Context, _: Arguments) -> int:
    """Switch Bluetooth off."""
    await ctx.out("Disabling Bluetooth\n")
    ctx.phone.radios.set_bluetooth(False)
    return 0


@telephony.command("data")
async def data(ctx: Context, args: Arguments) -> int:
    """Switch mobile data."""
    wanted = args.required()
    if wanted not in ("enable", "disable"):
        await ctx.out("Data Commands:\n  enable\n  disable\n")
        return FAILED
    ctx.phone.radios.set_data(wanted == "enable")
    return 0


@connectivity.command("airplane-mode")
async def airplane_mode(ctx: Context, args: Arguments) -> int:
    """Show or switch airplane mode."""
    radios, wanted = ctx.phone.radios, args.next()
    if wanted is None:
        await ctx.out("enabled\n" if radios.airplane else "disabled\n")
        return 0
    if wanted not in ("enable", "disable"):
        await ctx.out(f"Unknown argument: {wanted}\n")
        return FAILED
    radios.set_airplane(wanted == "enable")
    return 0


@statusbar.command("expand-notifications")
async def expand(ctx: Context, _: Arguments) -> int:
    """Pull the shade down."""
    if not ctx.phone.shade.open:
        ctx.phone.shade.pull()
    return 0


@statusbar.command("expand-settings")
async def expand_settings(ctx: Context, _: Arguments) -> int:
    """Pull the shade down with all of quick settings."""
    ctx.phone.shade.pull(full=True)
    return 0


@statusbar.command("collapse")
async def collapse(ctx: Context, _: Arguments) -> int:
    """Push the shade up."""
    ctx.phone.shade.close()
    return 0
