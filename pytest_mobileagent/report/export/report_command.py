"""`python -m pytest_mobileagent report`: tables and leaderboards of runs, or the page of a run."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.episode.runs import INDEX, RUN
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.export.layouts import OWN, Run, find_layout, listing, tabulate
from pytest_mobileagent.report.export.tables import as_csv, as_latex, as_markdown
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.names import names_of
from pytest_mobileagent.report.recorded_run import REPORT, find_run, is_run, recorded_run, report_of
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.report.text.pull_request import SUMMARY

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence


_TABLES = {"csv": as_csv, "markdown": as_markdown, "latex": as_latex}
_PACKED, LEADERBOARD = "report-packed.html", "leaderboard.html"
_PROTECTED = {RUN, INDEX, REPORT, SUMMARY}  # files that the run itself has written


def main(arguments: Sequence[str]) -> int:
    """Write a table or a page, and return the exit status: 1 if a run cannot be read or written."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.layouts:
        sys.stdout.write(listing())
        return 0
    if not given.runs:
        parser.error("name a RUN (--layouts needs none)")
    if given.layout and given.format not in _TABLES:
        parser.error(f"--layout is for {', '.join(_TABLES)}; --format is {given.format}")
    if given.format != "html" and given.pack:
        parser.error("--pack is for --format=html")
    if given.pack and len(given.runs) > 1:
        parser.error("--pack is for the page of one run; a leaderboard has no pictures")
    try:
        _report(given)
    except (OSError, HostError, RecordError) as error:
        sys.stderr.write(f"error: {printable(str(error))}\n")
        return 1
    return 0


def _report(given: argparse.Namespace) -> None:
    layout = given.layout or OWN
    if layout.source:
        _check(given.output, is_page=False)
        files = list(map(Path, given.runs))
        if given.output is not None and given.output.resolve() in {
            each.resolve() for each in files
        }:
            raise HostError(f"{given.output} has the counts: name another file with -o")
        _write_table(given, [run for file in files for run in layout.read(file)])
        return
    runs = [find_run(Path(run)) for run in given.runs]
    _check(given.output, is_page=given.format == "html" and len(runs) == 1)
    if given.format == "html" and len(runs) > 1:
        _write_leaderboard(runs, given.output)
    elif given.format == "html":
        _write_page(runs[0], given.output, pack=given.pack)
    elif given.format == "json":
        _write(_json(list(map(_read, runs))), given.output)
    else:
        _write_table(given, list(map(_read, runs)))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("report"),
        description="Write a table with a row for each run, in our own columns or those of a "
        "paper's tables; the numbers of the runs as JSON; the page of one run, or a leaderboard "
        "of several runs for publication (html).",
        epilog="RUN is the folder of a run, or a folder of runs, whose newest run is used.",
    )
    add = parser.add_argument
    about = "a run: a row of the table; for layouts of counts, the file with the counts"
    add("runs", metavar="RUN", nargs="*", help=about)
    formats = ("html", "json", *_TABLES)
    add("--format", choices=formats, default="markdown", help="of the output (default: markdown)")
    layout = "a table of a paper, as in spa-bench:3, or its main table (default: our own columns)"
    add("--layout", metavar="PAPER[:TABLE]", type=find_layout, help=layout)
    add("--layouts", action="store_true", help="list all layouts, with what they need")
    add("--pack", action="store_true", help="html: put all pictures, compressed, into the file")
    where = "the file to write (default: standard output; for the page of a run, its folder; "
    where += f"for a leaderboard, {LEADERBOARD})"
    add("-o", "--output", metavar="FILE", type=Path, help=where)
    return parser


def _check(output: Path | None, *, is_page: bool) -> None:
    """Check that the output would overwrite no file of a run; only a page may replace a page."""
    protected = _PROTECTED if is_page else _PROTECTED | {PAGE}
    if output is not None and output.name in protected and is_run(output.resolve().parent):
        msg = f"{output} is a run's own file and is not overwritten: name another one with -o"
        raise HostError(msg)


def _read(run: Path) -> Run:
    recorded = recorded_run(run)
    with _reading(run):
        return Run(recorded.about, summarise(recorded.tasks), recorded.tasks)


@contextmanager
def _reading(run: Path) -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        why = f"a task has no numbers: {type(error).__name__}: {error}"
        raise RecordError(f"{run} is damaged: {why}") from error


def _json(runs: Sequence[Run]) -> str:
    each = [{"run": run.about, "summary": run.summary} for run in runs]
    return json.dumps({"runs": each}, ensure_ascii=False, indent=2) + "\n"


def _write_table(given: argparse.Namespace, runs: Sequence[Run]) -> None:
    """Write a table of runs in the given layout and format."""
    table = tabulate(given.layout or OWN, runs)
    _write(_TABLES[given.format](table), given.output)
    if given.format == "csv":  # which cannot contain notes
        _warn(table.notes)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        with writing(output):
            output.write_text(text, "utf-8", newline="")


def _warn(notes: Sequence[str]) -> None:
    for note in notes:
        sys.stderr.write(f"note: {printable(note)}\n")


def _write_leaderboard(runs: Sequence[Path], output: Path | None) -> None:
    """Write the leaderboard of several runs, and print its path."""
    from pytest_mobileagent.report.html.leaderboard import Contender, write_leaderboard  # heavy

    if twice := [run for run, many in Counter(runs).items() if many > 1]:
        msg = f"{twice[0]} is named twice: name each run once (a folder of runs means its newest)"
        raise HostError(msg)
    page = output or Path(LEADERBOARD)
    read = [recorded_run(run) for run in runs]
    contenders = []
    for run, name in zip(read, names_of([each.about for each in read]), strict=True):
        with _reading(run.folder):
            contenders.append(Contender.of(run, name))
    with writing(page):
        write_leaderboard(contenders, page)
    sys.stdout.write(f"{printable(str(page))}\n")


def _write_page(run: Path, output: Path | None, *, pack: bool) -> None:
    """Write the page of a run, and print its path."""
    from pytest_mobileagent.report.html.run_page import page_of, write_packed, write_page  # heavy

    if pack:
        page = output or run / _PACKED
        if remark := write_packed(run, report_of(run), page):
            _warn([remark])
    elif output is None:
        page = page_of(run, anew=True)
    else:
        page = output
        write_page(run, report_of(run), page)
    sys.stdout.write(f"{printable(str(page))}\n")
