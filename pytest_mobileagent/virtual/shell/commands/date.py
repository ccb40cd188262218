"""date, cal and uptime: the phone's clock, shown and set."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.dates import formatted, parsed
from pytest_mobileagent.virtual.shell.options import parse

_USUAL = "%a %b %e %H:%M:%S %Z %Y"
_ISO = {
    "date": "%Y-%m-%d",
    "hours": "%Y-%m-%dT%H%z",
    "minutes": "%Y-%m-%dT%H:%M%z",
    "seconds": "%Y-%m-%dT%H:%M:%S%z",
    "ns": "%Y-%m-%dT%H:%M:%S,%N%z",
}


@command("date")
async def date(ctx: Context, args: list[str]) -> int:
    """Show the time, or as root set it."""
    options = parse(args, "D:I:Rd:r:s:u", {"utc": "u"}, most=2)
    clock = ctx.phone.clock
    zone = UTC if "u" in options else clock.zone
    now = clock.now().astimezone(zone)
    forms = [word[1:] for word in options.rest if word.startswith("+")]
    wanted = [*options.all("s"), *(word for word in options.rest if not word.startswith("+"))]
    moment = now
    if "r" in options:
        moment = datetime.fromtimestamp(ctx.files.stat(options.get("r")).mtime, zone)
    elif "d" in options or wanted:
        text = options.get("d") or wanted[0]
        seconds = _parsed(text, options.get("D"), now)
        moment = datetime.fromtimestamp(seconds, zone)
        if wanted:
            await _set(ctx, seconds)
    form = forms[0] if forms else _USUAL
    if "R" in options:
        form = "%a, %d %b %Y %H:%M:%S %z"
    if "I" in options:
        kind = options.get("I")
        form = next((text for name, text in _ISO.items() if kind and name.startswith(kind)), "")
        if not form:
            raise Failure(f"bad -I: {kind}")
    await ctx.out(formatted(moment, form) + "\n")
    return ctx.failed


def _parsed(text: str, form: str, now: datetime) -> float:
    if not form:
        return parsed(text, now)
    try:
        return datetime.strptime(text, form).replace(tzinfo=now.tzinfo).timestamp()
    except ValueError:
        raise Failure(f"bad date {text}") from None


async def _set(ctx: Context, seconds: float) -> None:
    if ctx.uid == 0:
        ctx.phone.clock.set(seconds)
        ctx.phone.changed()
    else:
        await ctx.complain("cannot set date: Operation not permitted")


@command("cal")
async def cal(ctx: Context, args: list[str]) -> int:
    """Print a month, or a year."""
    options = parse(args, "h", most=2)
    now = ctx.phone.clock.now()
    numbers = [int(word) for word in options.rest if word.isdecimal()]
    if len(numbers) < len(options.rest):
        raise Failure("bad date")
    pages = calendar.TextCalendar(calendar.SUNDAY)
    if len(numbers) == 1:
        await ctx.out(pages.formatyear(numbers[0]))
    else:
        month, year = numbers or (now.month, now.year)
        await ctx.out(pages.formatmonth(year, month))
    return 0


@command("uptime")
async def uptime(ctx: Context, args: list[str]) -> int:
    """Say how long the phone has been up."""
    options = parse(args, "ps", most=0)
    seconds = int(ctx.phone.clock.uptime())
    now = ctx.phone.clock.now()
    if "s" in options:
        since = datetime.fromtimestamp(now.timestamp() - seconds, now.tzinfo)
        await ctx.out(f"{since:%Y-%m-%d %H:%M:%S}\n")
        return 0
    days, rest = divmod(seconds, 86400)
    hours, minutes = divmod(rest // 60, 60)
    lasted = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    up = f"up {f'{days} day, ' if days == 1 else f'{days} days, ' if days else ''}{lasted}"
    await ctx.out(f" {now:%H:%M:%S} {up},  0 users,  load average: 0.00, 0.00, 0.00\n")
    return 0
