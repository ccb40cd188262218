"""pytest-xdist's controller, with workers on the machines of a Ray cluster."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from xdist.dsession import DSession
from xdist.workermanage import NodeManager

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.engine.ray.cluster import disconnect
from pytest_mobileagent.plugin.engine.ray.gateway import Fleet
from pytest_mobileagent.plugin.engine.ray.nodes import about_node, differences
from pytest_mobileagent.plugin.sources import usage_error

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.engine.ray.cluster import Cluster

_LATE = 20.0  # seconds after which nobody waits for a worker that has no phone yet
_NOBODY = 60.0  # seconds after which a run ends in which no worker has a phone
_EARLY = 3  # workers in a row that may end before any has begun a test


class RaySession(DSession):  # type: ignore[misc] # pytest-xdist has no types
    """The controller of a run on a cluster."""

    def __init__(self, config: pytest.Config, cluster: Cluster) -> None:
        super().__init__(config)
        self.shouldstop: bool | str = False
        self._cluster = cluster
        self._run = config.stash[RUN]
        self._early: list[str] = []  # the last words of workers, since a test has begun
        self._told: set[str] = set()  # machines whose versions differ

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Start the workers."""
        self.nodemanager = manager = NodeManager(self.config)
        manager.group = Fleet(
            self._cluster,
            self._run,
            len(manager.specs),
            lambda: self.queue.put(("tick", {})),
            lambda why: self.queue.put(("broke", {"why": why})),
        )
        self._active_nodes.update(manager.setup_nodes(putevent=self.queue.put))
        self._session = session

    def pytest_unconfigure(self) -> None:
        """Leave the cluster."""
        disconnect()

    def worker_mobileagent_node(self, node: Any, about: dict[str, Any]) -> None:
        """Tell of versions that are others than here, once for each machine."""
        here, there = about_node()["versions"], about["versions"]
        others = [
            f"{name} {there.get(name)}, not {here[name]}"
            for name in here
            if there.get(name) != here[name]
        ]
        if others and about["node"] not in self._told:
            self._told.add(about["node"])
            self.report_line(printable(f"\n{about['node']} has {'; '.join(others)}"))

    def worker_mobileagent_code(self, node: Any, about: dict[str, str]) -> None:
        """Refuse a machine with other code, before it has begun a test.

        Raises:
            pytest.UsageError: it has.
        """
        if others := differences(self._run, about):
            where = node.gateway.about.get("node")
            msg = f" {where} has other code: {', '.join(others[:5])}"
            more = f" and {len(others) - 5} more" if len(others) > 5 else ""
            raise usage_error(self._run.settings["mobile-engine"], f":{msg}{more}")

    def worker_logstart(self, node: Any, nodeid: str, location: Any) -> None:
        """Note that a worker has begun a test."""
        self._early.clear()
        super().worker_logstart(node, nodeid, location)

    def worker_errordown(self, node: Any, error: Any) -> None:
        """Replace a worker, unless several have ended before any could begin a test."""
        if node not in self._active_nodes:  # it was not waited for any more
            return
        self._early.append(str(error))
        if len(self._early) < _EARLY or self.shouldstop:
            super().worker_errordown(node, error)
            return
        self._active_nodes.discard(node)
        if node in self.sched.nodes:
            self.sched.remove_node(node)
        words = printable(self._early[-1].strip())
        self.shouldstop = f"{_EARLY} workers in a row ended before their first test: {words}"

    def worker_internal_error(self, node: Any, formatted_error: str) -> None:
        """Show an error of pytest, or of a plugin, that has ended a worker."""
        if node in self._active_nodes:
            self._early.append(formatted_error.strip().rpartition("\n")[2])
            super().worker_internal_error(node, formatted_error)

    def worker_workerfinished(self, node: Any) -> None:
        """Note that a worker has ended as it should."""
        if node in self._active_nodes:
            super().worker_workerfinished(node)

    def worker_broke(self, why: str) -> None:
        """End the run: no worker can be reached any more."""
        self.shouldstop = printable(why)
        self.shuttingdown = True
        self._active_nodes.clear()

    def worker_tick(self) -> None:
        """Go on without workers for which there is no phone, such as those of a lost machine."""
        now = time.monotonic()
        waiting = [node for node in self._active_nodes if not node.gateway.about]
        late = [node for node in waiting if now - node.gateway.began > _LATE]
        if self.shuttingdown:
            for node in waiting:
                node.gateway.exit()
                self._active_nodes.discard(node)
            return
        self.sched.wait_for(len(waiting) - len(late))
        nobody = len(late) == len(self._active_nodes)
        if nobody and min(now - node.gateway.began for node in late) > _NOBODY:
            self.shouldstop = "no machine of the cluster has had a free phone for a minute"

    def loop_once(self) -> None:
        """Process an event; if nobody is left, the run is over, whether or not all is done."""
        if self._active_nodes:
            super().loop_once()
            return
        if not (self.shouldstop or self.sched.tests_finished):
            words = self._early[-1].strip() if self._early else "all have ended"
            self.shouldstop = printable(f"no worker is left: {words}")
        self.triggershutdown()
