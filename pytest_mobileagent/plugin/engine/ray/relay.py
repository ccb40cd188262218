"""The relay: an actor beside the controller that passes messages between it and the workers.

It writes the workers' records into the run's folder as they arrive, numbers attempts, adds up what
the run has spent, and tracks when each worker was last heard from. It ignores anything that a
worker sends after it was declared dead.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.importing import import_episode
from pytest_mobileagent.episode.runs import RUN
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import read_bytes, write_bytes
from pytest_mobileagent.llm.budget import Ledger
from pytest_mobileagent.plugin.engine.ray.mirror import Mirror, Way, path_in, put
from pytest_mobileagent.plugin.models import LEDGER
from pytest_mobileagent.run.folder import RunFolder, new_attempt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.llm.budget import Expenditure
    from pytest_mobileagent.plugin.engine.ray.mirror import Parcel


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
        """Return the folder of an episode of the earlier run, which may not exist.

        Raises:
            HostError: if there is no earlier run, or the name is not that of an episode.
        """
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
        """Write a parcel from a worker into the run's folder."""
        self._folder.make()
        if parcel.name == RUN:
            self._write_head(parcel.content)
        elif parcel.way is Way.LINES:
            # Ledger lines arrive both through `hear` and `spent`, in any order.
            had = self._taken[worker, parcel.name]
            self._taken[worker, parcel.name] = max(had, parcel.at + len(parcel.content))
            put(
                self._folder.path,
                replace(parcel, content=parcel.content[max(0, had - parcel.at) :]),
            )
        else:
            put(self._folder.path, parcel)

    def _write_head(self, content: bytes) -> None:
        """Write run.json as the first worker sent it; all workers write the same."""
        if not self._has_head and content != self._head:
            self._has_head = True
            write_bytes(self._folder.path / RUN, content)


def _content(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except OSError:
        return None
