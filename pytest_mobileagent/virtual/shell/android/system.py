"""getprop, setprop, svc, reboot, remount and verity: the system's properties and switches."""

from __future__ import annotations

from pytest_mobileagent.virtual.kernel.properties import HINT
from pytest_mobileagent.virtual.kernel.rootfs import OVERLAY
from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Context, command

SYSTEM = 1000
OF_ROOT = ("ctl.", "persist.sys.locale")  # what the user of adb shell may not set
SET_USAGE = "usage: setprop NAME VALUE\n\nSets an Android system property.\n"
STAY_ON = {"false": "0", "ac": "1", "usb": "2", "wireless": "4", "true": "15"}
NOT_ROOT = 'Not running as root. Try "adb root" first.\n'


@command("getprop")
async def getprop(ctx: Context, args: list[str]) -> int:
    """Print one property, or all."""
    words = [word for word in args if not word.startswith("-")]
    if words:
        default = words[1] if len(words) > 1 else ""
        await ctx.out(f"{ctx.phone.props.get(words[0], default)}\n")
        return 0
    lines = [f"[{name}]: [{value}]\n" for name, value in sorted(ctx.phone.props.items())]
    await ctx.out("".join(lines))
    return 0


@command("setprop")
async def setprop(ctx: Context, args: list[str]) -> int:
    """Set one property."""
    if len(args) != 2:
        await ctx.out(SET_USAGE)
        return 1
    name, value = args
    if ctx.uid not in (ROOT, SYSTEM) and name.startswith(OF_ROOT):
        await ctx.err(f"setprop: Failed to set property '{name}' to '{value}'.\n{HINT}\n")
        return 1
    if name == "ctl.restart" and value == "zygote":
        ctx.phone.restart()
        return 0
    try:
        ctx.phone.props.set(*args)
    except ValueError as error:
        await ctx.err(f"setprop: {error}\n")
        return 1
    return 0


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
