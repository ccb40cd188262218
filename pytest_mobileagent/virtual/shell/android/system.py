"""Properties, switches and services of the system: getprop, svc, reboot, cmd, dumpsys, service."""

from __future__ import annotations

import io
import zipfile

from pytest_mobileagent.virtual.kernel.files import OVERLAY
from pytest_mobileagent.virtual.kernel.properties import HINT
from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.android.service import (
    answer,
    fill,
    help_text,
    no_service,
    services,
)
from pytest_mobileagent.virtual.shell.commands import Answer, Context, Failure, Refused, command

SYSTEM = 1000
OF_ROOT = ("ctl.", "persist.sys.locale")  # not settable by the user of adb shell
SET_USAGE = "usage: setprop NAME VALUE\n\nSets an Android system property."
STAY_ON = {"false": "0", "ac": "1", "usb": "2", "wireless": "4", "true": "15"}


@command("getprop")
async def getprop(ctx: Context, args: list[str]) -> str:
    """Print a property, or all properties."""
    words = [word for word in args if not word.startswith("-")]
    if words:
        default = words[1] if len(words) > 1 else ""
        return f"{ctx.phone.props.get(words[0], default)}\n"
    return "".join(f"[{name}]: [{value}]\n" for name, value in sorted(ctx.phone.props.items()))


@command("setprop")
async def setprop(ctx: Context, args: list[str]) -> None:
    """Set a property."""
    if len(args) != 2:
        raise Refused(SET_USAGE, 1, out=True)
    name, value = args
    if ctx.uid not in (ROOT, SYSTEM) and name.startswith(OF_ROOT):
        raise Failure(f"Failed to set property '{name}' to '{value}'.\n{HINT}")
    if name == "ctl.restart" and value == "zygote":
        ctx.phone.restart()
        return
    try:
        ctx.phone.props.set(*args)
    except ValueError as error:
        raise Failure(str(error)) from error


@command("svc")
async def svc(ctx: Context, args: list[str]) -> int | None:
    """Switch something on or off."""
    match args:
        case ["wifi", ("enable" | "disable") as verb]:
            return await ctx.run(["cmd", "wifi", "set-wifi-enabled", f"{verb}d"])
        case ["data", ("enable" | "disable") as verb]:
            return await ctx.run(["cmd", "phone", "data", verb])
        case ["bluetooth", ("enable" | "disable") as verb]:
            return await ctx.run(["cmd", "bluetooth_manager", verb])
        case ["nfc", "enable" | "disable"]:  # as on the emulator, which has no antenna
            raise Refused("Got a null NfcAdapter, is the system running?", 0)
        case ["power", "stayon", mode] if mode in STAY_ON:
            ctx.phone.settings.put("global", "stay_on_while_plugged_in", STAY_ON[mode])
            return None
        case ["power", ("reboot" | "shutdown") as verb, *_]:
            (ctx.phone.reboot if verb == "reboot" else ctx.phone.init.shutdown)()
            return None
    raise Refused(help_text("svc"), 1, out=True)


@command("reboot")
async def reboot(ctx: Context, args: list[str]) -> None:
    """Reboot, whatever the target: this phone has no other system than Android."""
    unknown = next((word for word in args if word.startswith("-") and word != "-p"), None)
    if unknown is not None:
        option = unknown.strip("-")
        raise Failure(f"Unknown option '{option}'\nusage: reboot [-p] [rebootcommand]")
    (ctx.phone.init.shutdown if "-p" in args else ctx.phone.reboot)()


@command("remount")
async def remount(ctx: Context, _: list[str]) -> str:
    """Make the system partitions writable."""
    _demand_root(ctx)
    ctx.phone.files.mkdir(OVERLAY, parents=True)
    return "Remount succeeded\n"


@command("disable-verity", "enable-verity")
async def verity(ctx: Context, _: list[str]) -> str:
    """Print that verification changes at the next boot; no partition is actually verified."""
    _demand_root(ctx)
    verb = ctx.name.partition("-")[0]
    return f"Successfully {verb}d verity\nReboot the device for new settings to take effect\n"


def _demand_root(ctx: Context) -> None:
    if ctx.uid != ROOT:
        raise Refused('Not running as root. Try "adb root" first.', 1)


UNKNOWN_TRANSACTION = 'Result: Parcel(Error: 0xffffffffffffffb6 "Not a data message")\n'
BAR = "-" * 79
WRONG = 10  # the exit status of a call that `service` does not understand
WITH_VALUE = ("-t", "-T", "--priority", "--skip")


def _listed() -> str:
    names = "".join(f"  {name}\n" for name in sorted(services))
    return f"Currently running services:\n{names}"


@command("cmd")
async def cmd(ctx: Context, args: list[str]) -> Answer:
    """Run a command of the service that is named first."""
    words = args[1:] if args[:1] == ["-w"] else args
    if not words:
        raise Refused("cmd: No service specified; use -l to list all running services", 20)
    if words[0] == "-l":
        return _listed()
    if words[0] not in services:
        raise no_service(words[0])
    return await services[words[0]].run(ctx, words[1:])


@command("dumpsys")
async def dumpsys(ctx: Context, args: list[str]) -> None:
    """Print the state of a service or of all services, or list them."""
    words, skipped = list(args), list[str]()
    while words and words[0] in (*WITH_VALUE, "--pid", "--thread"):
        skipped = words[1].split(",") if words[:-1] and words[0] == "--skip" else skipped
        del words[: 2 if words[0] in WITH_VALUE else 1]
    match words:
        case ["-l", *_]:
            await ctx.out(_listed())
        case []:
            for name in sorted(services.keys() - skipped):
                await ctx.out(f"{BAR}\nDUMP OF SERVICE {name}:\n{services[name].tell(ctx, [])}")
        case [name, *rest] if name in services:
            await ctx.out(services[name].tell(ctx, rest))
        case [name, *_]:
            await ctx.err(f"Can't find service: {name}\n")


@command("service")
async def service(ctx: Context, args: list[str]) -> Answer:
    """List services, check for one, or call one."""
    match args:
        case ["list"]:
            rows = [f"{name}: [{each.interface}]" for name, each in sorted(services.items())]
            lines = "".join(f"{at}\t{row}\n" for at, row in enumerate(rows))
            return f"Found {len(services)} services:\n{lines}"
        case ["check", name, *_]:
            return f"Service {name}: {'found' if name in services else 'not found'}\n"
        case ["call", name, code, *words]:
            if name not in services:
                raise Refused(f"service: Service {name} does not exist", WRONG)
            if code in services[name].calls:
                return await answer(ctx, services[name].calls[code], [code, *words])
            return UNKNOWN_TRANSACTION
        case ["check" | "call" as word, *_]:
            await ctx.err(f"service: No service specified for {word}\n")
        case [word, *_] if word not in ("-h", "-?"):
            await ctx.err(f"service: Unknown command {word}\n")
    raise Refused(help_text("service"), WRONG, out=True)


VERSION = "1.2"
FOLDER = "/data/user_de/0/com.android.shell/files/bugreports"
SECTIONS = {  # the sections of a report, and the commands that produce them
    "UPTIME": "uptime",
    "PROCESSES": "ps -A",
    "FILESYSTEMS & FREE SPACE": "df",
    "SYSTEM PROPERTIES": "getprop",
    "SYSTEM LOG": "logcat -v threadtime -d *:v",
    "SYSTEM SETTINGS": "settings list system",
    "SECURE SETTINGS": "settings list secure",
    "GLOBAL SETTINGS": "settings list global",
    "DUMPSYS": "dumpsys",
}


@command("bugreportz")
async def bugreportz(ctx: Context, args: list[str]) -> str:
    """Write a report; with -p, print the progress."""
    if args == ["-v"]:
        raise Refused(VERSION, 0)
    if args not in ([], ["-p"]):
        raise Refused(help_text("bugreportz"), 0 if args == ["-h"] else 1)
    phone, now = ctx.phone, ctx.phone.clock.now()
    device, build = phone.props["ro.product.device"], phone.props["ro.build.id"]
    name = f"bugreport-{device}-{build}-{now:%Y-%m-%d-%H-%M-%S}"
    path, progress = f"{FOLDER}/{name}.zip", bool(args)
    if progress:
        await ctx.out(f"BEGIN:{path}\n")
    report = [fill("bugreport", now=now, props=phone.props).encode()]
    for done, (title, script) in enumerate(SECTIONS.items(), 1):
        report.append(f"------ {title} ({script}) ------\n".encode())
        report.append(await ctx.output_of(["sh", "-c", f"{script} 2>&1"]))
        if progress:
            await ctx.out(f"PROGRESS:{done}/{len(SECTIONS)}\n")
    uid = phone.packages["com.android.shell"].uid
    phone.files.mkdir(FOLDER, 0o771, parents=True, uid=uid, gid=uid)
    phone.files.write(path, _archive(name, b"\n".join(report)), mode=0o600, uid=uid, gid=uid)
    return f"OK:{path}\n"


def _archive(name: str, report: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("version.txt", "2.0")
        archive.writestr("main_entry.txt", f"{name}.txt")
        archive.writestr(f"{name}.txt", report)
    return buffer.getvalue()
