"""The display and its windows: size, rotation, brightness, colours, theme, layers and shade."""

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
from pytest_mobileagent.virtual.system.configuration import DISPLAY

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
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


# The image's only resource overlay, for the kind of navigation bar that it draws.
NAVIGATION = "com.android.internal.systemui.navbar.threebutton"
display = Service("display", interface="android.hardware.display.IDisplayManager")
colors = Service("color_display", interface="android.hardware.display.IColorDisplayManager")
theme = Service("uimode", interface="android.app.IUiModeManager")
overlay = Service("overlay", interface="android.content.om.IOverlayManager")
shade = Service("statusbar", interface="com.android.internal.statusbar.IStatusBarService")


@display.dump
def dump_display(ctx: Context, _: list[str]) -> str:
    """Describe size, density and rotation."""
    display = ctx.phone.display
    turned = display.physical_size[:: -1 if display.rotation % 2 else 1]
    state = "ON" if ctx.phone.power.awake else "OFF"
    metrics = display.metrics
    return fill("display", id=DISPLAY, display=display, metrics=metrics, turned=turned, state=state)


@display.command("set-brightness")
def set_brightness(ctx: Context, args: Arguments) -> None:
    """Set the screen's brightness; the corresponding setting ranges from 1 to 255."""
    try:
        share = float(args.next() or "")
    except ValueError:
        raise Refused("Error: no brightness specified", 1) from None
    if not 0 <= share <= 1:
        raise Refused("Error: brightness should be a number between 0 and 1", 1)
    ctx.phone.settings.put("system", "screen_brightness", str(1 + round(share * 254)))


@display.command("get-brightness")
def get_brightness(ctx: Context, _: Arguments) -> str:
    """Print the screen's brightness."""
    value = int(ctx.phone.settings.text("system", "screen_brightness", "102"))
    return f"{(value - 1) / 254:.7g}\n"


@Service("SurfaceFlinger", interface="android.ui.ISurfaceComposer").dump
def layers(ctx: Context, args: list[str]) -> str:
    """Describe the display and its layers, as the compositor does."""
    phone = ctx.phone
    name = f'Display {DISPLAY} (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'
    names = [f"{window.title}#{at}" for at, window in enumerate(phone.windows.stack)]
    match args:
        case ["--display-id", *_]:
            return name
        case ["--list", *_]:
            return "".join(f"{each}\n" for each in names)
        case ["--latency", *_]:  # how long a frame is shown, in ns; no frames are timed
            return "16666666\n"
        case ["--latency-clear", *_]:
            return ""
    return fill(
        "SurfaceFlinger",
        id=DISPLAY,
        name=name,
        count=len(names),
        layers="".join(f"+ Layer ({each})\n" for each in names),
        mode="On" if phone.power.awake else "Off",
        metrics=phone.display.metrics,
        display=phone.display,
    )


@colors.command("set-saturation", "set-layer-saturation")
def set_saturation(_ctx: Context, args: Arguments) -> None:
    """Set the saturation of colours, which does not affect screenshots."""
    level = args.required()
    if not level.isdecimal() or int(level) > 100:
        words = "saturation level must be an integer between 0 and 100, inclusive"
        raise Refused(f"Error: {words}", out=True)


@theme.command("night")
def night(ctx: Context, args: Arguments) -> str:
    """Print or switch the dark theme."""
    display, wanted = ctx.phone.display, args.next()
    if wanted in ("yes", "no"):
        display.dark = wanted == "yes"
    elif wanted is not None:
        raise Refused("Error: mode must be 'yes', 'no', or 'auto' or 'custom_schedule'")
    return f"Night mode: {'yes' if display.dark else 'no'}\n"


@overlay.command("list")
def list_overlays(_ctx: Context, args: Arguments) -> str:
    """List overlays by their targets."""
    return f"android\n[x] {NAVIGATION}\n\n" if _name(args) in ("", "android", NAVIGATION) else ""


@overlay.command("enable", "enable-exclusive", "disable")
def change_overlay(_ctx: Context, args: Arguments) -> None:
    """Enable or disable an overlay; the navigation bar's cannot be disabled."""
    verb = args.last.partition("-")[0]
    if _name(args) != NAVIGATION or verb == "disable":
        raise Refused(f"Error: Failed to {verb} overlay", 1)


def _name(args: Arguments) -> str:
    args.options(switches=("--category",))
    return args.next() or ""


@shade.command("expand-notifications")
def expand(ctx: Context, _: Arguments) -> None:
    """Open the shade."""
    if not ctx.phone.shade.open:
        ctx.phone.shade.pull()


@shade.command("expand-settings")
def expand_settings(ctx: Context, _: Arguments) -> None:
    """Open the shade with quick settings fully expanded."""
    ctx.phone.shade.pull(full=True)


@shade.command("collapse")
def collapse(ctx: Context, _: Arguments) -> None:
    """Close the shade."""
    ctx.phone.shade.close()
