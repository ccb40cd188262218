"""getprop and setprop."""

from __future__ import annotations

from pytest_mobileagent.virtual.kernel.properties import HINT
from pytest_mobileagent.virtual.shell.commands import Context, command

ROOT, SYSTEM = 0, 1000
OF_ROOT = ("ctl.", "persist.sys.locale")  # what the user of adb shell may not set
USAGE = "usage: setprop NAME VALUE\n\nSets an Android system property.\n"


@command("getprop")
async def getprop(ctx: Context, args: list[str]) -> int:
    """Print one property, or all."""
    words = [word for word in args if not word.startswith("-")]
    if words:
        default = words[1] if len(words) > 1 else ""
        await ctx.out(f"{ctx.phone.props.get(words[0], default)}\n")
        return 0
    lines = [f"[{name}]: [{value}]\n" for name, value in sorted(ctx.phone.props.items())]
    await ctx.out("".join(lines))
    return 0


@command("setprop")
async def setprop(ctx: Context, args: list[str]) -> int:
    """Set one property."""
    if len(args) != 2:
        await ctx.out(USAGE)
        return 1
    name, value = args
    if ctx.uid not in (ROOT, SYSTEM) and name.startswith(OF_ROOT):
        await ctx.err(f"setprop: Failed to set property '{name}' to '{value}'.\n{HINT}\n")
        return 1
    if name == "ctl.restart" and value == "zygote":
        ctx.phone.restart()
        return 0
    try:
        ctx.phone.props.set(*args)
    except ValueError as error:
        await ctx.err(f"setprop: {error}\n")
        return 1
    return 0
