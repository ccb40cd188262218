"""wm: the window manager's overrides of the display."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    Answer,
    Arguments,
    Context,
    Service,
)

SMALLEST_DENSITY = 72
service = Service("window", script="wm", interface="android.view.IWindowManager")


@service.command("size")
async def size(ctx: Context, args: Arguments) -> int:
    """Show or override the size."""
    display, wanted = ctx.phone.display, _without_display(args)
    if not wanted:
        await ctx.out("Physical size: {}x{}\n".format(*display.physical_size))
        if override := display.size_override:
            await ctx.out("Override size: {}x{}\n".format(*override))
        return 0
    if wanted[0] == "reset":
        display.size_override = None
        return 0
    width, x, height = wanted[0].partition("x")
    if not x:
        return await _error(ctx, f"bad size {wanted[0]}")
    try:
        display.size_override = (_pixels(ctx, width), _pixels(ctx, height))
    except ValueError as error:
        return await _error(ctx, f"bad number java.lang.NumberFormatException: {error}")
    return 0


@service.command("density")
async def density(ctx: Context, args: Arguments) -> int:
    """Show or override the density."""
    display, wanted = ctx.phone.display, _without_display(args)
    if not wanted:
        await ctx.out(f"Physical density: {display.physical_density}\n")
        if display.density_override:
            await ctx.out(f"Override density: {display.density_override}\n")
        return 0
    if wanted[0] == "reset":
        display.density_override = None
        return 0
    try:
        dots = _number(wanted[0])
    except ValueError as error:
        return await _error(ctx, f"bad number java.lang.NumberFormatException: {error}")
    if dots < SMALLEST_DENSITY:
        return await _error(ctx, f"density must be >= {SMALLEST_DENSITY}")
    display.density_override = dots
    return 0


@service.command("user-rotation", "set-user-rotation")
async def user_rotation(ctx: Context, args: Arguments) -> Answer:
    """Show or set how the display is turned."""
    settings, words = ctx.phone.settings, _without_display(args)
    if not words:
        locked = not settings.on("system", "accelerometer_rotation")
        return f"lock {ctx.phone.display.rotation}\n" if locked else "free\n"
    if words[0] == "free":
        ctx.phone.display.free_rotation()
        return 0
    if words[0] != "lock":
        return await _error(ctx, "argument needs to be either -d, free or lock.")
    if words[1:] and not re.fullmatch("[0-3]", words[1]):
        return await _error(ctx, f"Invalid rotation: {words[1]}")
    ctx.phone.display.lock_rotation(int(words[1]) if words[1:] else None)
    return 0


@service.command("dismiss-keyguard")
def dismiss_keyguard(ctx: Context, args: Arguments) -> None:
    """Dismiss the lock screen, or ask for what unlocks it."""
    args.rest()
    ctx.phone.keyguard.dismiss()


def _without_display(args: Arguments) -> list[str]:
    words = args.rest()
    while "-d" in words or "-u" in words:
        at = words.index("-d" if "-d" in words else "-u")
        del words[at : at + 2]
    return words


def _pixels(ctx: Context, text: str) -> int:
    if text.endswith("dp"):
        return ctx.phone.display.metrics.px(_number(text.removesuffix("dp")))
    return _number(text.removesuffix("px"))


def _number(text: str) -> int:
    if not re.fullmatch(r"-?\d{1,9}", text):
        raise ValueError(f'For input string: "{text}"')
    return int(text)


async def _error(ctx: Context, message: str) -> int:
    await ctx.err(f"Error: {message}\n")
    return FAILED
