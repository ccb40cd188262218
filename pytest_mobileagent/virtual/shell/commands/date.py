"""date, cal and uptime: the phone's clock, shown and set."""

from __future__ import annotations

from datetime import UTC, datetime

from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.dates import formatted, parsed
from pytest_mobileagent.virtual.shell.options import parse

_USUAL = "%a %b %e %H:%M:%S %Z %Y"


@command("date")
async def date(ctx: Context, args: list[str]) -> int:
    """Show the time, or as root set it."""
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
    """Say how long the phone has been up."""
    parse(args, "", most=0)
    seconds = int(ctx.phone.clock.uptime())
    now = ctx.phone.clock.now()
    days, rest = divmod(seconds, 86400)
    hours, minutes = divmod(rest // 60, 60)
    lasted = f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min"
    up = f"up {f'{days} day, ' if days == 1 else f'{days} days, ' if days else ''}{lasted}"
    await ctx.out(f" {now:%H:%M:%S} {up},  0 users,  load average: 0.00, 0.00, 0.00\n")
    return 0
