"""wm: the window manager's overrides of the display, and what dumpsys tells about windows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import short
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context
    from pytest_mobileagent.virtual.system.interfaces import Record, Window

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


TYPES = {  # all except a dialog's scrim, which is not a window but drawn by the compositor
    "activity": "BASE_APPLICATION",
    "dialog": "APPLICATION",
    "headsup": "NOTIFICATION_SHADE",
    "keyboard": "INPUT_METHOD",
    "keyguard": "NOTIFICATION_SHADE",
    "menu": "APPLICATION_SUB_PANEL",
    "navigation": "NAVIGATION_BAR",
    "shade": "NOTIFICATION_SHADE",
    "status": "STATUS_BAR",
    "toast": "TOAST",
    "wallpaper": "WALLPAPER",
}


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Describe displays, windows, or both."""
    match args:
        case ["displays" | "d", *_]:
            return _displays(ctx.phone)
        case ["windows" | "w" | "visible", *_]:
            return _windows(ctx.phone)
    return _policy(ctx.phone) + _windows(ctx.phone) + _displays(ctx.phone)


def _policy(phone: Phone) -> str:
    keyguard, awake = phone.keyguard, phone.power.awake
    return fill(
        "window_policy",
        awake=awake,
        keyguard=keyguard,
        occluded=keyguard.locked and not keyguard.showing,
        screen="ON" if awake else "OFF",
        interactive="AWAKE" if awake else "SLEEP",
    )


def _windows(phone: Phone) -> str:
    windows = [window for window in phone.windows.stack if window.kind in TYPES]
    blocks = [_window(phone, window, at) for at, window in reversed(list(enumerate(windows)))]
    head, end = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n", "\n  mTopFocusedDisplayId=0\n"
    return f"{head}{''.join(blocks)}{end}"


def _window(phone: Phone, window: Window, at: int) -> str:
    left, top, right, bottom = window.box.bounds
    package, metrics = window.package, phone.display.metrics
    return fill(
        "window_one",
        at=at,
        name=name(window),
        window=window,
        task=phone.activities.task_of(window.record).number,
        pid=phone.proc.pid(package),
        token=token(window),
        uid=phone.packages[package].uid if package in phone.packages else 1000,
        type=TYPES[window.kind],
        width=right - left,
        height=bottom - top,
        frame=f"[{left},{top}][{right},{bottom}]",
        screen=f"[0,0][{metrics.width_px},{metrics.height_px}]",
    )


def _displays(phone: Phone) -> str:
    display, focus = phone.display, name(phone.windows.active) if phone.power.awake else None
    return fill(
        "window_displays",
        display=display,
        size=f"{display.metrics.width_px}x{display.metrics.height_px}",
        degrees=90 * display.rotation,
        focus=focus,
        top=record(phone, phone.activities.top),
        target=focus if phone.ime.shown else None,
    )


def name(window: Window) -> str:
    """Return a window's name as Android prints it."""
    title = window.title
    if window.kind == "menu":
        title = f"PopupWindow:{token(window)}"
    return f"Window{{{token(window)} u0 {title}}}"


def token(window: Window) -> str:
    """Return a hash that stays the same as long as the window exists."""
    seed = sum((at + 1) * ord(char) for at, char in enumerate(window.kind))
    return f"{(window.record.number * 0x9E3779B1 + seed * 0x85EBCA6B) & 0xFFFFFFF:x}"


def record(phone: Phone, top: Record) -> str:
    """Return the name of an activity record, with the extra brace that Android 14 prints."""
    task = phone.activities.task_of(top)
    return f"ActivityRecord{{{top.token} u0 {short(top.component)}}} t{task.number}}}"
