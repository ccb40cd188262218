"""What a run says: on the terminal, in the files of its report, and in other plugins' reports.

pytest imports this module in every session. The writers of files are imported late, because
importing them takes longer than pytest's own start.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.episode import chain
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import write_json, write_text
from pytest_mobileagent.plugin.state import RESULT, result_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from pytest_mobileagent.episode.packing import IdlePacker
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.report.entry import Entry, Report


def say(config: pytest.Config, line: str) -> None:
    """Write a line below whatever pytest has written, such as unfinished dots."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        sys.stderr.write(f"{line}\n")
        return
    if config.get_terminal_writer().width_of_current_line:
        terminal.line("")
    terminal.write_line(line)


_KINDS = ("error", "failed")  # the sections of pytest that show failures


class FailureGroups:
    """A plugin for the process that owns the run: of failures with the same cause, it shows one.

    pytest shows failures before it asks plugins for their parts of the summary, and counts them
    after that. So reports are withheld when the summary begins, and given back by `show_others`.
    """

    def __init__(self) -> None:
        self._whole: dict[str, list[Any]] = {}
        self._groups: list[list[Entry]] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        """Withhold the reports whose cause an earlier one has; with `-v`, none."""
        if terminalreporter.config.option.verbose <= 0:
            for kind in _KINDS:
                self._withhold(kind, terminalreporter.stats)
        try:
            return (yield)
        finally:
            self._give_back(terminalreporter.stats)

    def _withhold(self, kind: str, stats: dict[str, list[Any]]) -> None:
        groups: dict[str, list[Entry]] = defaultdict(list)
        shown = []
        for report in stats.get(kind, ()):
            result = result_of(report)
            cause = None if result is None else result.cause
            if cause is None or cause not in groups:
                shown.append(report)
            if result is not None and cause is not None:
                groups[cause].append(result)
        if len(shown) < len(stats.get(kind, ())):
            self._whole[kind], stats[kind] = stats[kind], shown
        self._groups += [group for group in groups.values() if len(group) > 1]

    def _give_back(self, stats: dict[str, list[Any]]) -> None:
        stats.update(self._whole)
        self._whole = {}

    def show_others(self, terminal: pytest.TerminalReporter) -> None:
        """Name the failures that were withheld, and let pytest count them."""
        self._give_back(terminal.stats)
        if not self._groups or terminal.config.option.tbstyle == "no":
            return
        from pytest_mobileagent.report.text.lists import same_causes

        terminal.section("failures of the same causes (-v shows them in full)", "-", red=True)
        for line in same_causes(self._groups):
            terminal.line(line)


PAGE_WRITER = "mobileagent-page-writer"  # with `-p no:NAME`, no page is written
_FIRST = 10.0  # seconds from the start of the session until the first page
_SHARE = 0.02  # the share of the time that may be spent on pages
_LEAST = 5.0  # minimum seconds between two pages


def write_all(run: RunConfig, whole: Report) -> str:
    """Write all files of a run's report, whose report.json has the content `whole`.

    Return a message about files that could not be written; empty if all were written.
    """
    from pytest_mobileagent.report.html.all_runs_page import (
        OVERVIEW,
        RUNS_PAGE,
        write_overview,
        write_runs_page,
    )
    from pytest_mobileagent.report.html.run_page import write_page
    from pytest_mobileagent.report.recorded_run import REPORT
    from pytest_mobileagent.report.text.narration import PAGE
    from pytest_mobileagent.report.text.pull_request import SUMMARY, summary

    def write_report(folder: Path, whole: Report) -> None:
        write_json(folder / REPORT, whole)
        chain.close(folder)

    def write_summary(folder: Path, whole: Report) -> None:
        page = PAGE if (folder / PAGE).is_file() else REPORT
        write_text(folder / SUMMARY, summary(whole, page))

    writers: dict[str, Callable[[Path, Report], object]] = {
        REPORT: write_report,
        PAGE: write_page,
        SUMMARY: write_summary,  # after the page, which it refers to
        OVERVIEW: write_overview,
    }
    runs_page = run.folder.path.parent / RUNS_PAGE
    if run.value("mobile-watch") or runs_page.is_file():  # the page of all runs is in use
        writers[RUNS_PAGE] = lambda folder, _: write_runs_page(folder.parent)
    if run.config.pluginmanager.is_blocked(PAGE_WRITER):
        del writers[PAGE]
    problems = []
    for name, write in writers.items():
        try:
            write(run.folder.make(), whole)
        except (OSError, HostError) as error:
            problems.append(f"{name} could not be written: {error}")
            if name == REPORT:
                problems[-1] += _written_elsewhere(f"{run.folder.id}.json", whole)
    return "; ".join(problems)


def _written_elsewhere(name: str, whole: Report) -> str:
    """Write a report to a temporary folder; return text with its path, or "" if that fails too.

    The folder is a new one, because other users can write to the system's temporary folder.
    """
    try:
        path = Path(tempfile.mkdtemp(prefix="mobileagent-report-"), name)
        write_json(path, whole)
    except OSError:
        return ""
    return f"; it is in {path}"


class Packing:
    """A plugin for the process that owns a run: it packs the screens of large runs.

    Screens are packed while the machine is idle, until the last test. What is left then stays as it
    is, which does no harm; `mobileagent pack` packs it.
    """

    def __init__(self, run: RunConfig) -> None:
        self._run = run
        self._packer: IdlePacker | None = None
        self._next = 0.0

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Start packing once there are enough screens."""
        now = time.monotonic()
        if self._packer is not None or now < self._next or getattr(report, RESULT, None) is None:
            return
        from pytest_mobileagent.episode.packing import LEAST, IdlePacker, size_of

        self._next = now + _LEAST
        if size_of(self._run.folder.path) >= LEAST:
            with contextlib.suppress(OSError):  # no process can be started: try again later
                self._packer = IdlePacker(self._run.folder.path)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End the packing process before the report is written."""
        if self._packer is not None:
            self._packer.end()
            self._packer = None

    pytest_unconfigure = pytest_sessionfinish


class PageWriter:
    """A plugin for the process that owns a run: it writes the page with the results so far.

    The larger the page, the less often it is written. Errors are only reported when the page is
    written for the last time, at the end of the run. `results` are the results so far, by node id.
    """

    def __init__(self, run: RunConfig, results: Mapping[str, Entry]) -> None:
        self._run, self._results = run, results
        self._next = time.monotonic() + _FIRST

    @pytest.hookimpl(trylast=True)  # after the collector
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the page if it is due."""
        began = time.monotonic()
        if began < self._next or getattr(report, RESULT, None) is None:
            return
        try:
            self._write()
        except pytest.fail.Exception:  # by pytest-timeout; the test has its result already
            self._next = began + _LEAST
        except Exception:  # noqa: BLE001 - the run continues, whatever its records contain
            self._next = float("inf")
        else:
            ended = time.monotonic()
            self._next = ended + max(_LEAST, (ended - began) / _SHARE)

    def _write(self) -> None:
        from pytest_mobileagent.report.html.run_page import write_page
        from pytest_mobileagent.report.recorded_run import document

        folder = self._run.folder
        write_page(folder.path, document(folder.about(), self._results))
