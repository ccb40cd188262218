"""Pages of runs that are on disk: made where there is none, or one that knows less than the run."""

from __future__ import annotations

import tempfile
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.index import INDEX
from pytest_mobileagent.report.document import document
from pytest_mobileagent.report.html.blocks import Written, pack
from pytest_mobileagent.report.html.index import index_data
from pytest_mobileagent.report.html.writing import PAGE, episodes, write, write_page
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.reading import REPORT, read_report
from pytest_mobileagent.report.recorded import recorded_run

if TYPE_CHECKING:
    from collections.abc import Mapping

BASE = "~"  # before the names of the episodes of the run that another is compared with


def page_of(run: Path, *, anew: bool = False) -> Path:
    """Return the page of a run, which is written first if it has none of how the run is now.

    `anew`: it is written in any case. Where its folder cannot be written to, it is written into a
    new folder for temporary files.

    Raises:
        OSError: it cannot be written anywhere, or the report cannot be read.
        RecordError: the run's report or its run.json is damaged, or of a newer version.
    """
    page = run / PAGE
    if not anew and _is_new(run, page):
        return page
    whole = report_of(run)
    try:
        write_page(run, whole)
    except PermissionError:
        page = _elsewhere()
        write_page(run, whole, page)
    return page


def page_of_two(base: Path, run: Path) -> Path:
    """Write a page of a run beside another one, and return its path: in the run's folder.

    Raises:
        OSError, RecordError: as by `page_of`.
    """
    wholes = report_of(run), report_of(base)
    try:
        return _write_two(run / f"beside-{base.name}.html", (run, base), wholes)
    except PermissionError:
        return _write_two(_elsewhere(), (run, base), wholes)


def report_of(run: Path) -> dict[str, Any]:
    """Return the content of the report of a run, by the verdicts that stand, also without one.

    Raises:
        OSError: it cannot be read.
        RecordError: it, or the run.json of a run without one, is damaged or of a newer version.
    """
    recorded = recorded_run(run)
    tasks = list(recorded.tasks)
    if not recorded.has_ended:
        return document(recorded.about, {str(task["nodeid"]): dict(task) for task in tasks})
    report = read_report(run / REPORT)
    return {**report, "summary": {**report["summary"], **summarise(tasks)}, "tasks": tasks}


def _is_new(run: Path, page: Path) -> bool:
    """Whether a run has ended, and its page was written after that."""
    try:
        written = page.stat().st_mtime_ns
        return max((run / name).stat().st_mtime_ns for name in (REPORT, INDEX)) <= written
    except OSError:
        return False


def _elsewhere() -> Path:
    return Path(tempfile.mkdtemp(prefix="mobileagent-report-"), PAGE)


def _write_two(
    path: Path, runs: tuple[Path, Path], wholes: tuple[Mapping[str, Any], Mapping[str, Any]]
) -> Path:
    marks, names = ("", BASE), ("index", "index2")
    parts = list(zip(names, runs, wholes, marks, strict=True))
    indexes = [(name, pack(index_data(run, whole, mark))) for name, run, whole, mark in parts]
    written = Written.of(path)
    blocks = (episodes(run, whole, path.parent, written, mark) for _, run, whole, mark in parts)
    write(path, f"{runs[0].name} · {runs[1].name}", chain(indexes, *blocks))
    return path
