"""sendevent: events of the kernel's input devices."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.system.input.evdev import DEVICE

KEYBOARD = "/dev/input/event0"


@command("sendevent")
async def sendevent(ctx: Context, args: list[str]) -> int:
    """Send one event to a device."""
    if len(args) != 4:
        await ctx.err("usage: sendevent DEVICE TYPE CODE VALUE\n")
        return 1
    if args[0] not in (DEVICE, KEYBOARD):
        await ctx.err(f"sendevent: {args[0]}: No such file or directory\n")
        return 1
    try:
        type_, code, value = (int(word, 0) for word in args[1:])
    except ValueError:
        wrong = next(word for word in args[1:] if not word.lstrip("-").isdecimal())
        await ctx.err(f"sendevent: not integer: {wrong}\n")
        return 1
    ctx.phone.touchscreen.event(type_, code, value)
    return 0
