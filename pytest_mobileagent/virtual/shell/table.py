"""The process table that commands see: the phone's own processes and those of its shells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Failure
from pytest_mobileagent.virtual.shell.processes import processes_of

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

_SHELL_VSZ, _SHELL_RSS = 10_820_000, 3_400  # KiB, of any small program


@dataclass(frozen=True, slots=True)
class Row:
    """A process, of the phone's or of a shell's."""

    pid: int
    ppid: int
    uid: int
    name: str
    args: str
    vsz: int
    rss: int


def rows(ctx: Context) -> list[Row]:
    """Return all processes, by id."""
    system = [
        Row(each.pid, each.ppid, each.uid, each.name, each.name, each.vsz, each.rss)
        for each in ctx.phone.processes()
    ]
    shells = [
        Row(each.pid, each.ppid, each.uid, each.name, " ".join(each.words), _SHELL_VSZ, _SHELL_RSS)
        for each in processes_of(ctx.phone).running()
    ]
    return sorted(system + shells, key=lambda row: row.pid)


def ids(texts: list[str]) -> set[int]:
    """Return the process ids in texts such as 1,2."""
    words = [word for text in texts for word in text.split(",")]
    for word in words:
        if not word.isdecimal():
            raise Failure(f"bad -p '{word}'")
    return {int(word) for word in words}
