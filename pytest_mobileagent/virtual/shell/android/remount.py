"""remount, disable-verity and enable-verity: a system that root may write to, over an overlay."""

from __future__ import annotations

from pytest_mobileagent.virtual.kernel.rootfs import OVERLAY
from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.commands import Context, command

NOT_ROOT = 'Not running as root. Try "adb root" first.\n'


@command("remount")
async def remount(ctx: Context, _: list[str]) -> int:
    """Make the system's partitions writable."""
    if ctx.uid != ROOT:
        await ctx.err(NOT_ROOT)
        return 1
    ctx.phone.files.mkdir(OVERLAY, parents=True)
    await ctx.out("Remount succeeded\n")
    return 0


@command("disable-verity", "enable-verity")
async def verity(ctx: Context, _: list[str]) -> int:
    """Say that partitions are verified from the next start on, or not; nothing here is."""
    if ctx.uid != ROOT:
        await ctx.err(NOT_ROOT)
        return 1
    verb = ctx.name.partition("-")[0]
    await ctx.out(
        f"Successfully {verb}d verity\nReboot the device for new settings to take effect\n"
    )
    return 0
