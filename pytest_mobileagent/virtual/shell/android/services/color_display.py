"""Colours of the display; screenshots are taken before they are changed, as on Android."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

service = Service(
    "color_display",
    "Color display manager (color_display) commands:\n  help\n    Print this help text.\n"
    "  set-saturation LEVEL\n    Sets the device saturation to the given LEVEL, 0-100 inclusive.\n"
    "  set-layer-saturation LEVEL CALLER_PACKAGE TARGET_PACKAGE",
    interface="android.hardware.display.IColorDisplayManager",
)


@service.command("set-saturation", "set-layer-saturation")
def set_saturation(_ctx: Context, args: Arguments) -> None:
    """Make the display's colours stronger or weaker, which no picture shows."""
    level = args.required()
    if not level.isdecimal() or int(level) > 100:
        words = "saturation level must be an integer between 0 and 100, inclusive"
        raise Refused(f"Error: {words}", out=True)
