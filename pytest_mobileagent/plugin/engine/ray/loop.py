"""The loop that a worker runs in place of pytest's own: a plugin that runs tests on order.

It sends the controller everything needed to report the tests as its own: named events whose fields
are plain data, because the controller may not have imported the worker's classes.
"""

from __future__ import annotations

import pickle
import queue
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from xdist.remote import getinfodict

from pytest_mobileagent.plugin.engine.scheduler import WorkerSignal
from pytest_mobileagent.plugin.engine.waiting import run_before_pause

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

INTERRUPT = "interrupt"  # the order to end as after Ctrl-C
STOP = "stop"  # the order to end after the test that is running


class Loop:
    """Runs tests by their numbers, in the order in which `obey` receives them.

    `send` is called with the name of an event and its fields. `config` has the worker's input.
    """

    def __init__(self, config: pytest.Config, send: Callable[..., None]) -> None:
        self._config = config
        self._input: dict[str, Any] = config.workerinput  # type: ignore[attr-defined]
        self._send = send
        self._orders: queue.Queue[int | WorkerSignal] = queue.Queue()
        self._numbers: dict[str, int] = {}
        self._is_stopped = False

    def obey(self, order: int | WorkerSignal | str) -> None:
        """Queue an order; may be called in any thread. INTERRUPT is handled elsewhere."""
        if isinstance(order, str):
            self._is_stopped = True
            order = WorkerSignal.END
        self._orders.put(order)

    @pytest.hookimpl
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Send an event: this worker has started."""
        self._session = session
        self._send("ready", workerinfo=getinfodict())

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Send the node ids of the collected tests."""
        ids = [item.nodeid for item in session.items]
        self._numbers = {test: number for number, test in enumerate(ids)}
        self._send("collected", ids=ids)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run tests until there are no more, or the run must end."""
        what = self._orders.get()
        while what is not WorkerSignal.END:
            following = self._orders.get()  # decides which fixtures stay set up
            start = time.perf_counter()
            if not isinstance(what, WorkerSignal):
                self._run_one(session.items[what], following)
            self._send("done", what=what, seconds=time.perf_counter() - start)
            if session.shouldfail or session.shouldstop or self._is_stopped:
                break
            what = following
        return True

    def _run_one(self, item: pytest.Item, following: int | WorkerSignal) -> None:
        if following is WorkerSignal.PAUSE:
            run_before_pause(item)
            return
        items = self._session.items
        then = None if isinstance(following, WorkerSignal) else items[following]
        self._config.hook.pytest_runtest_protocol(item=item, nextitem=then)

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, Any, Any]:
        """Send the worker's output, which plugins may have added to, when the session ends."""
        output: dict[str, Any] = self._config.workeroutput  # type: ignore[attr-defined]
        output["exitstatus"] = int(exitstatus)
        output["shouldfail"], output["shouldstop"] = session.shouldfail, session.shouldstop
        result = yield
        self._send("finished", output=output)
        return result

    def pytest_internalerror(self, excrepr: object) -> None:
        """Send an internal error, which ends this worker."""
        self._send("internal_error", text=str(excrepr))

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        """Send an event: a test begins."""
        self._send("logstart", nodeid=nodeid, location=location)

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        """Send an event: a test has ended."""
        self._send("logfinish", nodeid=nodeid, location=location)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send the report of a test's phase, with the ids by which plugins distinguish workers."""
        number = self._numbers.get(report.nodeid, -1)
        ids = {"worker_id": self._input["workerid"], "testrun_uid": self._input["testrunuid"]}
        self._send("testreport", data={**self._serialised(report), "item_index": number, **ids})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Send the report of a file that was skipped or could not be collected."""
        if not report.passed:
            self._send("collectreport", data=self._serialised(report))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        """Send a warning."""
        fields = _warning_fields(warning_message)
        self._send("warning", warning=fields, when=when, nodeid=nodeid, location=location)

    def _serialised(self, report: Any) -> dict[str, Any]:
        hook = self._config.hook.pytest_report_to_serializable
        data: dict[str, Any] = hook(config=self._config, report=report)
        return data


def pack(name: str, fields: dict[str, Any]) -> bytes:
    """Return an event as bytes, which can pass through processes without its classes."""
    return pickle.dumps((name, fields))


def unpack(event: bytes) -> tuple[str, dict[str, Any]]:
    """Return an event's name and fields."""
    name, fields = pickle.loads(event)  # noqa: S301 - from a worker, which runs our code anyway
    return name, fields


def warning_of(fields: dict[str, Any]) -> warnings.WarningMessage:
    """Return a worker's warning; its class is a stand-in if only the worker has imported it."""
    module, name = fields["module"], fields["name"]
    category = getattr(sys.modules.get(module), name, None)
    if not (isinstance(category, type) and issubclass(category, Warning)):
        category = type(name, (Warning,), {"__module__": module})
    try:
        message = category(fields["text"])
    except TypeError:  # it takes other arguments
        message = Warning(fields["text"])
    place = {name: fields[name] for name in _PLACE}
    return warnings.WarningMessage(message, category, **place)


_PLACE = ("filename", "lineno", "line")


def _warning_fields(warning: warnings.WarningMessage) -> dict[str, Any]:
    kind = {"module": warning.category.__module__, "name": warning.category.__name__}
    place = {name: getattr(warning, name) for name in _PLACE}
    return {**kind, "text": str(warning.message), **place}
