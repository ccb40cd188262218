"""The report of a run, made where all its results come together.

Registered in every session, so what only a run with tasks needs is imported where it is used.
"""

from __future__ import annotations

import signal
import threading
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.plain import write_json
from pytest_mobileagent.plugin.results import RESULT
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.terminal import remarks, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.plugin.config import RunConfig

TOO_MUCH_BROKE = 9  # the exit status of a run that --mobile-max-infra ended
_CRASHED = "???"  # pytest-xdist's name for the phase of a test whose worker died
_REPEATED = "repeated"


class Collector:
    """A plugin of the process that owns the run: it gathers results, and writes and shows them."""

    def __init__(self, run: RunConfig) -> None:
        self.run = run
        self.results: dict[str, dict[str, Any]] = {}
        self.selected: set[str] = set()
        self.finished: set[str] = set()
        self.crashes: dict[str, int] = {}
        self.missing: list[str] = []
        self.failed: set[str] = set()
        self.broken: set[str] = set()
        self.problem = ""
        self.broke: dict[str, int] = {}  # attempts lost to infrastructure, by node id
        self.stop: Callable[[str], None] = lambda _: None
        self.stopped = False
        self.ends_as_usual = True  # at SIGTERM

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.stop = partial(_stop, session)
        # What ends jobs of CI and clusters: as at Ctrl-C, what was done is reported.
        is_free = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        in_main = threading.current_thread() is threading.main_thread()
        if self.run.agent is not None and is_free and in_main:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            self.ends_as_usual = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.selected.update(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.selected.update(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """Repeat a task whose worker died: that is no fault of the agent's."""
        crashes = self.crashes[crashitem] = self.crashes.get(crashitem, 0) + 1
        is_task = self.run.agent is not None or self._lost(crashitem) is not None
        if is_task:
            self._count(crashitem, 1)
        if not is_task or crashes > self.run.value("mobile-retries"):
            return
        try:
            sched.mark_test_pending(crashitem)
        except NotImplementedError:  # by the schedulers that keep tests together
            return
        report.outcome = _REPEATED

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        if report.outcome == _REPEATED:
            return _REPEATED, "R", "REPEATED (its worker died)"
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        result = getattr(report, RESULT, None)
        if result is not None:
            self.results[report.nodeid] = self._with_crashes(result)
            self._count(report.nodeid, len(result["infrastructure"]))
        if report.outcome == _REPEATED:
            return
        if report.failed:
            self.failed.add(report.nodeid)
        if report.when == _CRASHED and (lost := self._lost(report.nodeid)) is not None:
            self.results[report.nodeid] = self._with_crashes(
                {**lost, "reason": str(report.longrepr)}
            )
        if report.when in {"teardown", _CRASHED}:
            self.finished.add(report.nodeid)
            if report.failed:
                self.broken.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        _drop_nameless_cases(session.config)
        is_run = bool(self.run.agent or self.results)
        missing = sorted(self.selected - self.finished) if is_run else []
        if exitstatus == pytest.ExitCode.OK and missing:
            self.missing = missing
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if exitstatus == pytest.ExitCode.TESTS_FAILED and self._only_decided_failures():
            session.exitstatus = pytest.ExitCode.OK
        if self.stopped:
            session.exitstatus = TOO_MUCH_BROKE
        if not self.results:
            return
        from pytest_mobileagent.report.document import document  # noqa: PLC0415

        whole = document(self.run.folder.about() | {"ended": _now()}, self.results)
        try:
            write_json(self.run.folder.make() / "report.json", whole)
        except (OSError, HostError) as error:
            self.problem = f"report.json could not be written: {error}"
            self.problem += _written_elsewhere(f"{self.run.folder.id}.json", whole)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_unconfigure(self) -> None:
        if not self.ends_as_usual:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _only_decided_failures(self) -> bool:
        """Whether `--mobile-exit=run` is set, and all that failed are tasks that were decided."""
        decided = {n for n, result in self.results.items() if result["success"] is not None}
        sound = self.selected <= self.finished and not self.broken and self.failed <= decided
        return sound and self.run.value("mobile-exit") == "run"

    def _count(self, nodeid: str, attempts: int) -> None:
        """Count attempts that infrastructure cost, and stop the run at --mobile-max-infra."""
        self.broke[nodeid] = self.broke.get(nodeid, 0) + attempts
        most, so_far = self.run.value("mobile-max-infra"), sum(self.broke.values())
        if attempts and most is not None and so_far >= most and not self.stopped:
            self.stopped = True
            self.stop(f"infrastructure broke {so_far} times (--mobile-max-infra={most})")

    def _with_crashes(self, result: dict[str, Any]) -> dict[str, Any]:
        died = ["a worker died"] * self.crashes.get(result["nodeid"], 0)
        return {**result, "infrastructure": [*died, *result["infrastructure"]]}

    def _lost(self, nodeid: str) -> dict[str, Any] | None:
        """Return the result of a task that took its worker down; None if it is no task."""
        from pytest_mobileagent.plugin.lost import lost_result  # noqa: PLC0415

        result = lost_result(self.run.folder, nodeid)
        return None if result is None else result.to_wire()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.missing:
            terminalreporter.section("tests without a result", red=True)
            for nodeid in self.missing:
                terminalreporter.line(nodeid)
        if not self.results:
            return
        terminalreporter.section(f"mobile agent {self.run.agent or '(none)'}")
        results = list(self.results.values())
        for line in [*table(summarise(results)), *remarks(results)]:
            terminalreporter.line(line)
        report = self.run.folder.path / "report.json"
        terminalreporter.line(self.problem or f"report: {report}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _written_elsewhere(name: str, whole: dict[str, Any]) -> str:
    """Write a report where there may be room left, and say where; empty if there is none either.

    The folder is new, and nobody else's: that of temporary files is everybody's.
    """
    import tempfile  # noqa: PLC0415

    try:
        path = Path(tempfile.mkdtemp(prefix="mobileagent-report-"), name)
        write_json(path, whole)
    except OSError:
        return ""
    return f"; it is in {path}"


def _stop(session: pytest.Session, why: str) -> None:
    """End the run after the tests that run now; workers of pytest-xdist end through its loop."""
    distribution = session.config.pluginmanager.get_plugin("dsession")
    (session if distribution is None else distribution).shouldstop = why


def _drop_nameless_cases(config: pytest.Config) -> None:
    """Take out of JUnit's XML what a repeated task leaves there: a test case without a name."""
    from _pytest.junitxml import xml_key  # noqa: PLC0415 - pytest offers no other way

    xml = config.stash.get(xml_key, None)
    if xml is not None:
        cases = xml.node_reporters_ordered
        cases[:] = [case for case in cases if getattr(case, "attrs", "finished")]
