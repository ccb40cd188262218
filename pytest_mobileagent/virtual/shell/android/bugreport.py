"""bugreportz: creates an archive with the phone's whole state, for `adb bugreport`."""

from __future__ import annotations

import io
import zipfile

from pytest_mobileagent.virtual.shell.android.service import fill, help_text
from pytest_mobileagent.virtual.shell.commands import Context, Refused, command

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
async def bugreportz(ctx: Context, args: list[str]) -> int:
    """Write a report; with -p, print the progress."""
    if args == ["-v"]:
        await ctx.err(f"{VERSION}\n")
        return 0
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
    await ctx.out(f"OK:{path}\n")
    return 0


def _archive(name: str, report: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("version.txt", "2.0")
        archive.writestr("main_entry.txt", f"{name}.txt")
        archive.writestr(f"{name}.txt", report)
    return buffer.getvalue()
