"""The hardware: power, battery, processor, sensors and storage."""

from __future__ import annotations

from pytest_mobileagent.virtual.kernel.files import SYSTEM
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)
from pytest_mobileagent.virtual.system.power.power import Battery

SWITCHES = ("ac", "usb", "wireless", "dock", "present")
NUMBERS = {"level": "level", "status": "status", "temp": "temperature"}
UNPLUGGED = {"ac": False, "usb": False, "wireless": False, "dock": False}
STOPPED = "  (UPDATES STOPPED -- use 'reset' to restart)\n"
power = Service("power", interface="android.os.IPowerManager")
battery = Service("battery")
diskstats = Service("diskstats")
WRITES = 61_440  # kB/s, a common speed


@power.dump
def dump_power(ctx: Context, _: list[str]) -> str:
    """Describe the power state: whether the phone is awake."""
    power, settings = ctx.phone.power, ctx.phone.settings
    return fill(
        "power",
        phone=ctx.phone,
        wakefulness="Awake" if power.awake else "Asleep",
        powered=power.battery.ac or power.battery.usb,
        timeout=settings.text("system", "screen_off_timeout"),
        stays=settings.on("global", "stay_on_while_plugged_in"),
        state="ON" if power.awake else "OFF",
    )


@power.command("set-mode")
def set_mode(ctx: Context, args: Arguments) -> None:
    """Switch the battery saver."""
    mode = args.required()
    if mode not in ("0", "1"):
        raise Refused(f"Error: {mode} is not a valid mode", out=True)
    ctx.phone.settings.put("global", "low_power", mode)


@battery.dump
def dump_battery(ctx: Context, args: list[str]) -> str:
    """Describe the battery's state, override it, or reset it."""
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
            now = power.battery
            return fill("battery", battery=now, stopped=STOPPED if now.forced else "")
        case _:
            return f"Unknown option: {words[0]}\n"
    return ""


@battery.command("set", "unplug", "reset")
def change(ctx: Context, args: Arguments) -> str:
    """Override a value, simulate unplugging, or reset the battery."""
    return dump_battery(ctx, [args.last, *args.rest()])


@Service("batterystats", interface="com.android.internal.app.IBatteryStats").dump
def statistics(ctx: Context, args: list[str]) -> str:
    """Describe or reset the statistics of the battery, which never discharges by itself."""
    if args == ["--reset"]:
        return "Battery stats reset.\n"
    seconds = int(ctx.phone.clock.uptime())
    return fill(
        "batterystats",
        phone=ctx.phone,
        now=ctx.phone.clock.now(),
        discharging=not ctx.phone.power.charging,
        span=f"{seconds // 3600}h {seconds // 60 % 60}m {seconds % 60}s 0ms",
    )


@Service("cpuinfo").dump
def processor(ctx: Context, _: list[str]) -> str:
    """List the processes with their use of the processor, which is always zero."""
    rows = "".join(
        f"  0% {each.pid}/{each.name}: 0% user + 0% kernel\n" for each in ctx.phone.proc.list()
    )
    return fill("cpuinfo", now=ctx.phone.clock.now(), rows=rows)


@Service("sensorservice", interface="android.gui.SensorServer").dump
def sensors(ctx: Context, _: list[str]) -> str:
    """List the sensors with their last values; the phone only moves when it is rotated."""
    x, y = ctx.phone.hardware.acceleration
    return fill("sensorservice", now=ctx.phone.clock.now(), x=x, y=y)


@diskstats.dump
def dump_diskstats(ctx: Context, _: list[str]) -> str:
    """Print how much storage is free, like df; the cache is part of the data partition."""
    space, system = ctx.phone.files.space, SYSTEM // 1024
    free, whole = space.free // 1024, space.size // 1024
    rows = [("Data", free, whole), ("Cache", free, whole), ("System", 0, system)]
    return "".join(
        [
            "Latency: 0ms [512B Data Write]\n",
            f"Recent Disk Write Speed (kB/s) = {WRITES}\n",
            *(f"{n}-Free: {f}K / {w}K total = {100 * f // w}% free\n" for n, f, w in rows),
            "File-based Encryption: true\n",
        ]
    )
