"""The screen's geometry."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.screen import DISPLAY
from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

HELP = """Display manager commands:
  help
    Print this help text.

  set-brightness BRIGHTNESS
    Sets the current brightness to BRIGHTNESS (a number between 0 and 1).
  get-brightness DISPLAY_ID
    Gets the current brightness of the specified display."""
service = Service("display", HELP, interface="android.hardware.display.IDisplayManager")
DISPLAY_ID = f"local:{DISPLAY}"


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell size, density and rotation."""
    display, metrics = ctx.phone.display, ctx.phone.display.metrics
    width, height = metrics.width_px, metrics.height_px
    physical = display.physical_size[:: -1 if display.rotation % 2 else 1]
    state = "ON" if ctx.phone.power.awake else "OFF"
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        f"  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0,"
        f" uniqueId='{DISPLAY_ID}', physicalPort=0, orientation={display.rotation},"
        f" logicalFrame=Rect(0, 0 - {width}, {height}),"
        f" physicalFrame=Rect(0, 0 - {physical[0]}, {physical[1]}),"
        f" deviceWidth={physical[0]}, deviceHeight={physical[1]}}}]\n"
        f"  mGlobalDisplayState={state}\n"
        "Display Devices: size=1\n"
        f'  DisplayDeviceInfo{{"Built-in Screen": uniqueId="{DISPLAY_ID}",'
        f" {display.physical_size[0]} x {display.physical_size[1]},"
        f" density {display.physical_density}, state {state}}}\n"
        "Logical Displays: size=1\n  Display 0:\n    mDisplayId=0\n"
        f'    mBaseDisplayInfo=DisplayInfo{{"Built-in Screen", displayId 0,'
        f" real {width} x {height}, rotation {display.rotation}, state {state}}}\n"
    )


@service.command("set-brightness")
def set_brightness(ctx: Context, args: Arguments) -> None:
    """Set how bright the screen is; the setting has it from 1 to 255."""
    try:
        share = float(args.next() or "")
    except ValueError:
        raise Refused("Error: no brightness specified", 1) from None
    if not 0 <= share <= 1:
        raise Refused("Error: brightness should be a number between 0 and 1", 1)
    ctx.phone.settings.put("system", "screen_brightness", str(1 + round(share * 254)))


@service.command("get-brightness")
def get_brightness(ctx: Context, _: Arguments) -> str:
    """Tell how bright it is."""
    value = int(ctx.phone.settings.text("system", "screen_brightness", "102"))
    return f"{(value - 1) / 254:.7g}\n"
