"""The files of a run's report: the page while the run goes on, and all of them at its end.

Their writers are imported late, as importing them takes longer than pytest's own start.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import write_json, write_text
from pytest_mobileagent.plugin.state import RESULT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.report.entry import Entry

_FIRST = 10.0  # seconds from the start of the session
_SHARE = 0.02  # of the time may be spent on pages
_LEAST = 5.0  # seconds between two pages


def write_all(run: RunConfig, whole: Mapping[str, Any]) -> str:
    """Write all files of a run's report; return which could not be written, and why; or "".

    `whole` is the content of report.json.
    """
    from pytest_mobileagent.report.html.all_runs import (
        OVERVIEW,
        RUNS_PAGE,
        write_overview,
        write_runs_page,
    )
    from pytest_mobileagent.report.html.writing import write_page
    from pytest_mobileagent.report.recorded import REPORT
    from pytest_mobileagent.report.text.narration import PAGE
    from pytest_mobileagent.report.text.pull_request import SUMMARY, summary

    def write_report(folder: Path, whole: Mapping[str, Any]) -> None:
        write_json(folder / REPORT, whole)

    def write_summary(folder: Path, whole: Mapping[str, Any]) -> None:
        page = PAGE if (folder / PAGE).is_file() else REPORT
        write_text(folder / SUMMARY, summary(whole, page))

    def write_all_runs(folder: Path, _: Mapping[str, Any]) -> None:
        write_runs_page(folder.parent)

    writers: dict[str, Callable[[Path, Mapping[str, Any]], None]] = {
        REPORT: write_report,
        PAGE: write_page,
        SUMMARY: write_summary,  # it says what else there is
        OVERVIEW: write_overview,
    }
    runs_page = run.folder.path.parent / RUNS_PAGE
    if run.value("mobile-watch") or runs_page.is_file():  # somebody looks at it
        writers[RUNS_PAGE] = write_all_runs
    problems = []
    for name, write in writers.items():
        try:
            write(run.folder.make(), whole)
        except (OSError, HostError) as error:
            problems.append(f"{name} could not be written: {error}")
            if name == REPORT:
                problems[-1] += _written_elsewhere(f"{run.folder.id}.json", whole)
    return "; ".join(problems)


def _written_elsewhere(name: str, whole: Mapping[str, Any]) -> str:
    """Write a report among the temporary files, and return where; empty if that fails too.

    Its folder is new, as others may write to that of all temporary files.
    """
    try:
        path = Path(tempfile.mkdtemp(prefix="mobileagent-report-"), name)
        write_json(path, whole)
    except OSError:
        return ""
    return f"; it is in {path}"


class LivePage:
    """A plugin of the process that owns a run: it writes the page of what has finished so far.

    The larger the page, the less often. Errors are reported only when the page is written for the
    last time, at the end of the run. `results` are those of the run so far, by node id.
    """

    def __init__(self, run: RunConfig, results: Mapping[str, Entry]) -> None:
        self._run, self._results = run, results
        self._next = time.monotonic() + _FIRST

    @pytest.hookimpl(trylast=True)  # after the collector
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the page if it is time for that."""
        began = time.monotonic()
        if began < self._next or getattr(report, RESULT, None) is None:
            return
        try:
            self._write()
        except Exception:  # noqa: BLE001 - the run goes on, whatever its records hold
            self._next = float("inf")
        else:
            ended = time.monotonic()
            self._next = ended + max(_LEAST, (ended - began) / _SHARE)

    def _write(self) -> None:
        from pytest_mobileagent.report.html.writing import write_page
        from pytest_mobileagent.report.recorded import document

        folder = self._run.folder
        write_page(folder.path, document(folder.about(), self._results))
