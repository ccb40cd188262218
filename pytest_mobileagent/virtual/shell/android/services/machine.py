"""The hardware: power, battery, processor, memory, sensors, storage, clock and position."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.kernel.files import SYSTEM
from pytest_mobileagent.virtual.kernel.processes import MEMORY
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)
from pytest_mobileagent.virtual.system.hardware import Battery

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.processes import Process
    from pytest_mobileagent.virtual.phone import Phone

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
    names = (f"{each.pid}/{each.name}" for each in ctx.phone.proc.list())
    rows = "".join(f"  0% {name}: 0% user + 0% kernel\n" for name in names)
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


SYSTEM_APP = "com.android.shell"
FILE = "/data/system/deviceidle.xml"  # where Android stores the added apps

doze = Service("deviceidle")


@doze.command("whitelist")
def whitelist(ctx: Context, args: Arguments) -> str:
    """Print or change the list of apps that are exempt from dozing."""
    return _whitelist(ctx.phone, args.rest())


@doze.dump
def dump_doze(ctx: Context, args: list[str]) -> str:
    """Print that the phone is not dozing, or the exempt apps."""
    match args:
        case ["whitelist", *words]:
            return _whitelist(ctx.phone, words)
        case [word, *_]:
            return f"Unknown command: {word}\n"
    state = "ACTIVE" if ctx.phone.power.awake else "INACTIVE"
    names = "".join(f"    {name}\n" for name in sorted(_added(ctx.phone)))
    users = f"  Whitelist user apps:\n{names}" if names else ""
    return fill("deviceidle", phone=ctx.phone, state=state, users=users)


def _whitelist(phone: Phone, words: list[str]) -> str:
    """Print, add or remove apps: +NAME, -NAME."""
    names = _added(phone)
    if not words:
        rows = [("system", SYSTEM_APP), *(("user", name) for name in sorted(names))]
        return "".join(f"{kind},{name},{phone.packages[name].uid}\n" for kind, name in rows)
    said = ""
    for word in words:
        sign, name = word[:1], word[1:]
        if sign not in ("+", "-") or not name:
            return f"{said}Package must be prefixed with +, -, or =: {word}\n"
        if sign == "-":
            said += f"Removed: {name}\n" if name in names else ""
            names.discard(name)
        elif name in phone.packages:
            names.add(name)
            said += f"Added: {name}\n"
        else:
            said += f"Unknown package: {name}\n"
    kept = "".join(f'<wl n="{name}" />\n' for name in sorted(names))
    head = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n"
    phone.files.write(FILE, f"{head}<config>\n{kept}</config>\n".encode(), mode=0o600)
    return said


def _added(phone: Phone) -> set[str]:
    if not phone.files.is_file(FILE):
        return set()
    names = re.findall(r'<wl n="([\w.]+)"', phone.files.read(FILE).decode(errors="replace"))
    return {name for name in names if name in phone.packages}


memory = Service("meminfo")
SHARED_PART = 0.55  # of a process's resident memory counts towards its proportional share
PARTS = (  # the parts of a process's memory, and their percentages
    ("Native Heap", 28),
    ("Dalvik Heap", 16),
    ("Dalvik Other", 6),
    ("Stack", 2),
    ("Other dev", 1),
    (".so mmap", 20),
    (".apk mmap", 5),
    (".dex mmap", 7),
    ("EGL mtrack", 6),
    ("GL mtrack", 4),
    ("Unknown", 5),
)


@memory.dump
def dump_memory(ctx: Context, args: list[str]) -> str:
    """Print the memory of all processes, or the details of one."""
    phone, names = ctx.phone, [word for word in args if not word.startswith("-")]
    head = fill("meminfo_head", uptime=int(phone.clock.uptime() * 1000))
    processes = [each for each in phone.proc.list() if each.rss]
    if names:
        wanted = [each for each in processes if names[0] in (each.name, str(each.pid))]
        if not wanted:
            return f"No process found for: {names[0]}\n"
        return head + "".join(_detail(each) for each in wanted)
    rows = sorted(processes, key=_pss, reverse=True)
    used = sum(_pss(each) for each in rows)
    listed = "".join(f"{_pss(each):>11,}K: {each.name} (pid {each.pid})\n" for each in rows)
    return head + fill("meminfo_all", rows=listed, total=MEMORY, free=MEMORY - used, used=used)


def _pss(process: Process) -> int:
    return int(process.rss * SHARED_PART)


def _detail(process: Process) -> str:
    """Describe the memory of a process, in the columns used since Android 11."""
    total, rss = _pss(process), process.rss
    rows = [
        (name, total * part // 100, rss * part // 100, total // 3 if "Heap" in name else 0)
        for name, part in PARTS
    ]
    lines = "".join(_row(*row) for row in (*rows, ("TOTAL", total, rss, total * 2 // 3)))
    summary = {"Java Heap": 16, "Native Heap": 28, "Code": 32, "Stack": 2, "Graphics": 10}
    parts = "".join(
        f"{name + ':':>21} {total * part // 100:>8} {rss * part // 100:>30}\n"
        for name, part in summary.items()
    )
    return fill("meminfo", process=process, rows=lines, parts=parts, total=total)


def _row(name: str, pss: int, rss: int, heap: int) -> str:
    numbers = [pss, pss * 5 // 6, 0, 0, rss, *((heap, heap * 3 // 4, heap // 4) if heap else ())]
    return f"{name:>16} {' '.join(f'{number:>8}' for number in numbers)}\n"


KNOT = 0.514444  # metres per second
alarm = Service("alarm", interface="android.app.IAlarmManager")
detector = Service("time_detector", interface="android.app.timedetector.ITimeDetectorService")
location = Service("location", interface="android.location.ILocationManager")


@alarm.dump
def dump_alarms(ctx: Context, _: list[str]) -> str:
    """Print the alarm manager's time; it contains no alarms."""
    phone, rtc = ctx.phone, int(ctx.phone.clock.time() * 1000)
    return fill(
        "alarm",
        phone=phone,
        rtc=rtc,
        now=phone.clock.now(),
        milliseconds=rtc % 1000,
        uptime=int(phone.clock.uptime() * 1000),
        following=phone.settings.text("system", "next_alarm_formatted") or "none",
    )


@alarm.command("set-time")
def set_time(ctx: Context, args: Arguments) -> None:
    """Set the clock, in milliseconds since the epoch."""
    text = args.required()
    if not text.isdecimal():
        raise Refused(f"Error: Invalid time {text}")
    ctx.phone.clock.set(int(text) / 1000)
    ctx.phone.broadcasts.send(Intent("android.intent.action.TIME_SET"))


@alarm.command("set-timezone")
def set_timezone(ctx: Context, args: Arguments) -> None:
    """Set the time zone; an unknown one is ignored, as on Android."""
    with suppress(ZoneInfoNotFoundError, ValueError):
        ctx.phone.props.set("persist.sys.timezone", ZoneInfo(args.required()).key)


@alarm.call("3")
def call_set_timezone(ctx: Context, args: Arguments) -> str:
    """Set the time zone through a transaction."""
    if args.next() == "s16":
        set_timezone(ctx, args)
    return "Result: Parcel(00000000    '....')\n"


@detector.command("is_auto_detection_enabled")
def is_automatic(ctx: Context, _: Arguments) -> str:
    """Print whether the time is set automatically."""
    return f"{str(ctx.phone.settings.on('global', 'auto_time')).lower()}\n"


@detector.command("set_auto_detection_enabled")
def set_automatic(ctx: Context, args: Arguments) -> None:
    """Switch automatic time on or off."""
    on = args.required().lower() == "true"
    ctx.phone.settings.put("global", "auto_time", str(int(on)))


@location.dump
def dump_position(ctx: Context, _: list[str]) -> str:
    """Print the phone's position."""
    fix, on = ctx.phone.hardware.fix, ctx.phone.settings.on("secure", "location_mode")
    if not on:
        return fill("location_off")
    return fill("location", fix=fix, span=_span(fix.uptime), velocity=fix.velocity * KNOT)


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(seconds * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (rest // 1000, "s"))
    return "".join(f"{n}{unit}" for n, unit in parts if n) + f"{rest % 1000}ms"


@location.command("is-location-enabled")
def is_located(ctx: Context, _: Arguments) -> str:
    """Print whether apps may access the location."""
    return f"{str(ctx.phone.settings.on('secure', 'location_mode')).lower()}\n"


@location.command("set-location-enabled")
def set_located(ctx: Context, args: Arguments) -> None:
    """Allow or disallow access to the location."""
    wanted = args.required().lower() == "true"
    ctx.phone.settings.put("secure", "location_mode", "3" if wanted else "0")
