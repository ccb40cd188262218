"""The screen: its geometry, brightness, colours, theme, layers, bars and shade."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)
from pytest_mobileagent.virtual.system.configuration import DISPLAY

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
    return fill(
        "display", id=DISPLAY, display=display, metrics=display.metrics, turned=turned, state=state
    )


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
