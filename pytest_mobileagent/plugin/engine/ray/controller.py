"""The controller of a run whose workers are on the machines of a Ray cluster: a pytest plugin.

It replaces pytest's own loop over the tests. Its workers collect, and the scheduler decides which
of them runs which test. Their reports go through pytest's hooks here as if the tests had been run
in this process. pytest-xdist's hooks are called for each worker, too, for plugins that use them.
"""

from __future__ import annotations

import itertools
import time
import uuid
from contextlib import suppress
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.engine import refuse, scheduler_of, show_beginning
from pytest_mobileagent.plugin.engine.ray.cluster import about_node, differences, disconnect
from pytest_mobileagent.plugin.engine.ray.loop import INTERRUPT, STOP, warning_of
from pytest_mobileagent.plugin.engine.ray.pool import Node, WorkerPool
from pytest_mobileagent.plugin.engine.scheduler import WorkerSignal
from pytest_mobileagent.plugin.outputs import say
from pytest_mobileagent.plugin.settings import usage_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.plugin.engine.ray.cluster import Cluster

_LATE = 20.0  # seconds after which the run no longer waits for a worker without a phone
_NOBODY = 60.0  # seconds without a phone for any worker after which the run ends
_EARLY = 3  # consecutive workers that may end before one begins a test
_LIVES = 4  # restarts per worker without --max-worker-restart, as with pytest-xdist
_GRACE = 5.0  # seconds that all workers together have to end when the run does
_POLL = 2.0  # seconds to wait for an event; signals are handled in between


class Controller:
    """Starts workers, hands out tests, and reports results; events arrive from another thread."""

    def __init__(self, config: pytest.Config, cluster: Cluster) -> None:
        self.config = config
        self._cluster = cluster
        self._run = config.stash[RUN]
        self._scheduler = scheduler_of(self._run)
        self._events: Queue[tuple[str, Any]] = Queue()
        self._pool: WorkerPool | None = None
        self._numbers = itertools.count()
        self._nodes: dict[str, Node] = {}  # the workers that have not ended
        self._is_ending = False  # no more tests are given
        self._is_over = False  # workers are asked to end at once
        self._early: list[str] = []  # why workers ended, since a test last began
        self._lives = _lives(config, self._run.workers)
        self._differing: set[str] = set()  # machines with other versions, reported already
        self._broken: set[tuple[str, str]] = set()  # collection reports that were passed on
        self._is_begun = False
        self._testrunuid: str = config.getoption("testrunuid", None) or uuid.uuid4().hex

    # pytest's hooks

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Start the workers."""
        self.config.option.dist = "load"  # `xdist.is_xdist_controller` may ask from now on
        if (terminal := self._terminal) is not None:
            terminal.showfspath = False
        self._session = session
        self._pool = WorkerPool(self._cluster, self._run, self._events.put)
        for _ in range(self._run.workers):
            self._start_worker()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool:
        """Print that workers are starting; nothing is collected in this process."""
        self._line(f"starting {plural(self._run.workers, 'worker')} on the Ray cluster")
        return True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hand out tests until all workers have ended.

        Raises:
            pytest.Session.Interrupted: if the run ends early.
        """
        while self._nodes:
            with suppress(Empty):
                self._take(*self._events.get(timeout=_POLL))
            self._go_on(session)
        if not (session.shouldfail or session.shouldstop or self._scheduler.is_done):
            words = self._early[-1].strip() if self._early else "all have ended"
            session.shouldstop = printable(f"no worker is left: {words}")
        if why := session.shouldfail or session.shouldstop:
            raise session.Interrupted(why)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End workers that are still running, and report what they have sent by then."""
        if self._pool is None:
            return
        self._is_over = True
        with suppress(KeyboardInterrupt):  # a second Ctrl-C: the user does not want to wait
            for node in self._nodes.values():
                self._pool.order(node, [INTERRUPT])
            deadline = time.monotonic() + _GRACE
            while self._nodes and time.monotonic() < deadline:
                with suppress(Empty):
                    name, fields = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
                    if name in {"testreport", "finished"}:
                        self._take(name, fields)
                    elif name == "ended":  # as it was asked to, so its test has not crashed
                        self._forget(fields["node"])
        self._pool.close()

    def pytest_unconfigure(self) -> None:
        """Disconnect from the cluster."""
        disconnect()

    # Part of pytest-xdist's scheduler protocol, as `pytest_handlecrashitem` receives this object

    def mark_test_pending(self, item: str) -> None:
        """Hand out a test once more."""
        self._scheduler.again(item)

    def _take(self, event: str, fields: dict[str, Any]) -> None:
        """Handle an event, unless it is from a worker that counts as ended."""
        node = fields.get("node")
        if node is None or self._nodes.get(node.gateway.id) is node:
            getattr(self, f"_on_{event}")(**fields)

    # Events from workers, in the order in which they arrive

    def _on_here(self, node: Node, about: dict[str, Any]) -> None:
        """Print which versions differ from those on this machine, once for each machine."""
        node.about = about
        here, there = about_node()["versions"], about["versions"]
        pairs = [(name, there.get(name), here[name]) for name in here]
        others = [f"{name} {has}, not {own}" for name, has, own in pairs if has != own]
        if others and about["node"] not in self._differing:
            self._differing.add(about["node"])
            self._line(printable(f"\n{about['node']} has {'; '.join(others)}"))

    def _on_ready(self, node: Node, workerinfo: dict[str, Any]) -> None:
        node.workerinfo = {**workerinfo, "id": node.gateway.id, "spec": node.gateway.spec}
        self.config.hook.pytest_testnodeready(node=node)

    def _on_code(self, node: Node, about: dict[str, str]) -> None:
        """Check that a machine has the same code as this one, before it begins a test."""
        if others := differences(self._run, about):
            msg = f" {node.about.get('node')} has other code: {', '.join(others[:5])}"
            more = f" and {len(others) - 5} more" if len(others) > 5 else ""
            raise usage_error(self._run.settings["mobile-engine"], f":{msg}{more}")

    def _on_collected(self, node: Node, ids: Sequence[str]) -> None:
        node.has_collected = True
        if self._is_ending:
            return
        self.config.hook.pytest_xdist_node_collection_finished(node=node, ids=ids)
        self._session.testscollected = len(ids)
        if difference := self._scheduler.collected(node.gateway.id, ids):
            refuse(self.config, node.gateway.id, difference)
            self._end(WorkerSignal.END)
        elif not self._is_begun:
            self._is_begun = True
            show_beginning(self.config, len(ids))

    def _on_logstart(self, node: Node, **about: Any) -> None:
        self._early.clear()
        self.config.hook.pytest_runtest_logstart(**about)

    def _on_logfinish(self, node: Node, **about: Any) -> None:
        self.config.hook.pytest_runtest_logfinish(**about)

    def _on_testreport(self, node: Node, data: dict[str, Any]) -> None:
        report = self._report(data)
        report.node = node
        self.config.hook.pytest_runtest_logreport(report=report)

    def _on_collectreport(self, node: Node, data: dict[str, Any]) -> None:
        """Pass on a collection report once, as all workers send the same."""
        report = self._report(data)
        if (report.nodeid, report.outcome) not in self._broken:
            self._broken.add((report.nodeid, report.outcome))
            self.config.hook.pytest_collectreport(report=report)

    def _on_warning(self, node: Node, warning: dict[str, Any], **about: Any) -> None:
        about["warning_message"] = warning_of(warning)
        self.config.hook.pytest_warning_recorded.call_historic(kwargs=about)

    def _on_done(self, node: Node, what: int | WorkerSignal, seconds: float) -> None:
        self._scheduler.done(node.gateway.id, what, seconds)

    def _on_internal_error(self, node: Node, text: str) -> None:
        """Report an internal error of pytest or a plugin that has ended a worker."""
        self._early.append(text.strip().rpartition("\n")[2])
        try:
            raise RuntimeError(text)  # noqa: TRY301 - the report needs a traceback
        except RuntimeError:
            excinfo = pytest.ExceptionInfo.from_current()
            self.config.hook.pytest_internalerror(excrepr=excinfo.getrepr(), excinfo=excinfo)
        self._forget(node)

    def _on_finished(self, node: Node, output: dict[str, Any]) -> None:
        """Record that a worker has ended normally, or because a plugin there ended the run."""
        node.workeroutput = output
        self.config.hook.pytest_testnodedown(node=node, error=None)
        why = output["shouldfail"] or output["shouldstop"]
        if output["exitstatus"] == pytest.ExitCode.INTERRUPTED:
            why = f"{node} was interrupted"
        if why and not self._is_over:
            self._session.shouldstop = self._session.shouldstop or why
        self._forget(node)

    # Events from the thread that watches the workers

    def _on_ended(self, node: Node, why: str) -> None:
        """Replace a worker that ended unexpectedly, unless that happens too often."""
        self._early.append(why)
        self.config.hook.pytest_testnodedown(node=node, error=why)
        self._line(printable(f"[{node.gateway.id}] node down: {why}"))
        if crashed := self._forget(node):
            self._report_crash(node, crashed)
        self._lives -= 1
        if self._is_ending or self._session.shouldstop or self._session.shouldfail:
            return
        if len(self._early) >= _EARLY:
            words = printable(self._early[-1].strip())
            stop = f"{_EARLY} workers in a row ended before their first test: {words}"
            self._session.shouldstop = stop
        elif self._lives < 0:
            self._session.shouldstop = f"worker {node.gateway.id} crashed, as too many did"
        else:
            self._line(f"\nreplacing crashed worker {node.gateway.id}")
            self._start_worker()

    def _on_broke(self, why: str) -> None:
        """End the run, as its workers can no longer be reached."""
        self._session.shouldstop = printable(why)
        self._nodes.clear()

    def _on_tick(self) -> None:
        """Continue without workers that have no phone, such as those of a lost machine."""
        now = time.monotonic()
        starting = [node for node in self._nodes.values() if not node.has_collected]
        late = [node for node in starting if not node.about and now - node.began > _LATE]
        self._scheduler.wait_for(len(starting) - len(late))
        if not late or len(late) < len(self._nodes):
            return
        waited = min(now - node.began for node in late)
        if waited > _NOBODY and not any(node.has_phone for node in late):  # not only a slow machine
            self._session.shouldstop = "no machine of the cluster has had a free phone for a minute"

    def _go_on(self, session: pytest.Session) -> None:
        if self._is_ending:
            return
        if session.shouldfail or session.shouldstop:
            self._end(STOP)
            return
        self._scheduler.analyse()
        for name, node in self._nodes.items():
            if given := self._scheduler.give(name):
                self._order(node, given)
        if self._scheduler.is_done:
            self._end(WorkerSignal.END)

    def _end(self, how: Any) -> None:
        self._is_ending = True
        self._scheduler.drop_rest()
        for node in list(self._nodes.values()):
            if node.about:
                self._order(node, [how])
            else:
                self._forget(node)
                node.kill()

    def _start_worker(self) -> None:
        assert self._pool is not None
        name = f"gw{next(self._numbers)}"  # that no worker has had
        node = Node(self.config, name, self._run.workers, self._testrunuid)
        self._nodes[node.gateway.id] = node
        self._scheduler.started(node.gateway.id)
        self.config.hook.pytest_configure_node(node=node)
        self._pool.start(node)

    def _order(self, node: Node, orders: list[Any]) -> None:
        assert self._pool is not None
        self._pool.order(node, orders)

    def _forget(self, node: Node) -> str | None:
        """Remove a worker; return the test that it was running."""
        self._nodes.pop(node.gateway.id, None)
        with suppress(KeyError):
            return self._scheduler.ended(node.gateway.id)
        return None

    def _report_crash(self, node: Node, test: str) -> None:
        """Report the test during which a worker died, in pytest-xdist's words."""
        path = test.partition("::")[0]
        report: Any = pytest.TestReport(
            nodeid=test,
            location=(path, None, path),
            keywords={},
            outcome="failed",
            longrepr=f"worker {node.gateway.id!r} crashed while running {test!r}",
            when="???",  # type: ignore[arg-type] # pytest-xdist's name for this phase
        )
        report.node = node
        self.config.hook.pytest_handlecrashitem(crashitem=test, report=report, sched=self)
        self.config.hook.pytest_runtest_logreport(report=report)

    def _report(self, data: dict[str, Any]) -> Any:
        return self.config.hook.pytest_report_from_serializable(config=self.config, data=data)

    @property
    def _terminal(self) -> Any:
        return self.config.pluginmanager.get_plugin("terminalreporter")

    def _line(self, line: str) -> None:
        if self._terminal is not None and self.config.option.verbose >= 0:
            say(self.config, line)


def _lives(config: pytest.Config, workers: int) -> int:
    given = config.getoption("maxworkerrestart", None)
    return workers * _LIVES if given is None else int(given)
