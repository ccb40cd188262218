"""`python -m pytest_mobileagent report`: tables and leaderboards of runs, or the page of a run."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentTypeError
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.episode.runs import INDEX, RUN
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.bundle import is_bundle
from pytest_mobileagent.report.bundle.verify import verified
from pytest_mobileagent.report.export.layouts import (
    OWN,
    Layout,
    Run,
    a3,
    mobile_bench_v2,
    papers,
    tabulate,
)
from pytest_mobileagent.report.export.published_scores import as_lines, as_table, published_beside
from pytest_mobileagent.report.export.tables import as_csv, as_latex, as_markdown
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.names import names_of
from pytest_mobileagent.report.published_settings import unlike_preset
from pytest_mobileagent.report.recorded_run import REPORT, find_run, is_run, recorded_run, report_of
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.report.text.pull_request import SUMMARY

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from pytest_mobileagent.report.export.tables import Table

_TABLES = {"csv": as_csv, "markdown": as_markdown, "latex": as_latex}
_PACKED, LEADERBOARD = "report-packed.html", "leaderboard.html"
_PROTECTED = {RUN, INDEX, REPORT, SUMMARY}  # files that the run itself has written


def main(arguments: Sequence[str], runs: Callable[[], Path] = lambda: Path("runs")) -> int:
    """Write a table or a page, and return the exit status: 1 if a run cannot be read or written.

    `runs` returns the folder of this project's runs, whose newest is shown beside published scores
    if no run is named.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.layouts:
        sys.stdout.write(listing())
        return 0
    given.format = given.format or ("markdown" if given.published is None else "text")
    if wrong := _conflict(given):
        parser.error(wrong)
    try:
        if given.published is not None and not given.runs:
            given.runs = [str(runs())]
        _report(given)
    except (OSError, HostError, RecordError) as error:
        return failed(error)
    return 0


def _conflict(given: argparse.Namespace) -> str:
    """Return what is wrong with options that do not fit together; "" if all do."""
    beside, form, several = given.published is not None, given.format, len(given.runs) > 1
    conflicts = {
        "name a RUN (--layouts and --published need none)": not given.runs and not beside,
        "--published has a table of its own: leave --layout out": beside and given.layout,
        "--published is for the page of one run: name one, or another --format": (
            beside and form == "html" and several
        ),
        "--format=text is for --published": form == "text" and not beside,
        f"--layout is for {', '.join(_TABLES)}; --format is {form}": (
            given.layout and form not in _TABLES
        ),
        "--pack is for --format=html": given.pack and form != "html",
        "--pack is for the page of one run; a leaderboard has no pictures": given.pack and several,
    }
    return next((words for words, is_so in conflicts.items() if is_so), "")


def _report(given: argparse.Namespace) -> None:
    layout = given.layout or OWN
    if layout.source:
        _check(given.output, is_page=False)
        files = list(map(Path, given.runs))
        if given.output is not None and given.output.resolve() in map(Path.resolve, files):
            raise HostError(f"{given.output} has the counts: name another file with -o")
        _write_table(given, [run for file in files for run in layout.read(file)])
        return
    runs = [find_run(Path(run)) for run in given.runs]
    _check(given.output, is_page=given.format == "html" and len(runs) == 1)
    if given.format == "html" and len(runs) == 1 and is_bundle(Path(given.runs[0])):
        given.output = given.output or Path(f"{runs[0].name}.html")
    if given.format == "html" and len(runs) > 1:
        _write_leaderboard(runs, given.output, _verified(given))
    elif given.format == "html":
        _write_page(runs[0], given.output, given.published, pack=given.pack)
    elif given.published is not None and given.format != "json":
        _write_published(given, runs)
    else:
        read = [_read(run, words) for run, words in zip(runs, _verified(given), strict=True)]
        if given.format == "json":
            _write(_json(read, _published(given, runs)), given.output)
        else:
            _write_table(given, read)


def _verified(given: argparse.Namespace) -> list[str]:
    """Return whether each run is verified, if it is in a bundle; "" for other runs."""
    paths = list(map(Path, given.runs))
    return [verified(path.resolve()) if is_bundle(path) else "" for path in paths]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("report"),
        description="Write a table with a row for each run, in our own columns or those of a "
        "paper's tables; the numbers of the runs as JSON; the page of one run, or a leaderboard "
        "of several runs for publication (html).",
        epilog="RUN is the folder of a run, a folder of runs, whose newest run is used, or a "
        "bundle, which is verified with this project's checks for the column `verified`.",
    )
    add = parser.add_argument
    about = "a run: a row of the table; for layouts of counts, the file with the counts"
    add("runs", metavar="RUN", nargs="*", help=about)
    formats = ("text", "html", "json", *_TABLES)
    form = "of the output (default: markdown; with --published, text)"
    add("--format", choices=formats, help=form)
    published = "put the published scores in this TOML file beside the runs (default: the newest): "
    published += "the differences, whether chance explains them, and the settings that differ"
    add("--published", metavar="FILE", type=Path, help=published)
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


def _read(run: Path, verified: str) -> Run:
    recorded = recorded_run(run)
    about = {**recorded.about, **({"verified": verified} if verified else {})}
    with _reading(run):
        unlike = unlike_preset(run, recorded.about, recorded.tasks)
        return Run(about, summarise(recorded.tasks), recorded.tasks, unlike)


@contextmanager
def _reading(run: Path) -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        why = f"a task has no numbers: {type(error).__name__}: {error}"
        raise RecordError(f"{run} is damaged: {why}") from error


def _json(runs: Sequence[Run], published: Sequence[Any]) -> str:
    each = [{"run": r.about, "summary": r.summary, "unlike_preset": r.unlike_preset} for r in runs]
    for run, scores in zip(each, published, strict=False):
        run["published"] = scores
    return json.dumps({"runs": each}, ensure_ascii=False, indent=2) + "\n"


def _write_table(given: argparse.Namespace, runs: Sequence[Run]) -> None:
    _write_formatted(tabulate(given.layout or OWN, runs), given)


def _write_formatted(table: Table, given: argparse.Namespace) -> None:
    _write(_TABLES[given.format](table), given.output)
    if given.format == "csv":  # which cannot contain notes
        _warn(table.notes)


def _published(given: argparse.Namespace, runs: Sequence[Path]) -> list[list[dict[str, Any]]]:
    """Return the published scores beside each run; empty without --published."""
    return [] if given.published is None else [_beside(run, given.published) for run in runs]


def _beside(run: Path, published: Path) -> list[dict[str, Any]]:
    recorded = recorded_run(run)
    with _reading(run):
        return published_beside(recorded, published)


def _write_published(given: argparse.Namespace, runs: Sequence[Path]) -> None:
    """Write the published scores beside runs, as lines or as a table."""
    scores = _published(given, runs)
    names = names_of([recorded_run(run).about for run in runs])
    for words, beside in zip(_verified(given), scores, strict=True):
        for score in beside if words else ():
            score["verified"] = words
    if given.format != "text":
        _write_formatted(as_table(names, scores), given)
        return
    each = zip(names, scores, strict=True)
    _write("".join(f"{line}\n" for name, own in each for line in as_lines(name, own)), given.output)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        with writing(output):
            output.write_text(text, "utf-8", newline="")


def _warn(notes: Sequence[str]) -> None:
    for note in notes:
        sys.stderr.write(f"note: {printable(note)}\n")


def _write_leaderboard(runs: Sequence[Path], output: Path | None, verified: Sequence[str]) -> None:
    from pytest_mobileagent.report.html.leaderboard import Contender, write_leaderboard  # heavy

    if twice := [run for run, many in Counter(runs).items() if many > 1]:
        msg = f"{twice[0]} is named twice: name each run once (a folder of runs means its newest)"
        raise HostError(msg)
    page = output or Path(LEADERBOARD)
    read = [recorded_run(run) for run in runs]
    contenders = []
    names = names_of([each.about for each in read])
    for run, name, words in zip(read, names, verified, strict=True):
        with _reading(run.folder):
            contenders.append(replace(Contender.of(run, name), verified=words))
    with writing(page):
        write_leaderboard(contenders, page)
    sys.stdout.write(f"{printable(str(page))}\n")


def _write_page(run: Path, output: Path | None, published: Path | None, *, pack: bool) -> None:
    """Write the page of a run, beside the scores in a file if one is given, and print its path."""
    from pytest_mobileagent.report.html.run_page import (  # heavy
        write_packed,
        write_page,
        written_somewhere,
    )

    whole = report_of(run)
    if published is not None:
        whole["published"] = _beside(run, published)
    if pack:
        page = output or run / _PACKED
        if remark := write_packed(run, whole, page):
            _warn([remark])
    elif output is None:
        page = written_somewhere(run / PAGE, lambda path: write_page(run, whole, path))
    else:
        page = output
        write_page(run, whole, page)
    sys.stdout.write(f"{printable(str(page))}\n")


# What `report --layouts` says of each paper, and its tables.
_PAPERS = (
    (papers.ABOUT_SPA_BENCH, papers.SPA_BENCH_TABLES),
    (papers.ABOUT_MOBILEAGENTBENCH, papers.MOBILEAGENTBENCH_TABLES),
    (papers.ABOUT_B_MOCA, papers.B_MOCA_TABLES),
    (a3.__doc__, a3.TABLES),
    (mobile_bench_v2.__doc__, mobile_bench_v2.TABLES),
    (papers.ABOUT_MOBILEGYM, papers.MOBILEGYM_TABLES),
)
LAYOUTS: tuple[Layout, ...] = tuple(each for _, tables in _PAPERS for each in tables)
_BY_NAME = {name: each for each in LAYOUTS for name in each.names.split()}


def find_layout(name: str) -> Layout:
    """Return the layout with a name: PAPER:TABLE, PAPER, or another one of its names.

    Raises:
        ArgumentTypeError: if there is none; the message lists the paper's tables, or all tables.
    """
    if found := _BY_NAME.get(name):
        return found
    names = [each.names.split()[0] for each in LAYOUTS]
    same = [each for each in names if each.startswith(f"{name.partition(':')[0]}:")]
    msg = f"there is no {name!r}, but {', '.join(same or names)} (see --layouts)"
    raise ArgumentTypeError(printable(msg))


def listing() -> str:
    """Return a list of all layouts, with their other names, what they show and what they need."""
    return "\n".join(cleandoc(about or "") + "\n" for about, _ in _PAPERS)
