"""Tasks that are broken where they are written: collection says why, without a traceback."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pytest
from _pytest._code.code import (  # a failure that pytest can send, and print
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.plain import printable
from pytest_mobileagent.plugin.items import marker_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_mobileagent.plugin.known_apps import KnownApps

_MARK = "mobile_broken_task"  # the attribute of a report that crosses pytest-xdist with it


class BrokenTasks:
    """A plugin that explains broken tasks, and ends a run that has some with status 4."""

    def __init__(self, config: pytest.Config) -> None:
        self._found = False
        self._config = config

    @cached_property
    def _apps(self) -> KnownApps:
        from pytest_mobileagent.plugin.known_apps import KnownApps

        return KnownApps(self._config)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Show of a TaskError its text, and the line of the file that has raised it."""
        report = yield
        call: pytest.CallInfo[object] | None = getattr(report, "call", None)
        excinfo = None if call is None else call.excinfo
        if excinfo is not None and isinstance(excinfo.value, TaskError):
            setattr(report, _MARK, True)
            report.longrepr = _explain(excinfo, collector)
        elif report.passed and any(marker_of(item) is not None for item in report.result):
            self._check_apps(report, collector)
        return report

    def _check_apps(self, report: pytest.CollectReport, collector: pytest.Collector) -> None:
        """Let a collection fail whose tasks have misspelt apps."""
        try:
            self._apps.check(report.result)
        except TaskError as error:
            setattr(report, _MARK, True)
            report.outcome, report.result = "failed", []
            report.longrepr = _told(str(error), collector.nodeid.partition("::")[0])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember that there was one, in whichever process."""
        self._found = self._found or hasattr(report, _MARK)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Change the status: what was wrong could be known before any device started."""
        if self._found:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR


def _explain(
    excinfo: pytest.ExceptionInfo[BaseException], collector: pytest.Collector
) -> ReprExceptionInfo:
    message = printable(str(excinfo.value))
    inside = [entry.lineno + 1 for entry in excinfo.traceback if entry.path == collector.path]
    file = collector.nodeid.partition("::")[0]
    where = [f"{file}:{inside[-1]}"] if inside else []
    return _told("\n".join([message, *where]), file, inside[-1] if inside else 1, message)


def _told(text: str, file: str, line: int = 1, message: str = "") -> ReprExceptionInfo:
    """Return what pytest shows, and in its summary the message, or else the text."""
    entries = [ReprEntryNative([f"{line}\n" for line in text.split("\n")])]
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback(entries, None, "native"),
        reprcrash=ReprFileLocation(file, line, message or text),
    )
