"""The last known position, and which providers there are."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Service

service = Service(
    "location",
    "Location service commands:\n  help or -h\n    Print this help text.\n"
    "  is-location-enabled [--user <USER_ID>]\n"
    "  set-location-enabled true|false [--user <USER_ID>]",
    interface="android.location.ILocationManager",
)


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell where the phone is."""
    fix, on = ctx.phone.hardware.fix, ctx.phone.settings.on("secure", "location_mode")
    last = (
        f"Location[gps {fix.latitude:.6f},{fix.longitude:.6f} hAcc=5.0 et=+{_span(fix.uptime)}"
        f" alt={fix.altitude} vAcc=0.5 vel={fix.velocity * 0.514444:.1f} sAcc=0.5]"
    )
    blocks = "".join(
        f"    {name} provider:\n      enabled: {str(on).lower()}\n"
        f"      last location={_named(last, name) if on else 'null'}\n"
        for name in ("passive", "network", "fused", "gps")
    )
    return (
        "Location Manager State:\n"
        f"  User Info:\n    running users: u[0]\n    current users: u[0]\n"
        f"  Location Setting: {str(on).lower()}\n  Location Providers:\n{blocks}"
    )


def _named(location: str, provider: str) -> str:
    return location.replace("[gps ", f"[{'gps' if provider == 'passive' else provider} ", 1)


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(seconds * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (rest // 1000, "s"))
    return "".join(f"{n}{unit}" for n, unit in parts if n) + f"{rest % 1000}ms"


@service.command("is-location-enabled")
def is_location_enabled(ctx: Context, args: Arguments) -> str:
    """Tell whether apps may learn where the phone is."""
    args.rest()
    on = ctx.phone.settings.on("secure", "location_mode")
    return f"{str(on).lower()}\n"


@service.command("set-location-enabled")
def set_location_enabled(ctx: Context, args: Arguments) -> None:
    """Let apps learn it, or not."""
    wanted = args.required().lower() == "true"
    ctx.phone.settings.put("secure", "location_mode", "3" if wanted else "0")
