"""How the controller of a cluster's workers handles their events, tested without a cluster."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("ray")

from pytest_mobileagent.plugin.engine.ray import controller as module
from pytest_mobileagent.plugin.engine.ray.controller import Controller
from pytest_mobileagent.plugin.engine.ray.loop import INTERRUPT, STOP
from pytest_mobileagent.plugin.engine.scheduler import Scheduler, WorkerSignal

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = ["t.py::a", "t.py::b", "t.py::c"]


class WorkerPool:
    """Workers that do nothing; records the orders that each of them received."""

    def __init__(self, *_: Any) -> None:
        self.orders: dict[str, list[Any]] = {}
        self.is_closed = False

    def start(self, node: Any) -> None:
        self.orders[node.gateway.id] = []

    def order(self, node: Any, orders: list[Any]) -> None:
        self.orders[node.gateway.id] += orders

    def close(self) -> None:
        self.is_closed = True


class Hooks:
    """Records which hooks were called, and with which arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda **about: self.calls.append((name, about))

    def of(self, name: str) -> list[dict[str, Any]]:
        return [about for called, about in self.calls if called == name]


def simple(**attributes: Any) -> Any:
    return SimpleNamespace(**attributes)


class Run:
    """A controller of two workers, its session, and what it printed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "WorkerPool", WorkerPool)
        monkeypatch.setattr(module, "scheduler_of", lambda run: Scheduler(run.workers, dict))
        self.hook = Hooks()
        self.lines: list[str] = []
        terminal = SimpleNamespace(write_line=self.lines.append, showfspath=True)
        config: Any = SimpleNamespace(
            stash={module.RUN: SimpleNamespace(workers=2, folder=None, settings={})},
            option=SimpleNamespace(verbose=0, tx=["popen"] * 2),
            getoption=lambda name, default: default,
            get_verbosity=lambda: 0,
            get_terminal_writer=lambda: simple(width_of_current_line=0),
            hook=self.hook,
            pluginmanager=SimpleNamespace(
                get_plugin=lambda _: terminal, getplugin=lambda _: terminal
            ),
        )
        interrupted = pytest.Session.Interrupted
        self.session = simple(shouldstop=False, shouldfail=False, Interrupted=interrupted)
        self.controller: Any = Controller(config, simple())
        self.controller.pytest_sessionstart(self.session)
        self.pool: WorkerPool = self.controller.__dict__["_pool"]
        self.nodes = dict(self.controller._nodes)

    def tell(self, worker: str, event: str, **fields: Any) -> None:
        """Put an event of a worker into the queue and let the controller process it."""
        node = self.nodes.get(worker) or self.controller._nodes[worker]
        self.controller._take(event, {"node": node, **fields})
        self.controller._go_on(self.session)

    def collect(self, worker: str, tests: list[str] = TESTS) -> None:
        about = {"node": "here", "versions": module.about_node()["versions"]}
        self.tell(worker, "here", about=about)
        self.tell(worker, "collected", ids=tests)

    def finish(self, worker: str, status: int = 0, **output: Any) -> None:
        given = {"exitstatus": status, "shouldfail": False, "shouldstop": False, **output}
        self.tell(worker, "finished", output=given)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(monkeypatch)


def test_tests_are_distributed_and_workers_end_when_all_are_done(run: Run) -> None:
    run.collect("gw0")
    run.collect("gw1")
    assert run.lines[-1] == "2 workers [3 items]"
    assert run.session.testscollected == 3
    (first, second) = run.pool.orders["gw0"], run.pool.orders["gw1"]
    assert sorted(each for each in [*first, *second] if not isinstance(each, WorkerSignal)) == [
        0,
        1,
        2,
    ]
    for worker, orders in run.pool.orders.items():
        for number in [each for each in orders if not isinstance(each, WorkerSignal)]:
            run.tell(worker, "done", what=number, seconds=1.0)
    assert WorkerSignal.END in first
    assert WorkerSignal.END in second
    run.finish("gw0")
    run.finish("gw1")
    assert run.controller.pytest_runtestloop(run.session) is True
    assert [each["error"] for each in run.hook.of("pytest_testnodedown")] == [None, None]


def test_dead_worker_is_replaced_and_its_test_reported_like_xdist(run: Run) -> None:
    run.collect("gw0")
    run.collect("gw1")
    (running, *_) = run.pool.orders["gw0"]
    run.tell("gw0", "logstart", nodeid=TESTS[running], location=None)
    run.tell("gw0", "ended", why="killed")
    assert "[gw0] node down: killed" in run.lines
    assert "\nreplacing crashed worker gw0" in run.lines
    (crash,) = run.hook.of("pytest_handlecrashitem")
    assert crash["report"].longrepr == f"worker 'gw0' crashed while running {TESTS[running]!r}"
    assert crash["report"].when == "???"
    crash["sched"].mark_test_pending(crash["crashitem"])
    run.collect("gw2")
    assert running in run.pool.orders["gw2"]


def test_messages_after_a_workers_end_are_dropped(run: Run) -> None:
    run.collect("gw0")
    run.tell("gw0", "ended", why="killed")
    run.tell("gw0", "logstart", nodeid=TESTS[0], location=None)
    assert run.hook.of("pytest_runtest_logstart") == []


@pytest.mark.parametrize("how", ["shouldfail", "shouldstop"])
def test_stopping_run_ends_workers_after_their_current_test(run: Run, how: str) -> None:
    run.collect("gw0")
    run.collect("gw1")
    setattr(run.session, how, "stopping after 1 failures")
    run.tell("gw0", "logfinish", nodeid=TESTS[0], location=None)
    assert [orders[-1] for orders in run.pool.orders.values()] == [STOP, STOP]
    run.finish("gw0")
    run.finish("gw1")
    with pytest.raises(pytest.Session.Interrupted, match="stopping after 1 failures"):
        run.controller.pytest_runtestloop(run.session)


def test_ending_run_does_not_wait_for_worker_without_phone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.collect("gw0", TESTS[:1])
    monkeypatch.setattr(module, "_LATE", -1.0)
    run.controller._on_tick()
    run.tell("gw0", "done", what=0, seconds=1.0)
    assert list(run.controller._nodes) == ["gw0"]
    assert run.pool.orders["gw0"][-1] is WorkerSignal.END


@pytest.mark.parametrize("has_phone", [False, True])
def test_run_ends_if_no_worker_gets_a_phone_but_waits_for_slow_machine(
    run: Run, monkeypatch: pytest.MonkeyPatch, *, has_phone: bool
) -> None:
    monkeypatch.setattr(module, "_LATE", -1.0)
    monkeypatch.setattr(module, "_NOBODY", -1.0)
    monkeypatch.setattr(module.Node, "has_phone", has_phone)
    run.controller._on_tick()
    assert bool(run.session.shouldstop) is not has_phone


def test_run_ends_after_three_consecutive_workers_fail_to_start(run: Run) -> None:
    for number in range(3):
        run.tell(f"gw{number}", "ended", why="no cable")
    stop = "3 workers in a row ended before their first test: no cable"
    assert run.session.shouldstop == stop


def test_run_ends_if_a_worker_collects_different_tests(run: Run) -> None:
    run.collect("gw0")
    run.collect("gw1", TESTS[:1])
    (error,) = run.hook.of("pytest_collectreport")
    assert error["report"].failed
    assert [orders[-1] for orders in run.pool.orders.values()] == [
        WorkerSignal.END,
        WorkerSignal.END,
    ]


def test_an_interrupted_run_ends_workers_and_accepts_their_last_reports(run: Run) -> None:
    run.collect("gw0")
    run.collect("gw1")
    report = SimpleNamespace(nodeid=TESTS[0])
    run.controller._report = lambda data: report
    output = {"exitstatus": 2, "shouldfail": False, "shouldstop": False}
    events = [
        ("testreport", {"node": run.nodes["gw0"], "data": {}}),
        ("logstart", {"node": run.nodes["gw0"], "nodeid": TESTS[1], "location": None}),
        ("finished", {"node": run.nodes["gw0"], "output": output}),
        ("ended", {"node": run.nodes["gw1"], "why": "killed"}),
    ]
    for event in events:
        run.controller._events.put(event)
    run.controller.pytest_sessionfinish()
    assert not run.session.shouldstop  # pytest itself reports why the run ends
    assert [orders[-1] for orders in run.pool.orders.values()] == [INTERRUPT, INTERRUPT]
    (told,) = run.hook.of("pytest_runtest_logreport")
    assert told["report"] is report
    assert told["report"].node is run.nodes["gw0"]
    assert run.pool.is_closed
    assert run.hook.of("pytest_runtest_logstart") == []
