"""The screen's geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import Service
from pytest_mobileagent.virtual.system.window.display import DISPLAY

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

service = Service("display", interface="android.hardware.display.IDisplayManager")
DISPLAY_ID = f"local:{DISPLAY}"


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell size, density and rotation."""
    display, metrics = ctx.phone.display, ctx.phone.display.metrics
    width, height = metrics.width_px, metrics.height_px
    natural = display.size_override or display.physical_size
    state = "ON" if ctx.phone.power.awake else "OFF"
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        f"  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0,"
        f" uniqueId='{DISPLAY_ID}', physicalPort=0, orientation={display.rotation},"
        f" logicalFrame=Rect(0, 0 - {width}, {height}),"
        f" physicalFrame=Rect(0, 0 - {natural[0]}, {natural[1]}),"
        f" deviceWidth={natural[0]}, deviceHeight={natural[1]}}}]\n"
        f"  mGlobalDisplayState={state}\n"
        "Display Devices: size=1\n"
        f'  DisplayDeviceInfo{{"Built-in Screen": uniqueId="{DISPLAY_ID}",'
        f" {display.physical_size[0]} x {display.physical_size[1]},"
        f" density {display.physical_density}, state {state}}}\n"
        "Logical Displays: size=1\n  Display 0:\n    mDisplayId=0\n"
        f'    mBaseDisplayInfo=DisplayInfo{{"Built-in Screen", displayId 0,'
        f" real {width} x {height}, rotation {display.rotation}, state {state}}}\n"
    )
