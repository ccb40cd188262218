"""The relay: an actor beside the controller that passes messages between it and the workers.

It writes the workers' records into the run's folder as they arrive, numbers attempts, adds up what
the run has spent, and tracks when each worker was last heard from. It ignores anything that a
worker sends after it was declared dead.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.chain import CHAIN, begin
from pytest_mobileagent.episode.importing import import_episode
from pytest_mobileagent.episode.runs import NOTE, RUN
from pytest_mobileagent.episode.screens import FOLDER
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import read_bytes, write_bytes
from pytest_mobileagent.llm.budget import Ledger
from pytest_mobileagent.plugin.models import LEDGER
from pytest_mobileagent.run.folder import RunFolder, new_attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_mobileagent.llm.budget import Expenditure


class Relay:
    """Passes events, orders and files between the controller and the workers.

    `folder` is the run's folder; `earlier` is the folder of an earlier run that it reuses, if any.
    """

    def __init__(self, folder: RunFolder, earlier: Path | None = None) -> None:
        self._folder = folder
        self._earlier = earlier
        self._events: list[tuple[str, Any]] = []
        self._came = asyncio.Event()
        self._orders: dict[str, list[Any]] = defaultdict(list)
        self._ordered: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._heard: dict[str, float] = {}
        self._dead: set[str] = set()
        self._head = _content(folder.path / RUN)  # run.json of a run that is resumed
        self._has_head = False
        self._ledger = Ledger(folder.path / LEDGER)
        self._taken: dict[tuple[str, str], int] = defaultdict(int)  # bytes received of line files

    # For workers

    async def hear(self, worker: str, parcels: Sequence[Parcel], events: Sequence[Any]) -> bool:
        """Receive a worker's files, then its events; both may be empty.

        Return whether the worker may continue: False if it was declared dead.
        """
        if worker in self._dead:
            return False
        self._heard[worker] = time.monotonic()
        for parcel in parcels:
            self._write(worker, parcel)
        self._events += [(worker, event) for event in events]
        if events:
            self._came.set()
        return True

    async def spent(self, worker: str, lines: Parcel | None) -> Expenditure:
        """Add a worker's new ledger lines, if any, and return what the whole run has spent.

        Raises:
            HostError: if the worker was declared dead, so it may not spend any more.
        """
        self._check(worker)
        if lines is not None:
            self._write(worker, lines)
        return self._ledger.spent()

    async def missing(self, names: Sequence[str]) -> list[str]:
        """Return the names of files that the run does not have yet; they are named by content."""
        return [name for name in names if not path_in(self._folder.path, name).exists()]

    async def orders(self, worker: str, seconds: float) -> list[Any]:
        """Return the orders for a worker; wait up to `seconds` for the first one."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ordered[worker].wait(), seconds)
        self._ordered[worker].clear()
        orders, self._orders[worker] = self._orders[worker], []
        return orders

    async def number(self, worker: str, key: str) -> int:
        """Create the folder of a new attempt at a case, given by its key; return its number.

        Raises:
            HostError: if the folder cannot be created, or the worker was declared dead.
        """
        self._check(worker)
        self._folder.make()
        return new_attempt(self._folder.path, key)[1]

    async def take_over(self, episode: str) -> bool:
        """Copy an episode of the earlier run into this run, unless it is already there.

        `episode` is its folder, as in the earlier run's report. Return False if it does not exist.

        Raises:
            HostError: if the copy cannot be written.
        """
        source = self._recorded(episode)
        target = self._folder.path / "episodes" / source.name
        if not target.exists():
            try:
                import_episode(source, self._folder.make(), target)
            except RecordError:
                return False
        return True

    async def earlier(self, episode: str) -> list[Parcel]:
        """Return an episode of the earlier run with its screens; empty if it does not exist.

        Raises:
            HostError: if the episode cannot be read.
        """
        source = self._recorded(episode)
        with tempfile.TemporaryDirectory(prefix=".earlier-", dir=self._folder.make()) as alone:
            try:  # episodes link to their screens, as many share the same ones
                import_episode(source, Path(alone), Path(alone) / "episodes" / source.name)
            except RecordError:
                return []
            return list(Mirror(Path(alone), list).parcels())

    def _recorded(self, episode: str) -> Path:
        """Return the folder of an episode of the earlier run, which may not exist."""
        parts = PurePosixPath(episode).parts
        if self._earlier is None or len(parts) != 2 or parts[0] != "episodes" or ".." in parts:
            raise HostError(f"{episode!r} is not an episode of an earlier run")
        return self._earlier / episode

    # For the controller

    async def events(self, seconds: float) -> tuple[list[tuple[str, Any]], dict[str, float]]:
        """Return new events, and how many seconds ago each worker was last heard from.

        Wait up to `seconds` for the first event.
        """
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._came.wait(), seconds)
        self._came.clear()
        events, self._events = self._events, []
        now = time.monotonic()
        return events, {worker: now - heard for worker, heard in self._heard.items()}

    async def order(self, worker: str, order: Any) -> None:
        """Queue an order until the worker asks for it."""
        self._orders[worker].append(order)
        self._ordered[worker].set()

    async def declare_dead(self, worker: str) -> None:
        """Ignore everything that a worker sends from now on, and drop its pending events."""
        self._dead.add(worker)
        self._heard.pop(worker, None)
        self._events = [each for each in self._events if each[0] != worker]

    def _check(self, worker: str) -> None:
        if worker in self._dead:
            raise HostError(f"{worker} is not a worker of this run any more")

    def _write(self, worker: str, parcel: Parcel) -> None:
        self._folder.make()
        if parcel.name == RUN:
            self._write_head(parcel.content)
        elif parcel.way is Way.LINES:
            # Ledger lines arrive both through `hear` and `spent`, in any order.
            had = self._taken[worker, parcel.name]
            self._taken[worker, parcel.name] = max(had, parcel.at + len(parcel.content))
            new = parcel.content[max(0, had - parcel.at) :]
            put(self._folder.path, replace(parcel, content=new))
        else:
            put(self._folder.path, parcel)

    def _write_head(self, content: bytes) -> None:
        """Write run.json as the first worker sent it; all workers write the same."""
        if not self._has_head and content != self._head:
            self._has_head = True
            write_bytes(self._folder.path / RUN, content)
            begin(self._folder.path)


def _content(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except OSError:
        return None


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
        try:
            entries = list(os.scandir(os.path.join(self._folder, below)))  # noqa: PTH118 - thousands
        except FileNotFoundError:
            return
        for entry in entries:
            name = f"{below}{entry.name}"
            if entry.name.startswith(".") or name == CHAIN:
                continue  # a lock, the worker's own chain, or a file that is being written
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
                yield Parcel(name, Way.PART, self._read(name, at, min(state.size - at, _MOST)), at)
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
