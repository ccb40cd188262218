"""The page of two runs, which shows the episodes of each task side by side."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.comparison.episode_pairs import BASE, episode_differences
from pytest_mobileagent.report.comparison.pairing import case_of
from pytest_mobileagent.report.html.index import VERSION, attempts, index_data, signature
from pytest_mobileagent.report.html.page import ExistingPage, pack, write
from pytest_mobileagent.report.html.run_page import episodes, packed, written_somewhere
from pytest_mobileagent.report.names import names_of
from pytest_mobileagent.report.recorded_run import recorded_run, report_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_mobileagent.report.entry import Report

    Pair = tuple[Path, Path]  # the folders of two episodes: of the baseline, and of the run
    Blocks = Iterator[tuple[str, bytes]]
    Reports = tuple[Report, Report]  # of the baseline, and of the run
    Indexes = tuple[dict[str, Any], dict[str, Any]]  # of the run, and of the baseline


# What names paths of a machine, in a page that is often published.
_OF_A_MACHINE = {"command", "options", "resumed", "merged_from", "rescored_from", "price_table"}


def page_of_two(base: Path, run: Path) -> Path:
    """Write the page of a run and its baseline into the run's folder, and return its path.

    If that folder is not writable, the page is written into a new temporary folder.

    Raises:
        OSError: if the page cannot be written anywhere, or a report cannot be read.
        RecordError: if the report or the run.json of a run is damaged, or of a newer version.
    """
    before, after = recorded_run(base), recorded_run(run)
    wholes = before.current_report(), after.current_report()
    try:
        comparison = compare(before, after)
    except ValueError:  # no task is in both
        comparison = None
    indexes = _indexes(base, run, wholes, comparison)
    page = run / f"beside-{base.name}.html"
    return written_somewhere(page, lambda path: _write(path, base, run, wholes, indexes))


def _indexes(
    base: Path, run: Path, wholes: Reports, comparison: Mapping[str, Any] | None
) -> Indexes:
    """Return the indexes of a run and of its baseline, as `index` and `index2` of their page."""
    before, after = index_data(base, wholes[0], BASE), index_data(run, wholes[1])
    names = names_of([whole["run"] for whole in wholes])
    for index, name in zip((before, after), names, strict=True):
        about = {key: each for key, each in index["run"].items() if key not in _OF_A_MACHINE}
        index["run"] = {**about, "name": name}
    tested = (after["comparison"] or {}).get("baseline", {}).get("id")
    if tested != before["run"].get("id"):
        after["gate"] = None  # it is about another baseline
    after["comparison"] = comparison
    return after, before


def _write(path: Path, base: Path, run: Path, wholes: Reports, indexes: Indexes) -> None:
    before, after = wholes
    written = ExistingPage.of(path)
    blocks = (
        episodes(run, after, path.parent, written),
        episodes(base, before, path.parent, written, BASE),
        _divergences(_pairs(base, run, before, after), written),
    )
    write(path, f"{run.name} · {base.name}", chain(_packed(indexes), *blocks))


def _packed(indexes: Indexes) -> list[tuple[str, bytes]]:
    return [(name, pack(index)) for name, index in zip(("index", "index2"), indexes, strict=True)]


def write_packed_pair(base: Path, run: Path, comparison: Mapping[str, Any], path: Path) -> str:
    """Write a page with the episodes that a comparison names, and their pictures, to a file.

    The page lists all tasks of both runs, but contains episodes only of lost and gained tasks.
    Return a warning if the page is large.

    Raises:
        TooLargeError: if the page would be larger than 100 MB; the message says what to do instead.
        OSError, RecordError: see `page_of_two`.
    """
    entries = [each for kind in ("lost", "gained") for each in comparison[kind]]
    named = [each["episodes"] for each in entries if "episodes" in each]
    wholes = report_of(base), report_of(run)
    indexes = _indexes(base, run, wholes, comparison)
    parts = []
    for index, whose, folder, whole, mark in (
        (indexes[0], "run", run, wholes[1], ""),
        (indexes[1], "baseline", base, wholes[0], BASE),
    ):
        chosen = {each[whose] for each in named}
        tasks = [task for task in whole["tasks"] if Path(task.episode or "").name in chosen]
        for row in index["tasks"]:
            if row["e"] is not None and row["e"].removeprefix(mark) not in chosen:
                row["e"] = None
        written = ExistingPage(path, {})
        parts.append((folder, episodes(folder, {**whole, "tasks": tasks}, folder, written, mark)))
    pairs = [
        (base / "episodes" / each["baseline"], run / "episodes" / each["run"]) for each in named
    ]
    parts.append((run, _divergences(pairs, ExistingPage(path, {}))))
    return packed(path, f"{run.name} · {base.name}", _packed(indexes), parts)


def _pairs(base: Path, run: Path, before: Report, after: Report) -> Iterator[Pair]:
    """Yield the pairs of episodes of the cases that are in both runs."""
    known = {case_of(task): task for task in before["tasks"]}
    for task in after["tasks"]:
        if (other := known.get(case_of(task))) is not None:
            folders, others = attempts(run, task), attempts(base, other)
            if folders and others:
                yield others[-1], folders[-1]


def _divergences(pairs: Iterable[Pair], written: ExistingPage) -> Blocks:
    """Yield a block for each pair of episodes: where they diverge, and their other differences."""
    for before, after in pairs:
        name = f"d:{after.name}{BASE}{before.name}"
        of = signature(after, VERSION, name, signature(before))
        yield name, written.get(name, of) or pack(episode_differences(before, after), of)
