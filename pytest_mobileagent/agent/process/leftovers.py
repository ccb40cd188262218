"""Ending the processes that agents leave behind, however they have hidden.

A process of an agent's is known by the mark in its environment, which it inherits, or by its
parents up to the agent's process: on Linux that adopts what has left its own parent.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_MOST_ROUNDS = 20  # while the agent's processes start new ones
_DEAD = "ZX"
VARIABLE = "MOBILEAGENT_AGENT"  # in the environment of an agent's process, and so of all its own


def end_marked(mark: str, spare: Collection[int] = ()) -> None:
    """Kill every process of this user whose environment has the mark, but those to spare.

    The environment is inherited by whatever a process starts, also by what has left its parent and
    its session. Where there is no /proc, nothing is found.
    """
    for pid in _marked(f"{VARIABLE}={mark}".encode()):
        if pid not in spare and pid != os.getpid():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def end_descendants(pid: int) -> None:
    """Kill every process below one, until there are none."""
    for _ in range(_MOST_ROUNDS):
        found = _descendants(pid)
        if not found:
            return
        for each in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)


def _descendants(pid: int) -> set[int]:
    parents = dict(_parents())
    found: set[int] = set()
    below = {pid}
    while below:
        below = {child for child, parent in parents.items() if parent in below} - found
        found |= below
    return found


def _parents() -> Iterator[tuple[int, int]]:
    """Return every living process with its parent; none where there is no /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything: what follows is behind the last one.
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            state, parent = fields[:2]
            if state not in _DEAD:
                yield int(folder.name), int(parent)


def _marked(entry: bytes) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or gone
            if any(word.startswith(entry) for word in _environment(folder)):
                yield int(folder.name)


def _environment(folder: Path) -> list[bytes]:
    return (folder / "environ").read_bytes().split(b"\0")
