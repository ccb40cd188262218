"""Whether the phone is awake."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

service = Service(
    "power",
    "Power manager (power) commands:\n  help\n    Print this help text.\n  set-mode MODE\n"
    "    sets the power mode of the device to MODE.\n    1 turns low power mode on and 0 turns it"
    " off.",
    interface="android.os.IPowerManager",
)


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
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


@service.command("set-mode")
def set_mode(ctx: Context, args: Arguments) -> None:
    """Switch the battery saver."""
    mode = args.required()
    if mode not in ("0", "1"):
        raise Refused(f"Error: {mode} is not a valid mode", out=True)
    ctx.phone.settings.put("global", "low_power", mode)
