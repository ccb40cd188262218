"""yadb: a tool that agents push to a phone to type any text; app_process runs its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

PICTURE = "/data/local/tmp/yadb_screenshot.png"


async def yadb(ctx: Context, args: list[str]) -> int:
    """Run the requested action."""
    match args:
        case ["-keyboard", text, *_]:
            ctx.phone.clipboard.text = text.replace("\\n", "\n")
            await ctx.run(["input", "keycombination", "CTRL_LEFT", "V"])
            await ctx.out("Copy text:true\n")
        case ["-keyboardClear", *_]:
            await ctx.run(["input", "keycombination", "CTRL_LEFT", "A"])
            await ctx.run(["input", "keyevent", "DEL"])
        case ["-touch", x, y, duration]:
            await ctx.run(["input", "swipe", x, y, x, y, duration])
        case ["-touch", x, y]:
            await ctx.run(["input", "tap", x, y])
        case ["-pinch", x, y, start, end, _]:
            try:
                ctx.phone.pinch(float(x), float(y), float(end) / float(start))
            except (ValueError, ZeroDivisionError) as error:
                await ctx.out(f"MainException: java.lang.NumberFormatException: {error}\n")
        case ["-screenshot", *rest]:
            picture = rest[0] if rest else PICTURE
            await ctx.run(["screencap", "-p", picture])
            await ctx.out(f"screenshot success:{picture}\n")
        case _:
            await ctx.out("Invalid argument\n")
    return 0
