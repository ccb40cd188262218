"""log: writes a line to the log."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse

LEVELS = "VDIWEFS"


@command("log")
async def log(ctx: Context, args: list[str]) -> int:
    """Write the words, or the lines of stdin, to the log."""
    options = parse(args, "p:t:", stop=True)
    level = options.get("p", "i")[:1].upper()
    if not level or level not in LEVELS:
        raise Failure(f"bad -p '{options.get('p')}'")
    lines = [" ".join(options.rest)]
    if not options.rest:
        lines = (await ctx.read_all()).decode(errors="replace").splitlines()
    for line in lines:
        if level != "S":
            ctx.phone.log.write(level, options.get("t", "log"), line, pid=ctx.pid)
    return 0
