"""The process table: the system's own processes, and one for each running app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.kernel.log import SYSTEM_PID

if TYPE_CHECKING:
    from collections.abc import Callable

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
