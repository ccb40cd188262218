"""The loop of a worker on a cluster: which tests it runs, in which order, and what it sends."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("ray")

from pytest_mobileagent.plugin.engine.ray import loop as module
from pytest_mobileagent.plugin.engine.ray import worker
from pytest_mobileagent.plugin.engine.ray.loop import STOP, Loop, pack, unpack
from pytest_mobileagent.plugin.engine.scheduler import WorkerSignal


def simple(**attributes: Any) -> Any:
    return SimpleNamespace(**attributes)


class Worker:
    """A loop in a session of five tests; records the tests that ran and the events sent."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.ran: list[tuple[str, str | None]] = []  # each with the test that follows
        hook = SimpleNamespace(
            pytest_runtest_protocol=self.run,
            pytest_report_to_serializable=lambda config, report: {"nodeid": report.nodeid},
        )
        workerinput = {"workerid": "gw3", "testrunuid": "u"}
        self.config = simple(workerinput=workerinput, workeroutput={}, hook=hook)
        items = [SimpleNamespace(nodeid=name) for name in "abcde"]
        self.session = simple(items=items, shouldfail=False, shouldstop=False)
        self.loop = Loop(self.config, lambda name, **fields: self.told.append((name, fields)))
        self.loop.pytest_sessionstart(self.session)
        self.loop.pytest_collection_finish(self.session)

    def run(self, item: Any, nextitem: Any) -> None:
        self.ran.append((item.nodeid, nextitem and nextitem.nodeid))

    def go(self, *orders: int | WorkerSignal | str) -> None:
        for order in orders:
            self.loop.obey(order)
        assert self.loop.pytest_runtestloop(self.session) is True

    def fields(self, name: str) -> list[dict[str, Any]]:
        return [fields for told, fields in self.told if told == name]


@pytest.fixture
def played() -> Worker:
    return Worker()


def test_each_test_knows_the_next_one_or_that_it_is_the_last(played: Worker) -> None:
    played.go(2, 0, 4, WorkerSignal.END)
    assert played.ran == [("c", "a"), ("a", "e"), ("e", None)]
    assert [fields["what"] for fields in played.fields("done")] == [2, 0, 4]
    assert played.fields("collected") == [{"ids": [*"abcde"]}]


def test_before_a_pause_fixtures_are_torn_down(played: Worker, monkeypatch) -> None:
    monkeypatch.setattr(module, "run_before_pause", lambda item: played.run(item, None))
    played.go(0, WorkerSignal.PAUSE, 1, WorkerSignal.END)
    assert played.ran == [("a", None), ("b", None)]
    assert [fields["what"] for fields in played.fields("done")] == [0, WorkerSignal.PAUSE, 1]


def test_worker_told_to_end_runs_nothing(played: Worker) -> None:
    played.go(WorkerSignal.END)
    assert played.ran == []


def test_stopping_worker_finishes_the_current_test(played: Worker) -> None:
    played.go(0, 1, 2, STOP)
    assert played.ran == [("a", "b")]


def test_failure_that_ends_the_run_ends_the_loop(played: Worker) -> None:
    played.session.shouldfail = "stopping after 1 failures"
    played.go(0, 1, 2)
    assert played.ran == [("a", "b")]


def test_reports_contain_worker_and_test_ids(played: Worker) -> None:
    report: Any = SimpleNamespace(nodeid="d")  # for example, of a test that waited for judges
    played.loop.pytest_runtest_logreport(report)
    (told,) = played.fields("testreport")
    ids = {"item_index": 3, "worker_id": "gw3", "testrun_uid": "u"}
    assert told["data"] == {"nodeid": "d", **ids}


def test_only_failed_collections_are_reported(played: Worker) -> None:
    for passed in (True, False):
        played.loop.pytest_collectreport(SimpleNamespace(nodeid="d", passed=passed))  # type: ignore[arg-type]
    assert played.fields("collectreport") == [{"data": {"nodeid": "d"}}]


def test_warnings_are_sent_without_their_classes(played: Worker) -> None:
    class Own(UserWarning):
        """A class that exists only in this process."""

    for category in (Own, DeprecationWarning):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.warn("look", category, stacklevel=1)
        (message,) = caught
        played.loop.pytest_warning_recorded(message, "runtest", "a", None)
    events = [unpack(pack(*event)) for event in played.told if event[0] == "warning"]
    shown = [module.warning_of(fields["warning"]) for _, fields in events]
    assert [each.category.__name__ for each in shown] == ["Own", "DeprecationWarning"]
    assert {str(each.message) for each in shown} == {"look"}
    assert shown[0].category is not Own
    assert shown[1].category is DeprecationWarning


def test_the_final_event_has_the_output_of_plugins(played: Worker) -> None:
    played.config.workeroutput["cov"] = 1
    ending = played.loop.pytest_sessionfinish(played.session, 1)
    next(ending)
    with pytest.raises(StopIteration):
        next(ending)
    (told,) = played.fields("finished")
    assert told["output"] == {
        "cov": 1,
        "exitstatus": 1,
        "shouldfail": False,
        "shouldstop": False,
    }


def test_rerunfailures_finds_server_on_its_own_machine() -> None:
    plugin = pytest.importorskip("pytest_rerunfailures")
    workerinput: dict[str, Any] = {"sock_port": 1, "statusdb_token": "x"}
    worker.count_reruns_here(workerinput)
    counts = plugin.ClientStatusDB(workerinput["sock_port"], workerinput["statusdb_token"])
    counts.set_test_reruns("t", 2)
    assert counts.get_test_reruns("t") == 2
    counts.sock.close()


def test_workers_without_rerunfailures_get_no_server_address() -> None:
    workerinput: dict[str, Any] = {}
    worker.count_reruns_here(workerinput)
    assert workerinput == {}
