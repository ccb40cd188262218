"""date and uptime, and the parsing of dates as in toybox."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNIX = re.compile(r"@(-?\d+(?:\.\d+)?)")
_POSIX = re.compile(r"(\d\d)(\d\d)(\d\d)(\d\d)(\d\d|\d{4})?(?:\.(\d\d))?")
_TOUCH = re.compile(r"(\d\d|\d{4})?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?")
_NANOSECONDS = re.compile(r"%(\d?)N")


def parsed(text: str, now: datetime) -> float:
    """Return the time that `text` specifies, in seconds since the epoch.

    Parts that `text` omits are taken from `now`.
    """
    if unix := _UNIX.fullmatch(text):
        return float(unix[1])
    zone = now.tzinfo
    try:
        if match := _POSIX.fullmatch(text):
            month, day, hour, minute, year, second = match.groups()
            return _moment([year, month, day, hour, minute, second], zone, now)
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()
    except ValueError:
        raise Failure(f"bad date {text}") from None


def parsed_for_touch(text: str, now: datetime) -> float:
    """Return the time for touch -t: [[CC]YY]MMDDhhmm[.ss]."""
    match = _TOUCH.fullmatch(text)
    if match is None:
        raise Failure(f"bad date '{text}'")
    return _moment(match.groups(), now.tzinfo, now)


def formatted(moment: datetime, form: str) -> str:
    """Format a time as strftime does; %N is the nanoseconds, %3N the milliseconds."""
    nanoseconds = f"{moment.microsecond * 1000:09d}"
    form = _NANOSECONDS.sub(lambda match: nanoseconds[: int(match[1] or 9)], form)
    return moment.strftime(form.replace("%s", str(int(moment.timestamp()))))


def _moment(fields: Sequence[str | None], zone: tzinfo | None, now: datetime) -> float:
    """Return the time specified by year, month, day, hour, minute and second."""
    year, month, day, hour, minute, second = fields
    if year is not None and len(year) == 2:
        year = f"{'19' if int(year) > 68 else '20'}{year}"
    date = int(year or now.year), int(month or now.month), int(day or now.day)
    time = int(hour or 0), int(minute or 0), int(second or 0)
    return datetime(*date, *time, tzinfo=zone).timestamp()


_USUAL = "%a %b %e %H:%M:%S %Z %Y"


@command("date")
async def date(ctx: Context, args: list[str]) -> int:
    """Print the time, or as root set it."""
    options = parse(args, "d:s:u", {"utc": "u"}, most=2)
    clock = ctx.phone.clock
    zone = UTC if "u" in options else clock.zone
    now = clock.now().astimezone(zone)
    forms = [word[1:] for word in options.rest if word.startswith("+")]
    wanted = [*options.all("s"), *(word for word in options.rest if not word.startswith("+"))]
    moment = now
    if "d" in options or wanted:
        seconds = parsed(options.get("d") or wanted[0], now)
        moment = datetime.fromtimestamp(seconds, zone)
        if wanted:
            await _set(ctx, seconds)
    form = forms[0] if forms else _USUAL
    await ctx.out(formatted(moment, form) + "\n")
    return ctx.failed


async def _set(ctx: Context, seconds: float) -> None:
    if ctx.uid == 0:
        ctx.phone.clock.set(seconds)
        ctx.phone.changed()
    else:
        await ctx.complain("cannot set date: Operation not permitted")


@command("uptime")
async def uptime(ctx: Context, args: list[str]) -> int:
    """Print how long the phone has been up."""
    parse(args, "", most=0)
    seconds = int(ctx.phone.clock.uptime())
    now = ctx.phone.clock.now()
    days, rest = divmod(seconds, 86400)
    hours, minutes = divmod(rest // 60, 60)
    lasted = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    up = f"up {f'{days} day, ' if days == 1 else f'{days} days, ' if days else ''}{lasted}"
    await ctx.out(f" {now:%H:%M:%S} {up},  0 users,  load average: 0.00, 0.00, 0.00\n")
    return 0
