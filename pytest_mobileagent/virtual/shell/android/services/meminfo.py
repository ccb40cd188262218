"""dumpsys meminfo: the memory used by processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.processes import MEMORY
from pytest_mobileagent.virtual.shell.android.service import Context, Service, fill

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.processes import Process

service = Service("meminfo")
SHARED_PART = 0.55  # of a process's resident memory counts towards its proportional share
PARTS = (  # the parts of a process's memory, and their percentages
    ("Native Heap", 28),
    ("Dalvik Heap", 16),
    ("Dalvik Other", 6),
    ("Stack", 2),
    ("Other dev", 1),
    (".so mmap", 20),
    (".apk mmap", 5),
    (".dex mmap", 7),
    ("EGL mtrack", 6),
    ("GL mtrack", 4),
    ("Unknown", 5),
)


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Print the memory of all processes, or the details of one."""
    phone, names = ctx.phone, [word for word in args if not word.startswith("-")]
    head = fill("meminfo_head", uptime=int(phone.clock.uptime() * 1000))
    processes = [each for each in phone.proc.list() if each.rss]
    if names:
        wanted = [each for each in processes if names[0] in (each.name, str(each.pid))]
        if not wanted:
            return f"No process found for: {names[0]}\n"
        return head + "".join(_detail(each) for each in wanted)
    rows = sorted(processes, key=_pss, reverse=True)
    used = sum(_pss(each) for each in rows)
    listed = "".join(f"{_pss(each):>11,}K: {each.name} (pid {each.pid})\n" for each in rows)
    return head + fill("meminfo_all", rows=listed, total=MEMORY, free=MEMORY - used, used=used)


def _pss(process: Process) -> int:
    return int(process.rss * SHARED_PART)


def _detail(process: Process) -> str:
    """Describe the memory of a process, in the columns used since Android 11."""
    total, rss = _pss(process), process.rss
    rows = [
        (name, total * part // 100, rss * part // 100, total // 3 if "Heap" in name else 0)
        for name, part in PARTS
    ]
    lines = "".join(_row(*row) for row in (*rows, ("TOTAL", total, rss, total * 2 // 3)))
    summary = {"Java Heap": 16, "Native Heap": 28, "Code": 32, "Stack": 2, "Graphics": 10}
    parts = "".join(
        f"{name + ':':>21} {total * part // 100:>8} {rss * part // 100:>30}\n"
        for name, part in summary.items()
    )
    return fill("meminfo", process=process, rows=lines, parts=parts, total=total)


def _row(name: str, pss: int, rss: int, heap: int) -> str:
    numbers = [pss, pss * 5 // 6, 0, 0, rss, *((heap, heap * 3 // 4, heap // 4) if heap else ())]
    return f"{name:>16} {' '.join(f'{number:>8}' for number in numbers)}\n"
