"""What a run writes at its end: report.json, and what is made of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import write_json, write_text
from pytest_mobileagent.report.document import REPORT
from pytest_mobileagent.report.html.writing import write_page
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.report.text.pull_request import SUMMARY, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.plugin.config import RunConfig


def write_all(run: RunConfig, whole: Mapping[str, Any]) -> str:
    """Write all that is made of a run, and return what could not be, in words; empty if all was.

    `whole` is the content of report.json.
    """
    problems = []
    for name, write in _WRITERS.items():
        try:
            write(run.folder.make(), whole)
        except (OSError, HostError) as error:
            problems.append(f"{name} could not be written: {error}")
            if name == REPORT:
                problems[-1] += _written_elsewhere(f"{run.folder.id}.json", whole)
    return "; ".join(problems)


def _report_json(folder: Path, whole: Mapping[str, Any]) -> None:
    write_json(folder / REPORT, whole)


def _summary(folder: Path, whole: Mapping[str, Any]) -> None:
    page = PAGE if (folder / PAGE).is_file() else REPORT
    write_text(folder / SUMMARY, summary(whole, page))


_WRITERS: dict[str, Callable[[Path, Mapping[str, Any]], None]] = {
    REPORT: _report_json,
    PAGE: write_page,
    SUMMARY: _summary,  # last: it says what else there is
}


def _written_elsewhere(name: str, whole: Mapping[str, Any]) -> str:
    """Write a report where there may be room left, and say where; empty if there is none either.

    The folder is new, and nobody else's: that of temporary files is everybody's.
    """
    try:
        path = Path(tempfile.mkdtemp(prefix="mobileagent-report-"), name)
        write_json(path, whole)
    except OSError:
        return ""
    return f"; it is in {path}"
