"""/proc: the kernel's files about itself, the processors, memory and uptime."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable

PROCESSORS = 4
MEMORY = 2_025_000  # KiB
_TICKS = 100  # per second, of the kernel's clock


class Kernel(NamedTuple):
    """The version of the kernel."""

    release: str
    build: str


KERNEL = Kernel(
    "6.1.23-android14-4-00257-g7e35917775b8-ab9964412",
    "#1 SMP PREEMPT Mon Apr 17 20:50:58 UTC 2023",
)


@dataclass(frozen=True, eq=False)
class Procfs:
    """The files, generated whenever they are read."""

    clock: Clock
    files: FileSystem
    proc: ProcessTable

    def __post_init__(self) -> None:
        """Create the kernel's files."""
        contents: dict[str, Callable[[], str]] = {
            "cpuinfo": _cpuinfo,
            "loadavg": self._loadavg,
            "meminfo": self._meminfo,
            "stat": self._stat,
            "uptime": self._uptime,
            "version": _version,
        }
        for name, content in contents.items():
            self.files.generate(f"/proc/{name}", _reader(content))

    def memory(self) -> tuple[int, int]:
        """Return total and free memory in KiB; memory that processes share counts once."""
        return MEMORY, MEMORY - sum(each.rss for each in self.proc.list()) * 55 // 100

    def _loadavg(self) -> str:
        processes = self.proc.list()
        return f"0.00 0.00 0.00 1/{len(processes)} {max(each.pid for each in processes)}\n"

    def _meminfo(self) -> str:
        total, free = self.memory()
        rows = {
            "MemTotal": total, "MemFree": free, "MemAvailable": free, "Buffers": 0, "Cached": 0,
            "SwapCached": 0, "Active": total - free, "Inactive": 0, "SwapTotal": 0, "SwapFree": 0,
        }  # fmt: skip
        return "".join(f"{name + ':':<15} {size:>8} kB\n" for name, size in rows.items())

    def _stat(self) -> str:
        """Return /proc/stat, in which the processors have always been idle: apps take no time."""
        idle = int(self.clock.uptime() * _TICKS)
        rows = [f"cpu  0 0 0 {idle * PROCESSORS} 0 0 0 0 0 0"]
        rows += [f"cpu{at} 0 0 0 {idle} 0 0 0 0 0 0" for at in range(PROCESSORS)]
        processes = self.proc.list()
        booted = int(self.clock.time() - self.clock.uptime())
        rows += ["intr 0", "ctxt 0", f"btime {booted}", f"processes {len(processes)}"]
        rows += ["procs_running 1", "procs_blocked 0"]
        return "\n".join(rows) + "\n"

    def _uptime(self) -> str:
        up = self.clock.uptime()
        return f"{up:.2f} {up * PROCESSORS:.2f}\n"


def _reader(content: Callable[[], str]) -> Callable[[], bytes]:
    return lambda: content().encode()


def _cpuinfo() -> str:
    processor = (resources.files(__package__) / "cpuinfo.txt").read_text("utf-8")
    return "".join(processor.format(number=at, count=PROCESSORS) for at in range(PROCESSORS))


def _version() -> str:
    return (
        f"Linux version {KERNEL.release} (build-user@build-host) (Android (9796371, based on"
        " r487747) clang version 17.0.0, LLD 17.0.0) " + KERNEL.build + "\n"
    )
