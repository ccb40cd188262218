"""Bluetooth."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Service

service = Service("bluetooth_manager", "Bluetooth Manager Commands:\n  enable\n  disable")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell whether Bluetooth is on."""
    on = ctx.phone.radios.bluetooth
    name = ctx.phone.settings.text("secure", "bluetooth_name")
    return (
        f"Bluetooth Status\n  enabled: {str(on).lower()}\n  state: {'ON' if on else 'OFF'}\n"
        f"  address: 02:00:00:44:55:66\n  name: {name}\n"
    )


@service.command("enable")
async def enable_bluetooth(ctx: Context, _: Arguments) -> None:
    """Switch Bluetooth on."""
    await ctx.out("Enabling Bluetooth\n")
    ctx.phone.radios.set_bluetooth(True)


@service.command("disable")
async def disable_bluetooth(ctx: Context, _: Arguments) -> None:
    """Switch Bluetooth off."""
    await ctx.out("Disabling Bluetooth\n")
    ctx.phone.radios.set_bluetooth(False)
