"""Time and place: the clock, its zone, and the last known position."""

from __future__ import annotations

from contextlib import suppress
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)

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
