"""svc: switches radios and the screen's stay-awake; since 13 a script over `cmd`."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Context, command

STAY_ON = {"false": "0", "ac": "1", "usb": "2", "wireless": "4", "true": "15"}


@command("svc")
async def svc(ctx: Context, args: list[str]) -> int:
    """Switch something on or off."""
    match args:
        case ["wifi", ("enable" | "disable") as verb]:
            return await ctx.run(["cmd", "wifi", "set-wifi-enabled", f"{verb}d"])
        case ["data", ("enable" | "disable") as verb]:
            return await ctx.run(["cmd", "phone", "data", verb])
        case ["bluetooth", ("enable" | "disable") as verb]:
            return await ctx.run(["cmd", "bluetooth_manager", verb])
        case ["power", "stayon", mode] if mode in STAY_ON:
            ctx.phone.settings.put("global", "stay_on_while_plugged_in", STAY_ON[mode])
            return 0
        case ["power", ("reboot" | "shutdown") as verb, *_]:
            (ctx.phone.reboot if verb == "reboot" else ctx.phone.init.shutdown)()
            return 0
    await ctx.out(help_text("svc"))
    return 1
