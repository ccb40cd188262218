"""The time and its zone."""

from __future__ import annotations

from contextlib import suppress
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.shell.android.service import (
    DONE,
    Arguments,
    Context,
    Refused,
    Service,
)

service = Service(
    "alarm",
    "Alarm manager service (alarm) commands:\n  set-time TIME\n  set-timezone TZ",
    interface="android.app.IAlarmManager",
)


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell the time as the alarm manager sees it, and that it holds no alarms by itself."""
    phone = ctx.phone
    now, uptime = int(phone.clock.time() * 1000), int(phone.clock.uptime() * 1000)
    shown = f"{phone.clock.now():%Y-%m-%d %H:%M:%S}.{now % 1000:03}"
    following = phone.settings.text("system", "next_alarm_formatted") or "none"
    return (
        "Current Alarm Manager state:\n"
        f"  nowRTC={now}={shown} nowELAPSED={uptime}\n"
        f"  mLastTimeChangeClockTime={now}\n"
        f"  Current timezone: {phone.clock.timezone}\n"
        f"  Next alarm clock information:\n    user:0 {following}\n"
        "  0 pending alarms:\n"
    )


@service.command("set-time")
def set_time(ctx: Context, args: Arguments) -> None:
    """Set the clock, in milliseconds since the epoch."""
    text = args.required()
    if not text.isdecimal():
        raise Refused(f"Error: Invalid time {text}")
    ctx.phone.clock.set(int(text) / 1000)
    ctx.phone.activities.broadcast(Intent("android.intent.action.TIME_SET"))


@service.command("set-timezone")
def set_timezone(ctx: Context, args: Arguments) -> None:
    """Set the time zone; an unknown one is ignored, as by Android."""
    _set_zone(ctx, args.required())


@service.call("3")
def call_set_timezone(ctx: Context, args: Arguments) -> str:
    """Set the time zone, by a call."""
    if args.next() == "s16":
        _set_zone(ctx, args.required())
    return DONE


def _set_zone(ctx: Context, zone: str) -> None:
    with suppress(ZoneInfoNotFoundError, ValueError):
        ZoneInfo(zone)
        ctx.phone.props.set("persist.sys.timezone", zone)
