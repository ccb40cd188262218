"""Ending the processes that agents leave behind, however they have hidden."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

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


def _marked(entry: bytes) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or gone
            if any(word.startswith(entry) for word in _environment(folder)):
                yield int(folder.name)


def _environment(folder: Path) -> list[bytes]:
    return (folder / "environ").read_bytes().split(b"\0")
