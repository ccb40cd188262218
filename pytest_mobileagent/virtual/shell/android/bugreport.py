"""bugreportz: everything that the phone tells of itself, in one archive for `adb bugreport`."""

from __future__ import annotations

import io
import zipfile

from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Context, command

VERSION = "1.2"
FOLDER = "/data/user_de/0/com.android.shell/files/bugreports"
SECTIONS = {  # what is in a report, and how it is found out
    "UPTIME": "uptime",
    "MEMORY INFO": "free",
    "PROCESSES": "ps -A",
    "FILESYSTEMS & FREE SPACE": "df",
    "SYSTEM PROPERTIES": "getprop",
    "SYSTEM LOG": "logcat -v threadtime -d *:v",
    "NETWORK INTERFACES": "ip link",
    "SYSTEM SETTINGS": "settings list system",
    "SECURE SETTINGS": "settings list secure",
    "GLOBAL SETTINGS": "settings list global",
    "PACKAGES": "pm list packages -f",
    "DUMPSYS": "dumpsys",
}
LINE = "=" * 56


@command("bugreportz")
async def bugreportz(ctx: Context, args: list[str]) -> int:
    """Write a report, saying how far it is, or send it."""
    match args:
        case ["-v"]:
            await ctx.err(f"{VERSION}\n")
            return 0
        case ["-s"]:
            await ctx.out(await _archive(ctx, _name(ctx)))
            return 0
        case [] | ["-p"]:
            return await _to_file(ctx, progress=bool(args))
    await ctx.err(help_text("bugreportz"))
    return 0 if args == ["-h"] else 1


async def _to_file(ctx: Context, *, progress: bool) -> int:
    name = _name(ctx)
    path = f"{FOLDER}/{name}.zip"
    if progress:
        await ctx.out(f"BEGIN:{path}\n")
    data = await _archive(ctx, name, progress=progress)
    files, uid = ctx.phone.files, ctx.phone.packages["com.android.shell"].uid
    files.mkdir(FOLDER, 0o771, parents=True, uid=uid, gid=uid)
    files.write(path, data, mode=0o600, uid=uid, gid=uid)
    await ctx.out(f"OK:{path}\n")
    return 0


async def _archive(ctx: Context, name: str, *, progress: bool = False) -> bytes:
    report = [_head(ctx).encode()]
    for done, (title, script) in enumerate(SECTIONS.items()):
        report.append(f"------ {title} ({script}) ------\n".encode())
        report.append(await ctx.output_of(["sh", "-c", f"{script} 2>&1"]))
        if progress:
            await ctx.out(f"PROGRESS:{done + 1}/{len(SECTIONS)}\n")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("version.txt", "2.0")
        archive.writestr("main_entry.txt", f"{name}.txt")
        archive.writestr(f"{name}.txt", b"\n".join(report))
    return buffer.getvalue()


def _name(ctx: Context) -> str:
    props = ctx.phone.props
    device, build = props["ro.product.device"], props["ro.build.id"]
    return f"bugreport-{device}-{build}-{ctx.phone.clock.now():%Y-%m-%d-%H-%M-%S}"


def _head(ctx: Context) -> str:
    props = ctx.phone.props
    return (
        f"{LINE}\n== dumpstate: {ctx.phone.clock.now():%Y-%m-%d %H:%M:%S}\n{LINE}\n\n"
        f"Build: {props['ro.build.display.id']}\n"
        f"Build fingerprint: '{props['ro.build.fingerprint']}'\n"
        f"Android SDK version: {props['ro.build.version.sdk']}\n"
    )
