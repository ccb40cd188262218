"""dumpsys display and power: the screen's geometry, and whether it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

PHYSICAL = "4619827259835644672"
DISPLAY_ID = f"local:{PHYSICAL}"


async def dump(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
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


async def dump_surface_flinger(_: Context, args: list[str]) -> str:
    """Tell the ids of the displays; of frames there is nothing to tell."""
    if "--display-id" not in args:
        return ""
    return f'Display {PHYSICAL} (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'


async def dump_power(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell whether the phone is awake."""
    power, settings = ctx.phone.power, ctx.phone.settings
    awake = str(power.awake).lower()
    return (
        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n"
        f"  mWakefulness={'Awake' if power.awake else 'Asleep'}\n"
        "  mWakefulnessChanging=false\n"
        f"  mIsPowered={str(power.battery.ac or power.battery.usb).lower()}\n"
        f"  mBatteryLevel={power.level}\n"
        f"  mHoldingDisplaySuspendBlocker={awake}\n"
        f"  mScreenOffTimeoutSetting={settings.text('system', 'screen_off_timeout')}\n"
        f"  mStayOn={str(settings.on('global', 'stay_on_while_plugged_in')).lower()}\n"
        f"Display Power: state={'ON' if power.awake else 'OFF'}\n"
    )
