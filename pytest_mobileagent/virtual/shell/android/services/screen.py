"""The screen: its geometry, brightness, colours, theme, layers, bars and shade."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)
from pytest_mobileagent.virtual.system.window.display import DISPLAY

# The one overlay of resources that the image has, for the navigation bar that it draws.
NAVIGATION = "com.android.internal.systemui.navbar.threebutton"
display = Service("display", interface="android.hardware.display.IDisplayManager")
colors = Service("color_display", interface="android.hardware.display.IColorDisplayManager")
theme = Service("uimode", interface="android.app.IUiModeManager")
overlay = Service("overlay", interface="android.content.om.IOverlayManager")
shade = Service("statusbar", interface="com.android.internal.statusbar.IStatusBarService")


@display.dump
def dump_display(ctx: Context, _: list[str]) -> str:
    """Tell size, density and rotation."""
    display = ctx.phone.display
    turned = display.physical_size[:: -1 if display.rotation % 2 else 1]
    state = "ON" if ctx.phone.power.awake else "OFF"
    return fill(
        "display", id=DISPLAY, display=display, metrics=display.metrics, turned=turned, state=state
    )


@display.command("set-brightness")
def set_brightness(ctx: Context, args: Arguments) -> None:
    """Set how bright the screen is; the setting has it from 1 to 255."""
    try:
        share = float(args.next() or "")
    except ValueError:
        raise Refused("Error: no brightness specified", 1) from None
    if not 0 <= share <= 1:
        raise Refused("Error: brightness should be a number between 0 and 1", 1)
    ctx.phone.settings.put("system", "screen_brightness", str(1 + round(share * 254)))


@display.command("get-brightness")
def get_brightness(ctx: Context, _: Arguments) -> str:
    """Tell how bright it is."""
    value = int(ctx.phone.settings.text("system", "screen_brightness", "102"))
    return f"{(value - 1) / 254:.7g}\n"


@Service("SurfaceFlinger", interface="android.ui.ISurfaceComposer").dump
def layers(ctx: Context, args: list[str]) -> str:
    """Tell the display and the layers on it, as what draws them has them."""
    phone = ctx.phone
    name = f'Display {DISPLAY} (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'
    names = [f"{window.title}#{at}" for at, window in enumerate(phone.windows.stack)]
    match args:
        case ["--display-id", *_]:
            return name
        case ["--list", *_]:
            return "".join(f"{each}\n" for each in names)
        case ["--latency", *_]:  # how long a frame is shown, in ns; none of them is timed
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
    """Make colours stronger or weaker, which is done after pictures of the screen are taken."""
    level = args.required()
    if not level.isdecimal() or int(level) > 100:
        words = "saturation level must be an integer between 0 and 100, inclusive"
        raise Refused(f"Error: {words}", out=True)


@theme.command("night")
def night(ctx: Context, args: Arguments) -> str:
    """Show or switch the dark theme."""
    display, wanted = ctx.phone.display, args.next()
    if wanted in ("yes", "no"):
        display.dark = wanted == "yes"
    elif wanted is not None:
        raise Refused("Error: mode must be 'yes', 'no', or 'auto' or 'custom_schedule'")
    return f"Night mode: {'yes' if display.dark else 'no'}\n"


@overlay.command("list")
def list_overlays(_ctx: Context, args: Arguments) -> str:
    """List overlays by what they are put over."""
    return f"android\n[x] {NAVIGATION}\n\n" if _name(args) in ("", "android", NAVIGATION) else ""


@overlay.command("enable", "enable-exclusive", "disable")
def change_overlay(_ctx: Context, args: Arguments) -> None:
    """Put an overlay over its target, or take it away: that of the bar stays where it is."""
    verb = args.last.partition("-")[0]
    if _name(args) != NAVIGATION or verb == "disable":
        raise Refused(f"Error: Failed to {verb} overlay", 1)


def _name(args: Arguments) -> str:
    args.options(switches=("--category",))
    return args.next() or ""


@shade.command("expand-notifications")
def expand(ctx: Context, _: Arguments) -> None:
    """Pull the shade down."""
    if not ctx.phone.shade.open:
        ctx.phone.shade.pull()


@shade.command("expand-settings")
def expand_settings(ctx: Context, _: Arguments) -> None:
    """Pull the shade down with all of quick settings."""
    ctx.phone.shade.pull(full=True)


@shade.command("collapse")
def collapse(ctx: Context, _: Arguments) -> None:
    """Push the shade up."""
    ctx.phone.shade.close()
