"""What has used the battery: nothing, as the phone does not discharge by itself."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("batterystats", interface="com.android.internal.app.IBatteryStats")


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Tell how long the phone has run; take the commands that scripts begin with."""
    match args:
        case ["--reset", *_]:
            return "Battery stats reset.\n"
        case ["--enable" | "--disable" as verb, what, *_]:
            return f"{verb.strip('-').capitalize()}d: {what}\n"
    power, seconds = ctx.phone.power, int(ctx.phone.clock.uptime())
    minutes, hours = seconds // 60 % 60, seconds // 3600
    span = f"{hours}h {minutes}m {seconds % 60}s 0ms"
    return (
        "Battery History (0% used, 600 used of 4096KB, 8 strings using 512):\n"
        f"                    0 (9) RESET:TIME: {ctx.phone.clock.now():%Y-%m-%d-%H-%M-%S}\n"
        f"                    0 (2) {power.level:03} status=not-charging health=good plug=none\n\n"
        "Statistics since last charge:\n"
        f"  System starts: 1, currently on battery: {str(not power.charging).lower()}\n"
        "  Estimated battery capacity: 3000 mAh\n"
        f"  Time on battery: {span} (100%) realtime, {span} (100%) uptime\n"
        f"  Total run time: {span} realtime, {span} uptime\n"
        "  Discharge: 0 mAh\n  Screen on discharge: 0 mAh\n"
    )
