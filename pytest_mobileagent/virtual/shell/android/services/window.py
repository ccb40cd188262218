"""wm: the window manager's overrides of the display."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

SMALLEST_DENSITY = 72
service = Service("window", script="wm", interface="android.view.IWindowManager")


@service.command("size")
def size(ctx: Context, args: Arguments) -> str:
    """Print or override the size."""
    display, wanted = ctx.phone.display, _wanted(args)
    if wanted is None:
        told = "Physical size: {}x{}\n".format(*display.physical_size)
        if override := display.size_override:
            told += "Override size: {}x{}\n".format(*override)
        return told
    if wanted == "reset":
        display.size_override = None
        return ""
    width, x, height = wanted.partition("x")
    if not x:
        raise Refused(f"Error: bad size {wanted}")
    display.size_override = (_pixels(ctx, width), _pixels(ctx, height))
    return ""


@service.command("density")
def density(ctx: Context, args: Arguments) -> str:
    """Print or override the density."""
    display, wanted = ctx.phone.display, _wanted(args)
    if wanted is None:
        told = f"Physical density: {display.physical_density}\n"
        if override := display.density_override:
            told += f"Override density: {override}\n"
        return told
    if wanted == "reset":
        display.density_override = None
        return ""
    dots = _number(wanted)
    if dots < SMALLEST_DENSITY:
        raise Refused(f"Error: density must be >= {SMALLEST_DENSITY}")
    display.density_override = dots
    return ""


@service.command("user-rotation")
def user_rotation(ctx: Context, args: Arguments) -> str:
    """Print or set the display's rotation."""
    display, wanted = ctx.phone.display, _wanted(args)
    if wanted is None:
        free = ctx.phone.settings.on("system", "accelerometer_rotation")
        return "free\n" if free else f"lock {display.rotation}\n"
    if wanted == "free":
        display.free_rotation()
        return ""
    if wanted != "lock":
        raise Refused("Error: argument needs to be either -d, free or lock.")
    turns = args.next()
    if turns not in (None, "0", "1", "2", "3"):
        raise Refused(f"Error: Invalid rotation: {turns}")
    display.lock_rotation(int(turns) if turns else None)
    return ""


@service.command("dismiss-keyguard")
def dismiss_keyguard(ctx: Context, _: Arguments) -> None:
    """Dismiss the lock screen, or ask for the credential."""
    ctx.phone.keyguard.dismiss()


def _wanted(args: Arguments) -> str | None:
    """Take the value before, between or after the options that name the display."""
    args.options(("-d", "-u"))
    wanted = args.next()
    args.options(("-d", "-u"))
    return wanted


def _pixels(ctx: Context, text: str) -> int:
    if text.endswith("dp"):
        return ctx.phone.display.metrics.px(_number(text.removesuffix("dp")))
    return _number(text.removesuffix("px"))


def _number(text: str) -> int:
    if not re.fullmatch(r"-?\d{1,9}", text):
        words = f'java.lang.NumberFormatException: For input string: "{text}"'
        raise Refused(f"Error: bad number {words}")
    return int(text)
