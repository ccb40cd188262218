"""Ending processes and all that they have started, however that hides.

What belongs to an agent is known by the mark in its environment, which it inherits, or by its
parents up to a process that adopts, on Linux, whatever has left its own parent.

Waiting until there is something to read.
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


_SECONDS = 5.0  # for processes that start new ones while they are being killed
_PAUSE = 0.005  # until what was killed is gone
_DEAD = "ZX"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
# Opened before any fork: then, a thread that is no more could hold the lock of what opens it.
_LIBRARY = ctypes.CDLL(None)
# How variables are called that hold keys and the like.
_KEY_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_LEAST_KEY = 8  # characters: a shorter one stands in other words
VARIABLE = "MOBILEAGENT_AGENT"  # in the environment of an agent's process, and so of all its own


def may_hold_key(name: str) -> bool:
    """Whether a variable of the environment, by its name, holds a key or the like."""
    return _KEY_NAMES.search(name) is not None


def without_keys(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment without keys, for processes that ask nobody for anything with one.

    Devices, adb servers and the like run for long, and what they are started with can be read from
    outside, and by whatever they run. Left out is what by its name holds a key or the like, and
    what holds the same by another name.
    """
    named = {name: value for name, value in environment.items() if may_hold_key(name)}
    keys = {value.strip() for value in named.values() if len(value.strip()) >= _LEAST_KEY}
    return {
        name: value
        for name, value in environment.items()
        if name not in named and not any(key in value for key in keys)
    }


def end_marked(mark: str, spare: Collection[int] = ()) -> None:
    """Kill every process of this user whose environment has the mark, but those to spare.

    The mark is the beginning of what `VARIABLE` holds. The environment is inherited by whatever a
    process starts, also by what has left its parent and its session. Where there is no /proc,
    nothing is found.
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
    """Kill every process below one, with their groups, until there are none."""
    ends = time.monotonic() + _SECONDS
    while found := _descendants(pid):
        own_group = found.pop(pid, 0)
        for group in {*found.values()} - {own_group, os.getpgrp(), 0}:
            # At once, so that none of a group starts a process in the meantime.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for each in found:
            _kill(each)
        if not found or time.monotonic() > ends:
            return
        time.sleep(_PAUSE)


def die_with_parent() -> None:
    """Let the system kill this process when its parent's thread is gone, where it can."""
    _control(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of whatever processes below this one lose theirs, where that can be."""
    _control(_PR_SET_CHILD_SUBREAPER, 1)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        _LIBRARY.prctl(option, value)


def _descendants(pid: int) -> dict[int, int]:
    """Return a process and all below it, each with its group; nothing if none is below."""
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
    """Return every living process with its parent and group; none where there is no /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything: what follows is behind the last one.
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            state, parent, group = fields[:3]
            if state not in _DEAD:
                yield int(folder.name), int(parent), int(group)


def _marked(entry: bytes) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or gone
            if b"\0" + entry in b"\0" + (folder / "environ").read_bytes():
                yield int(folder.name)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def is_readable(stream: FileDescriptorLike, seconds: float) -> bool:
    """Return whether within some seconds there is something to read, or the end of it.

    Whatever number the stream has: `select.select` knows none from 1024 on.
    """
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))
