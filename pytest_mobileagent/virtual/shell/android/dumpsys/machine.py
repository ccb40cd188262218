"""dumpsys meminfo, cpuinfo, gfxinfo, diskstats and SurfaceFlinger: what the machine is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.procfs import MEMORY
from pytest_mobileagent.virtual.shell.android.dumpsys.display import DISPLAY_ID

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.processes import Process
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context

SHARED_PART = 0.55  # of a process's resident memory is counted with others
GLES = (  # as an emulator without a graphics card has it
    "Google (Google Inc. (Google)), Android Emulator OpenGL ES Translator (ANGLE (Google, Vulkan"
    " 1.3.0 (SwiftShader Device (LLVM 10.0.0) (0x0000C0DE)), SwiftShader driver)), OpenGL ES 3.1"
    " (OpenGL ES 3.1.0 (ANGLE 2.1.0))"
)
PARTS = (  # of what a process takes, and how many percent each is
    ("Native Heap", 30),
    ("Dalvik Heap", 18),
    ("Dalvik Other", 7),
    ("Stack", 2),
    ("Other dev", 1),
    (".so mmap", 22),
    (".apk mmap", 6),
    (".dex mmap", 8),
    ("Unknown", 6),
)


async def meminfo(ctx: Context, args: list[str]) -> str:
    """Tell what every process takes, or in detail what one does."""
    phone, names = ctx.phone, [word for word in args if not word.startswith("-")]
    head = "Applications Memory Usage (in Kilobytes):\n"
    uptime = int(phone.clock.uptime() * 1000)
    head += f"Uptime: {uptime} Realtime: {uptime}\n"
    processes = [each for each in phone.processes() if each.rss]
    if names:
        wanted = [each for each in processes if names[0] in (each.name, str(each.pid))]
        if not wanted:
            return f"No process found for: {names[0]}\n"
        return head + "".join(_detail(each) for each in wanted)
    rows = sorted(processes, key=_pss, reverse=True)
    used = sum(_pss(each) for each in rows)
    listed = "".join(f"{_pss(each):>11,}K: {each.name} (pid {each.pid})\n" for each in rows)
    return (
        f"{head}\nTotal PSS by process:\n{listed}\n"
        f"Total RAM: {MEMORY:,}K (status normal)\n Free RAM: {MEMORY - used:,}K\n"
        f" Used RAM: {used:,}K\n Lost RAM: 0K\n   Tuning: 192 (large 512), oom 322,560K\n"
    )


def _pss(process: Process) -> int:
    return int(process.rss * SHARED_PART)


def _detail(process: Process) -> str:
    total = _pss(process)
    rows = "".join(
        f"{name:>16} {total * part // 100:>8} {total * part // 120:>8} {0:>8} {0:>8}\n"
        for name, part in PARTS
    )
    return (
        f"\n** MEMINFO in pid {process.pid} [{process.name}] **\n"
        "                      Pss  Private  Private  SwapPss\n"
        "                    Total    Dirty    Clean    Dirty\n"
        f"                   ------   ------   ------   ------\n{rows}"
        f"{'TOTAL':>16} {total:>8} {total * 5 // 6:>8} {0:>8} {0:>8}\n\n"
        " App Summary\n                       Pss(KB)\n                        ------\n"
        f"           Java Heap: {total * 18 // 100:>8}\n"
        f"         Native Heap: {total * 30 // 100:>8}\n"
        f"           TOTAL PSS: {total:>8}            TOTAL RSS: {process.rss:>8}\n"
    )


async def cpuinfo(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell who uses the processor: nobody, as this phone computes nothing by itself."""
    rows = "".join(
        f"  0% {each.pid}/{each.name}: 0% user + 0% kernel\n" for each in ctx.phone.processes()
    )
    now = ctx.phone.clock.now()
    return (
        "Load: 0.0 / 0.0 / 0.0\n"
        f"CPU usage from 0ms to 0ms ago ({now:%Y-%m-%d %H:%M:%S.000} to"
        f" {now:%Y-%m-%d %H:%M:%S.000}):\n{rows}0% TOTAL: 0% user + 0% kernel\n"
    )


async def gfxinfo(ctx: Context, args: list[str]) -> str:
    """Tell about drawing, by app; frames are drawn when they are looked at, so none is late."""
    phone, names = ctx.phone, [word for word in args if not word.startswith("-")]
    uptime = int(phone.clock.uptime() * 1000)
    text = f"Applications Graphics Acceleration Info:\nUptime: {uptime} Realtime: {uptime}\n"
    running = [app.package for app in phone.packages.apps() if phone.proc.running(app.package)]
    if names and names[0] not in running:
        return f"No process found for: {names[0]}\n"
    for name in names or running:
        text += (
            f"\n** Graphics info for pid {phone.proc.pid(name)} [{name}] **\n\n"
            "Stats since: 0ns\nTotal frames rendered: 0\nJanky frames: 0 (0.00%)\n"
            "50th percentile: 0ms\n90th percentile: 0ms\n95th percentile: 0ms\n"
            "99th percentile: 0ms\nNumber Missed Vsync: 0\nNumber High input latency: 0\n"
            "Number Slow UI thread: 0\nNumber Frame deadline missed: 0\n"
        )
    return text


async def diskstats(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell how full the storage is."""
    files = ctx.phone.files
    used = sum(len(node.data) for node in files.snapshot().values())
    total, free = files.capacity // 1024, (files.capacity - used) // 1024
    percent = 100 * free // max(total, 1)
    return (
        "Latency: 0ms [512B Data Write]\nRecent Disk Write Speed (kB/s) = 0\n"
        f"Data-Free: {free}K / {total}K total = {percent}% free\n"
        f"Cache-Free: {free}K / {total}K total = {percent}% free\n"
        "System-Free: 0K / 896244K total = 0% free\nFile-based Encryption: true\n"
    )


async def surfaceflinger(ctx: Context, args: list[str]) -> str:
    """Tell the displays and layers."""
    display_id, phone = DISPLAY_ID.partition(":")[2], ctx.phone
    name = f'Display {display_id} (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'
    match args:
        case ["--display-id", *_]:
            return name
        case ["--list", *_]:
            return "".join(f"{line}\n" for line in _layers(phone))
        case ["--latency", *_]:
            return "16666666\n"
    metrics = phone.display.metrics
    layers = "".join(f"+ Layer ({line})\n" for line in _layers(phone))
    return (
        f"Build configuration: [sf PRESENT_TIME_OFFSET=0 FORCE_HWC_FOR_RBG_TO_YUV=0]\n"
        f"Display identification data:\n{name}\n"
        f"GLES: {GLES}\n\n"
        f"Visible layers (count = {layers.count('+')})\n{layers}"
        f"Displays (1 entries)\n+ DisplayDevice{{{display_id}, internal, primary,"
        f' "EMU_display_0"}}\n   powerMode={"On" if phone.power.awake else "Off"} (2)\n'
        f"   ({metrics.width_px}x{metrics.height_px}), orientation={phone.display.rotation}\n"
        "refresh-rate              : 60.000002 fps\n"
    )


def _layers(phone: Phone) -> list[str]:
    return [f"{window.title}#{at}" for at, window in enumerate(phone.windows.stack)]
