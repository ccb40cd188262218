"""reboot: starts the phone anew, or switches it off."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.commands import Context, command


@command("reboot")
async def reboot(ctx: Context, args: list[str]) -> int:
    """Reboot, whatever into: this phone has no other system than Android."""
    unknown = next((word for word in args if word.startswith("-") and word != "-p"), None)
    if unknown is not None:
        await ctx.err(f"reboot: Unknown option '{unknown.strip('-')}'\n")
        await ctx.err("usage: reboot [-p] [rebootcommand]\n")
        return 1
    (ctx.phone.init.shutdown if "-p" in args else ctx.phone.reboot)()
    return 0
