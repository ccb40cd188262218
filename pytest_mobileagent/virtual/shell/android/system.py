"""getprop, setprop, svc, reboot, remount and verity: system properties and switches."""

from __future__ import annotations

from pytest_mobileagent.virtual.kernel.files import OVERLAY
from pytest_mobileagent.virtual.kernel.properties import HINT
from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Context, Failure, Refused, command

SYSTEM = 1000
OF_ROOT = ("ctl.", "persist.sys.locale")  # not settable by the user of adb shell
SET_USAGE = "usage: setprop NAME VALUE\n\nSets an Android system property."
STAY_ON = {"false": "0", "ac": "1", "usb": "2", "wireless": "4", "true": "15"}


@command("getprop")
async def getprop(ctx: Context, args: list[str]) -> int:
    """Print a property, or all properties."""
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
    """Set a property."""
    if len(args) != 2:
        raise Refused(SET_USAGE, 1, out=True)
    name, value = args
    if ctx.uid not in (ROOT, SYSTEM) and name.startswith(OF_ROOT):
        raise Failure(f"Failed to set property '{name}' to '{value}'.\n{HINT}")
    if name == "ctl.restart" and value == "zygote":
        ctx.phone.restart()
        return 0
    try:
        ctx.phone.props.set(*args)
    except ValueError as error:
        raise Failure(str(error)) from error
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
        case ["nfc", "enable" | "disable"]:  # as on the emulator, which has no antenna
            await ctx.err("Got a null NfcAdapter, is the system running?\n")
            return 0
        case ["power", "stayon", mode] if mode in STAY_ON:
            ctx.phone.settings.put("global", "stay_on_while_plugged_in", STAY_ON[mode])
            return 0
        case ["power", ("reboot" | "shutdown") as verb, *_]:
            (ctx.phone.reboot if verb == "reboot" else ctx.phone.init.shutdown)()
            return 0
    raise Refused(help_text("svc"), 1, out=True)


@command("reboot")
async def reboot(ctx: Context, args: list[str]) -> int:
    """Reboot, whatever the target: this phone has no other system than Android."""
    unknown = next((word for word in args if word.startswith("-") and word != "-p"), None)
    if unknown is not None:
        usage = "usage: reboot [-p] [rebootcommand]"
        raise Failure(f"Unknown option '{unknown.strip('-')}'\n{usage}")
    (ctx.phone.init.shutdown if "-p" in args else ctx.phone.reboot)()
    return 0


@command("remount")
async def remount(ctx: Context, _: list[str]) -> int:
    """Make the system partitions writable."""
    _demand_root(ctx)
    ctx.phone.files.mkdir(OVERLAY, parents=True)
    await ctx.out("Remount succeeded\n")
    return 0


@command("disable-verity", "enable-verity")
async def verity(ctx: Context, _: list[str]) -> int:
    """Print that verification changes at the next boot; no partition is actually verified."""
    _demand_root(ctx)
    verb = ctx.name.partition("-")[0]
    await ctx.out(
        f"Successfully {verb}d verity\nReboot the device for new settings to take effect\n"
    )
    return 0


def _demand_root(ctx: Context) -> None:
    if ctx.uid != ROOT:
        raise Refused('Not running as root. Try "adb root" first.', 1)
