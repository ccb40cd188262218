"""Ends processes together with all of their descendants.

A process belongs to an agent if its environment contains the agent's mark, which is inherited, or
if its chain of parents leads to the agent's process. On Linux, orphans stay in that chain, because
the agent's process adopts them.

The module also waits for streams to become readable.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import select
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from _typeshed import FileDescriptorLike


_SECONDS = 5.0  # allowed for processes that start new ones while they are being killed
_PAUSE = 0.005  # seconds to wait for killed processes to disappear
_DEAD = "ZX"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
# Loaded before any fork: in a child, another thread might still hold the lock of the loader.
_LIBRARY = ctypes.CDLL(None)
# Names of variables that hold keys or other secrets.
_KEY_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_LEAST_KEY = 8  # characters; a shorter value may occur in unrelated text
# Set in the environment of an agent's process, and so of all its descendants.
VARIABLE = "MOBILEAGENT_AGENT"


def may_hold_key(name: str) -> bool:
    """Return whether an environment variable holds a key or another secret, judging by its name."""
    return _KEY_NAMES.search(name) is not None


def environment() -> dict[str, str]:
    """Return the environment of this process, which other threads may change meanwhile.

    Iterating over `os.environ` fails if a variable goes away, such as PYTEST_CURRENT_TEST.
    """
    names = list(os.environ)
    return {name: value for name in names if (value := os.environ.get(name)) is not None}


def without_keys(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment without secrets, for processes that need none.

    Devices, adb servers and the like run for a long time, and their environment can be read from
    outside and by anything they run. This leaves out variables whose name suggests a secret, and
    variables that contain the value of such a variable.
    """
    each = environment() if given is None else given
    keys = {v.strip() for n, v in each.items() if may_hold_key(n) and len(v.strip()) >= _LEAST_KEY}
    others = ((name, value) for name, value in each.items() if not may_hold_key(name))
    return {name: value for name, value in others if not any(key in value for key in keys)}


def end_marked(mark: str, spare: Collection[int] = ()) -> None:
    """Kill every process of this user whose environment contains the mark, except those in `spare`.

    The mark is a prefix of the value of `VARIABLE`, which is inherited even by processes that leave
    their parent and their session. Without /proc, no process is found.
    """
    ends = time.monotonic() + _SECONDS
    entry = f"{VARIABLE}={mark}".encode()
    spared = {*spare, os.getpid()}
    while found := set(_marked(entry)) - spared:
        for pid in found:
            _kill(pid)
        if time.monotonic() > ends:
            return
        time.sleep(_PAUSE)


def end_descendants(pid: int) -> None:
    """Kill all descendants of a process, with their process groups, until none is left."""
    ends = time.monotonic() + _SECONDS
    while found := _descendants(pid):
        own_group = found.pop(pid, 0)
        for group in {*found.values()} - {own_group, os.getpgrp(), 0}:
            # All at once, so that no member of a group can start a process in the meantime.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for each in found:
            _kill(each)
        if not found or time.monotonic() > ends:
            return
        time.sleep(_PAUSE)


def die_with_parent() -> None:
    """Make the system kill this process when its parent's thread ends, if supported."""
    _control(_PR_SET_PDEATHSIG, signal.SIGKILL)


def become_subreaper() -> None:
    """Become the parent of orphaned descendants of this process, where supported."""
    _control(_PR_SET_CHILD_SUBREAPER, 1)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        _LIBRARY.prctl(option, value)


def _descendants(pid: int) -> dict[int, int]:
    """Return a process and its descendants, each with its group; empty without descendants."""
    parents, groups = {}, {}
    for child, parent, group in _living():
        parents[child], groups[child] = parent, group
    found: set[int] = set()
    below = {pid}
    while below:
        below = {child for child, parent in parents.items() if parent in below} - found
        found |= below
    return {each: groups[each] for each in {*found, pid} & groups.keys()} if found else {}


def _living() -> Iterator[tuple[int, int, int]]:
    """Yield every living process with its parent and group; nothing without /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name in parentheses may contain anything, so the fields start after the last one.
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            state, parent, group = fields[:3]
            if state not in _DEAD:
                yield int(folder.name), int(parent), int(group)


def _marked(entry: bytes) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's process, or one that has ended
            if b"\0" + entry in b"\0" + (folder / "environ").read_bytes():
                yield int(folder.name)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def is_readable(stream: FileDescriptorLike, seconds: float) -> bool:
    """Return whether a stream becomes readable, or reaches its end, within some seconds.

    File descriptors of any number work, whereas `select.select` fails from 1024 on.
    """
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def was_killed(status: int | None) -> bool:
    """Return whether an exit status is that of a process which somebody else has probably killed.

    Memory killers and `kill` send SIGKILL or SIGTERM. Shells and containers report these as 137 and
    143. The status is unknown (None) if the process that would have reported it was killed, too.
    """
    numbers = (signal.SIGKILL, signal.SIGTERM)
    return status is None or status in {*(-n for n in numbers), *(128 + n for n in numbers)}


def signal_name(number: int) -> str:
    """Return the name of a signal, such as "SIGKILL"; real-time signals have only a number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
