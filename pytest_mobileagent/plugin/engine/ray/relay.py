"""The relay: an actor beside the controller, through which it and the workers reach each other.

It writes what workers record into the run's folder as it comes, numbers attempts, says what the run
has spent, and knows when each worker was last heard. Of a worker that was declared dead it takes
nothing any more, whatever that still sends.
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

    from pytest_mobileagent.llm.budget import Spent
    from pytest_mobileagent.plugin.engine.ray.mirror import Parcel


class Relay:
    """Holds what the controller and the workers have for each other.

    `folder` is the run's, `earlier` that of a run from which it takes episodes or replies.
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
        self._head = _content(folder.path / RUN)  # of a run that is resumed
        self._has_head = False
        self._ledger = Ledger(folder.path / LEDGER)
        self._taken: dict[tuple[str, str], int] = defaultdict(int)  # bytes of files with lines

    # For workers

    async def hear(self, worker: str, parcels: Sequence[Parcel], events: Sequence[Any]) -> bool:
        """Take files and events of a worker, in this order; both may be empty.

        Return whether it may go on: not if it is taken for dead.
        """
        if worker in self._dead:
            return False
        self._heard[worker] = time.monotonic()
        for parcel in parcels:
            self._keep(worker, parcel)
        self._events += [(worker, event) for event in events]
        if events:
            self._came.set()
        return True

    async def spent(self, worker: str, lines: Parcel | None) -> Spent:
        """Return what the run has spent, with what a worker adds to that: lines of its ledger.

        Raises:
            HostError: it may spend nothing more, as it is taken for dead.
        """
        self._check(worker)
        if lines is not None:
            self._keep(worker, lines)
        return self._ledger.spent()

    async def missing(self, names: Sequence[str]) -> list[str]:
        """Return those of the files, named by their content, which the run does not have yet."""
        return [name for name in names if not path_in(self._folder.path, name).exists()]

    async def orders(self, worker: str, seconds: float) -> list[Any]:
        """Return the orders for a worker; wait for some, but not longer than this."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ordered[worker].wait(), seconds)
        self._ordered[worker].clear()
        orders, self._orders[worker] = self._orders[worker], []
        return orders

    async def number(self, worker: str, key: str) -> int:
        """Make the folder of a new attempt at a case, by its key, and return its number.

        Raises:
            HostError: it cannot be made, or the worker is taken for dead.
        """
        self._check(worker)
        self._folder.make()
        return new_attempt(self._folder.path, key)[1]

    async def take_over(self, episode: str) -> bool:
        """Copy an episode of the earlier run into this one, unless it is there.

        `episode` is its folder, as the earlier run's report names it. Return False if it is gone.

        Raises:
            HostError: it cannot be written.
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
        """Return an episode of the earlier run, with its screens; nothing if it is gone.

        Raises:
            HostError: it cannot be read.
        """
        source = self._recorded(episode)
        with tempfile.TemporaryDirectory(prefix=".earlier-", dir=self._folder.make()) as alone:
            try:  # screens, which many episodes share, are links there
                import_episode(source, Path(alone), Path(alone) / "episodes" / source.name)
            except RecordError:
                return []
            return list(Mirror(Path(alone), list).parcels())

    def _recorded(self, episode: str) -> Path:
        """Return the folder of an episode of the earlier run, which need not be there.

        Raises:
            HostError: there is no earlier run, or the name is none of an episode.
        """
        parts = PurePosixPath(episode).parts
        if self._earlier is None or len(parts) != 2 or parts[0] != "episodes" or ".." in parts:
            msg = f"{episode!r} is no episode of an earlier run"
            raise HostError(msg)
        return self._earlier / episode

    # For the controller

    async def events(self, seconds: float) -> tuple[list[tuple[str, Any]], dict[str, float]]:
        """Return the events that have come, and how many seconds ago each worker was heard.

        Wait for some, but not longer than this.
        """
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._came.wait(), seconds)
        self._came.clear()
        events, self._events = self._events, []
        now = time.monotonic()
        return events, {worker: now - heard for worker, heard in self._heard.items()}

    async def order(self, worker: str, order: Any) -> None:
        """Keep an order until the worker asks."""
        self._orders[worker].append(order)
        self._ordered[worker].set()

    async def declare_dead(self, worker: str) -> None:
        """Take nothing of a worker any more."""
        self._dead.add(worker)
        self._heard.pop(worker, None)
        self._events = [each for each in self._events if each[0] != worker]

    def _check(self, worker: str) -> None:
        if worker in self._dead:
            msg = f"{worker} is not a worker of this run any more"
            raise HostError(msg)

    def _keep(self, worker: str, parcel: Parcel) -> None:
        """Write what a worker has written to a file of its own."""
        self._folder.make()
        if parcel.name == RUN:
            self._keep_head(parcel.content)
        elif parcel.way is Way.LINES:
            # What was spent comes in two ways, and either may be the first.
            had = self._taken[worker, parcel.name]
            self._taken[worker, parcel.name] = max(had, parcel.at + len(parcel.content))
            put(
                self._folder.path,
                replace(parcel, content=parcel.content[max(0, had - parcel.at) :]),
            )
        else:
            put(self._folder.path, parcel)

    def _keep_head(self, content: bytes) -> None:
        """Write run.json, which every worker has written alike: that of the first counts."""
        if not self._has_head and content != self._head:
            self._has_head = True
            write_bytes(self._folder.path / RUN, content)


def _content(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except OSError:
        return None
