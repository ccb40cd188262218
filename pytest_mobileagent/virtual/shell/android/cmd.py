"""cmd: runs the commands of any service; and the services that have few."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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
wifi = Service("wifi", "Wi-Fi (wifi) commands:\n  set-wifi-enabled enabled|disabled\n  status")
bluetooth = Service("bluetooth_manager", "Bluetooth Manager Commands:\n  enable\n  disable")
connectivity = Service(
    "connectivity", "Connectivity service commands:\n  airplane-mode [enable|disable]"
)
statusbar = Service("statusbar", "Status bar commands:\n  expand-notifications\n  collapse")
notification = Service("notification", "Notification commands:\n  post [-t TITLE] TAG TEXT\n  list")
telephony = Service("phone", "Telephony Commands:\n  data enable|disable")


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
    ctx.phone.changed()
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
    enable = wanted == "enabled"
    line = f"setWifiEnabled package=com.android.shell uid={ctx.uid} enable={str(enable).lower()}"
    ctx.phone.log.system("I", "WifiService", line)
    ctx.phone.settings.put("global", "wifi_on", str(int(enable)))
    return 0


@wifi.command("status")
async def wifi_status(ctx: Context, _: Arguments) -> int:
    """Tell whether Wi-Fi is on."""
    if not ctx.phone.settings.on("global", "wifi_on"):
        await ctx.out("Wifi is disabled\nWifi scanning is only available when wifi is enabled\n")
        return 0
    await ctx.out(
        "Wifi is enabled\nWifi scanning is only available when wifi is enabled\n"
        "==== Primary ClientModeManager instance ====\n"
        'Wifi is connected to "AndroidWifi"\n'
        'WifiInfo: SSID: "AndroidWifi", BSSID: 00:13:10:85:fe:01\n'
    )
    return 0


@bluetooth.command("enable")
async def enable_bluetooth(ctx: Context, _: Arguments) -> int:
    """Switch Bluetooth on."""
    await ctx.out("Enabling Bluetooth\n")
    ctx.phone.settings.put("global", "bluetooth_on", "1")
    return 0


@bluetooth.command("disable")
async def disable_bluetooth(ctx: Context, _: Arguments) -> int:
    """Switch Bluetooth off."""
    await ctx.out("Disabling Bluetooth\n")
    ctx.phone.settings.put("global", "bluetooth_on", "0")
    return 0


@telephony.command("data")
async def data(ctx: Context, args: Arguments) -> int:
    """Switch mobile data."""
    wanted = args.required()
    if wanted not in ("enable", "disable"):
        await ctx.out("Data Commands:\n  enable\n  disable\n")
        return FAILED
    ctx.phone.settings.put("global", "mobile_data", str(int(wanted == "enable")))
    return 0


@connectivity.command("airplane-mode")
async def airplane_mode(ctx: Context, args: Arguments) -> int:
    """Show or switch airplane mode."""
    settings, wanted = ctx.phone.settings, args.next()
    if wanted is None:
        on = settings.on("global", "airplane_mode_on")
        await ctx.out("enabled\n" if on else "disabled\n")
        return 0
    if wanted not in ("enable", "disable"):
        await ctx.out(f"Unknown argument: {wanted}\n")
        return FAILED
    settings.put("global", "airplane_mode_on", str(int(wanted == "enable")))
    return 0


@statusbar.command("expand-notifications", "expand-settings")
async def expand(ctx: Context, _: Arguments) -> int:
    """Pull the shade down."""
    ctx.phone.shade.pull()
    return 0


@statusbar.command("collapse")
async def collapse(ctx: Context, _: Arguments) -> int:
    """Push the shade up."""
    ctx.phone.shade.push()
    return 0


@notification.command("post")
async def post(ctx: Context, args: Arguments) -> int:
    """Post a notification of the shell's."""
    title = ""
    while option := args.option():
        value = args.required()
        title = value if option in ("-t", "--title") else title
    tag, text = args.required(), " ".join(args.rest())
    ctx.phone.notifications.post("com.android.shell", tag, title, text)
    await ctx.out(
        f"posting:\n  Notification(channel=shell_cmd shortcut=null contentView=null {text})\n"
    )
    return 0


@notification.command("list")
async def list_notifications(ctx: Context, _: Arguments) -> int:
    """List the keys of notifications."""
    for shown in ctx.phone.notifications.posted:
        uid = ctx.phone.packages[shown.package].uid
        await ctx.out(f"0|{shown.package}|2020|{shown.tag}|{uid}\n")
    return 0


@notification.command("set_dnd")
async def set_dnd(ctx: Context, args: Arguments) -> int:
    """Switch Do Not Disturb."""
    off = args.required() in ("off", "all")
    ctx.phone.settings.put("global", "zen_mode", "0" if off else "1")
    return 0
