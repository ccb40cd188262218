"""The process table, the kernel's files about itself in /proc, and what listens on sockets."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pytest_mobileagent.virtual.kernel.log import SYSTEM_PID

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem

FIRST_APP_PID = 2311
ZYGOTE_PID = 364


@dataclass(frozen=True, slots=True)
class Process:
    """A row of ps."""

    pid: int
    ppid: int
    uid: int
    name: str
    vsz: int = 13_752_000  # KiB
    rss: int = 98_000


BOOTED = (
    Process(1, 0, 0, "init", 10_952_000, 10_800),
    Process(2, 0, 0, "[kthreadd]", 0, 0),
    Process(148, 1, 1036, "logd", 10_866_000, 8_100),
    Process(150, 1, 1000, "servicemanager", 10_809_000, 4_900),
    Process(298, 1, 1000, "surfaceflinger", 11_020_000, 31_000),
    Process(ZYGOTE_PID, 1, 0, "zygote64", 13_490_000, 152_000),
    Process(392, 1, 2000, "adbd", 10_911_000, 7_600),
    Process(SYSTEM_PID, ZYGOTE_PID, 1000, "system_server", 15_640_000, 301_000),
)


class ProcessTable:
    """The processes of running apps, by package."""

    def __init__(self) -> None:
        self._apps: dict[str, Process] = {}
        self._next = FIRST_APP_PID
        self._held: dict[str, Callable[[], object]] = {}  # called when the process ends

    def list(self) -> list[Process]:
        """Return all processes, sorted by id."""
        return sorted([*BOOTED, *self._apps.values()], key=lambda process: process.pid)

    def start(self, package: str, uid: int) -> Process | None:
        """Start an app's process; return None if it is already running."""
        if package in self._apps:
            return None
        self._apps[package] = Process(self._next, ZYGOTE_PID, uid, package)
        self._next += 31 + len(package) % 7  # threads use up ids too
        return self._apps[package]

    def stop(self, package: str) -> Process | None:
        """End an app's process; return None if there was none."""
        if told := self._held.pop(package, None):
            told()
        return self._apps.pop(package, None)

    def hold(self, package: str, uid: int, ended: Callable[[], object]) -> None:
        """Start a process for an outside client; it survives the loading of a snapshot."""
        self.start(package, uid)
        self._held[package] = ended

    def release(self, package: str) -> None:
        """End a held process without calling back."""
        if self._held.pop(package, None):
            self._apps.pop(package, None)

    def pid(self, package: str) -> int:
        """Return an app's process id, or the system server's if the app is not running."""
        return self._apps[package].pid if package in self._apps else SYSTEM_PID

    def running(self, package: str) -> bool:
        """Return whether an app has a process."""
        return package in self._apps

    def save(self) -> dict[str, Any]:
        """Return the running apps."""
        rows = [[process.name, process.pid, process.uid] for process in self._apps.values()]
        rows = [row for row in rows if row[0] not in self._held]
        return {"next": self._next, "apps": rows}

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the running apps."""
        self._next = saved["next"]
        held = {name: process for name, process in self._apps.items() if name in self._held}
        saved_apps = {name: Process(pid, ZYGOTE_PID, uid, name) for name, pid, uid in saved["apps"]}
        self._apps = saved_apps | held
        self._next = max([self._next, *(process.pid + 31 for process in held.values())])


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


class Connection(Protocol):
    """A connection to a socket, in both directions."""

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent any more."""

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes (-1: all available), at least one; b"" at the end."""

    def unread(self, data: bytes) -> None:
        """Put back bytes for the next reader."""

    async def write(self, data: bytes) -> None:
        """Send `data`, waiting while the other side is too slow."""

    def drop(self) -> None:
        """Close the connection immediately."""


Serve = Callable[[Connection], Awaitable[None]]


class Sockets(UserDict[str, Serve]):
    """The handlers of addresses such as tcp:6790 or localabstract:name."""
