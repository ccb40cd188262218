"""What memory processes take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.procfs import MEMORY
from pytest_mobileagent.virtual.shell.android.service import Service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.processes import Process
    from pytest_mobileagent.virtual.shell.commands import Context

service = Service("meminfo")
SHARED_PART = 0.55  # of a process's resident memory is counted with others
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


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
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
