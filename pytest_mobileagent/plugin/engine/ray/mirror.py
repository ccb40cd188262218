"""Finds what a worker has written to its own copy of the run's folder, so it can be sent.

A worker records on its own machine, whether or not it shares a file system with the controller.
Changes are sent as they appear: the new end of a file that grew, the whole of a file that was
replaced, and a screen, which is named by its content, unless another worker has already sent it.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.runs import NOTE
from pytest_mobileagent.episode.screens import FOLDER
from pytest_mobileagent.fileio import write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_MOST = 8 << 20  # bytes of a parcel
_OF_SCREENS = FOLDER + "/"


class Way(Enum):
    """How a parcel is written to its file."""

    WHOLE = "whole"  # replace the file
    PART = "part"  # write at the offset `at`
    LINES = "lines"  # append to the lines of other workers; `at` is the offset at the sender
    LINK = "link"  # create a symbolic link to the content


@dataclass(frozen=True, slots=True)
class Parcel:
    """A piece of a file in a run's folder; `name` is relative to the folder."""

    name: str
    way: Way
    content: bytes
    at: int = 0


@dataclass(frozen=True, slots=True)
class _State:
    """The state of a file when it was last checked; the inode shows whether it was replaced."""

    inode: int
    size: int
    changed: int


def put(folder: Path, parcel: Parcel) -> None:
    """Write a parcel to its file in a folder, as its `way` says.

    Raises:
        ValueError: if the parcel's name leads out of the folder.
        OSError: if the file cannot be written.
    """
    path = path_in(folder, parcel.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if parcel.way is Way.LINK:
        with contextlib.suppress(OSError):
            path.symlink_to(os.fsdecode(parcel.content))
    elif parcel.way is Way.WHOLE:
        write_bytes(path, parcel.content)
    elif parcel.way is Way.LINES:
        with path.open("ab") as file:
            file.write(parcel.content)
    else:
        with path.open("r+b" if parcel.at else "wb") as file:
            file.seek(parcel.at)
            file.write(parcel.content)


def path_in(folder: Path, name: str) -> Path:
    """Return the path of a file in a run's folder by its name.

    Raises:
        ValueError: if the name leads out of the folder.
    """
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or parts[0] == "/":
        raise ValueError(f"{name!r} is not a file of a run")
    return folder.joinpath(*parts)


class Mirror:
    """Follows a run's folder; `missing` returns those of the given screens that must be sent."""

    def __init__(self, folder: Path, missing: Callable[[Sequence[str]], Sequence[str]]) -> None:
        self._folder = str(folder)
        self._missing = missing
        self._seen: dict[str, _State | None] = {}  # None for links

    def parcels(self) -> Iterator[Parcel]:
        """Yield the changes since the last call; screens come before files that refer to them."""
        found = [(name, entry) for name, entry in self._changed("") if name != FOLDER]
        yield from self._screens()
        # Notes come first, as they say where an episode runs; files of the whole run come last.
        found.sort(key=lambda each: ("/" not in each[0], not each[0].endswith(f"/{NOTE}")))
        for name, entry in found:
            with contextlib.suppress(FileNotFoundError):
                yield from self._of(name, entry)

    def _changed(self, below: str) -> Iterator[tuple[str, _State | None]]:
        """Yield the files that are new or changed, except screens."""
        try:
            entries = list(os.scandir(os.path.join(self._folder, below)))  # noqa: PTH118 - thousands
        except FileNotFoundError:
            return
        for entry in entries:
            name = f"{below}{entry.name}"
            if entry.name.startswith("."):
                continue  # a lock, or a file that is being written
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
        if "/" not in name and name.endswith(".jsonl"):
            parcel = new_lines_of(self._folder, name, start)
            yield parcel
            state = replace(state, size=start + len(parcel.content))
        elif grew or before is None:
            for at in range(start, state.size, _MOST) if state.size > start else (start,):
                content = self._read(name, at, min(state.size - at, _MOST))
                yield Parcel(name, Way.PART, content, at)
        else:
            yield Parcel(name, Way.WHOLE, self._read(name, 0, None))
        self._seen[name] = state

    def _read(self, name: str, at: int, size: int | None) -> bytes:
        with open(f"{self._folder}/{name}", "rb") as file:  # noqa: PTH123 - thousands
            file.seek(at)
            return file.read(-1 if size is None else size)


def new_lines_of(folder: str, name: str, at: int) -> Parcel:
    """Return the complete lines of a file that all workers append to, from a byte offset on.

    Raises:
        OSError: if the file cannot be read.
    """
    with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - as above
        file.seek(at)
        content = file.read()
    return Parcel(name, Way.LINES, content[: content.rfind(b"\n") + 1], at)
