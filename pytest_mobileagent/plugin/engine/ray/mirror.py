"""What a worker has written to its own copy of the run's folder since the last look.

A worker records on its own machine, whether or not that shares files with the controller's. What is
new is sent as it comes: of a file that grew, the end; of one that was replaced, all; of a screen,
which is named by its content, all if nobody has sent it.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.runs import NOTE
from pytest_mobileagent.episode.screens import FOLDER
from pytest_mobileagent.plugin.models import LEDGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_MOST = 8 << 20  # bytes of a parcel
_OF_SCREENS = FOLDER + "/"
_ELSEWHERE = b', "elsewhere"]'  # ends a line of the ledger that another machine has written


class Way(Enum):
    """How a parcel is put into its file."""

    WHOLE = "whole"  # it replaces the file
    PART = "part"  # from `at` on
    LINES = "lines"  # after those that others have written
    LINK = "link"  # the content is where it leads


@dataclass(frozen=True, slots=True)
class Parcel:
    """A piece of a file of a run; `name` is relative to its folder."""

    name: str
    way: Way
    content: bytes
    at: int = 0


@dataclass(frozen=True, slots=True)
class _State:
    """A file as it was at a look: which it is (by its inode), and how far it went."""

    inode: int
    size: int
    changed: int


class Mirror:
    """Follows a run's folder; `missing` returns which files, named by content, are to be sent."""

    def __init__(self, folder: Path, missing: Callable[[Sequence[str]], Sequence[str]]) -> None:
        self._folder = str(folder)
        self._missing = missing
        self._seen: dict[str, _State | None] = {}  # None for links

    def parcels(self) -> Iterator[Parcel]:
        """Yield what is new, in such an order that what names a screen comes after it."""
        found = [(name, entry) for name, entry in self._changed("") if name != FOLDER]
        yield from self._screens()
        # First the notes, which say where an episode runs; last what says of all of them.
        found.sort(key=lambda each: ("/" not in each[0], not each[0].endswith(f"/{NOTE}")))
        for name, entry in found:
            with contextlib.suppress(FileNotFoundError):
                yield from self._of(name, entry)

    def _changed(self, below: str) -> Iterator[tuple[str, _State | None]]:
        """Yield the files that are new or changed, but no screens."""
        try:
            entries = list(os.scandir(os.path.join(self._folder, below)))  # noqa: PTH118 - thousands
        except FileNotFoundError:
            return
        for entry in entries:
            name = f"{below}{entry.name}"
            if entry.name.startswith("."):
                continue  # a lock, or what is being written
            if entry.is_symlink():
                if name not in self._seen:
                    yield name, None
            elif entry.is_dir():
                if name != FOLDER:
                    yield from self._changed(f"{name}/")
            else:
                with contextlib.suppress(FileNotFoundError):
                    about = entry.stat(follow_symlinks=False)
                    state = _State(about.st_ino, about.st_size, about.st_mtime_ns)
                    if self._seen.get(name) != state:
                        yield name, state

    def _screens(self) -> Iterator[Parcel]:
        try:
            names = os.listdir(f"{self._folder}/{FOLDER}")  # noqa: PTH208 - thousands
        except FileNotFoundError:
            return
        names = [f"{_OF_SCREENS}{name}" for name in names if not name.startswith(".")]
        new = [name for name in names if name not in self._seen]
        wanted = set(self._missing(new)) if new else set()
        for name in new:
            self._seen[name] = None
            if name in wanted:
                yield Parcel(name, Way.WHOLE, self._read(name, 0, None))

    def _of(self, name: str, state: _State | None) -> Iterator[Parcel]:
        if state is None:
            yield Parcel(name, Way.LINK, os.fsencode(os.readlink(f"{self._folder}/{name}")))  # noqa: PTH115
            self._seen[name] = None
            return
        before = self._seen.get(name)
        grew = before is not None and before.inode == state.inode and before.size < state.size
        start = before.size if grew and before is not None else 0
        shared = "/" not in name and name.endswith(".jsonl")
        if not (grew or shared or before is None):
            yield Parcel(name, Way.WHOLE, self._read(name, 0, None))
        else:
            yield from self._grown(name, start, state.size, shared=shared)
        self._seen[name] = state

    def _grown(self, name: str, start: int, end: int, *, shared: bool) -> Iterator[Parcel]:
        """Yield what was added to a file, by us."""
        for at in range(start, end, _MOST) if end > start else (start,):
            content = self._read(name, at, min(end - at, _MOST))
            if name == LEDGER:
                lines = content.splitlines(keepends=True)
                content = b"".join(line for line in lines if not line.rstrip().endswith(_ELSEWHERE))
            if shared and content:
                yield Parcel(name, Way.LINES, content)
            elif not shared:
                yield Parcel(name, Way.PART, content, at)

    def _read(self, name: str, at: int, size: int | None) -> bytes:
        with open(f"{self._folder}/{name}", "rb") as file:  # noqa: PTH123 - thousands
            file.seek(at)
            return file.read(-1 if size is None else size)


def spent_elsewhere(lines: Sequence[bytes]) -> bytes:
    """Return lines of the ledger as they are written where others have spent it."""
    return b"".join(line.rstrip().removesuffix(b"]") + _ELSEWHERE + b"\n" for line in lines)
