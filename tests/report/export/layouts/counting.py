"""Counts behind the cells of papers' tables: entries of runs, and how their tables differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Case, Step, Tap, Task, Termination
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.observation import DeviceInfo
from pytest_mobileagent.report.export import find_layout
from pytest_mobileagent.report.export.layouts import Run, tabulate
from pytest_mobileagent.report.metrics import totals
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry

    Cells = Mapping[tuple[str, int], str]  # by the row's name and the place in the row, from 1

NOTHING = {"-", "N/A", "n/a"}
REPORTED, LIMITED = Termination.SELF_REPORTED, Termination.STEP_LIMIT
SCREEN = Screen("<hierarchy/>", b"")
DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)


@dataclass(frozen=True)
class Ending:
    """How an episode ended: its termination, success, and number of superfluous steps."""

    termination: Termination
    success: bool
    late: bool = False


@dataclass(frozen=True)
class Cost:
    """The seconds and dollars of a step, and the estimated tokens of an episode."""

    seconds: float = 0.0
    dollars: float | None = None
    tokens: int = 0


def rows_of(table: str) -> dict[str, list[str]]:
    """Return the cells of a table's lines by the first word, which stands for the row."""
    lines = [line.split() for line in table.strip().splitlines()]
    return {name: cells for name, *cells in lines}


def run_of(entries: Sequence[Entry], agent: str = "m3a", **about: Any) -> Run:
    return Run({"id": agent, "agent": agent, **about}, totals(entries), entries)


def shown(layout: str, *runs: Run) -> list[list[str]]:
    """Return the texts of a table's rows."""
    return [list(map(str, row)) for row in tabulate(find_layout(layout), runs).rows]


def heads(layout: str, *runs: Run) -> list[str]:
    """Return the heads of a table's columns, as GROUP: TITLE."""
    columns = tabulate(find_layout(layout), runs).columns
    return [f"{each.group}: {each.title}".removeprefix(": ") for each in columns]


def differences(rows: Sequence[Sequence[str]], paper: str) -> dict[tuple[str, int], str]:
    """Return our cells that differ from the paper's; both have the same rows."""
    expected = rows_of(paper)
    assert [row[0] for row in rows] == list(expected)
    return {
        (name, place): cell
        for name, *cells in rows
        for place, (cell, theirs) in enumerate(zip(cells, expected[name], strict=True), 1)
        if not _equal(cell, theirs)
    }


def _equal(cell: str, other: str) -> bool:
    if other in NOTHING:
        return cell in NOTHING
    try:
        return float(cell.removesuffix("%")) == float(other.removesuffix("%"))
    except ValueError:
        return cell == other


def changed(row: str, cells: Sequence[str], changes: Cells) -> list[str]:
    """Return a row of the paper with the cells that no counts give replaced by ours."""
    return [changes.get((row, place), cell) for place, cell in enumerate(cells, 1)]


def fits(cell: str, value: float | None, digits: int) -> bool:
    """Return whether a number is printed as a table cell; None matches an empty cell."""
    if cell in NOTHING or value is None:
        return cell in NOTHING and value is None
    return f"{value:.{digits}f}" == f"{float(cell):.{digits}f}"


def shares(cell: str, whole: int, digits: int) -> Iterator[int]:
    """Yield the counts out of a total whose share is printed as a cell; 0 if the total is 0."""
    if not whole:
        yield from [0] if cell in NOTHING else []
        return
    yield from (part for part in range(whole + 1) if fits(cell, part / whole, digits))


def percents(cell: str, whole: int, digits: int = 1) -> Iterator[int]:
    """Yield the counts out of a total whose share in percent is printed as a cell."""
    yield from (part for part in range(whole + 1) if fits(cell, 100 * part / whole, digits))


def steps(cell: str, count: int, most: Callable[[int], int]) -> tuple[int, list[int]] | None:
    """Return golden steps, and the steps of the successes, whose mean ratio is printed as a cell.

    All tasks have the same golden steps, and no success takes more than `most` steps. The result is
    None if there are no such numbers.
    """
    for golden in range(2, 40):
        for taken in range(count, most(golden) * count + 1) if count else ():
            if fits(cell, taken / (golden * count), 2):
                return golden, spread(taken, count)
    return None


def spread(total: int, count: int) -> list[int]:
    """Return whole numbers that differ by at most 1 and add up to a total."""
    each, more = divmod(total, count)
    return [each + (number < more) for number in range(count)]


def results(
    endings: list[Ending],
    ratio: tuple[int, list[int]] | None,
    cost: Cost,
    first: int = 0,
    **about: Any,
) -> list[Entry]:
    """Return the tasks of a report.json with the given endings; `about` are fields of all tasks.

    They are counted from `first`.
    """
    golden, taken = ratio or (4, [])
    left = iter(taken)
    each = []
    for number, ending in enumerate(endings, first):
        count = next(left, golden) if ending.success else golden
        task = Task(f"Do {number}.", golden_steps=golden, **about)
        name = f"{about}{number}"
        episode = _episode(Case(task, name, nodeid=name), ending, count, cost)
        verdict = Verdict(ending.success, first_step=count if ending.success else None)
        outcome = "passed" if ending.success else "failed"
        each.append(Result(episode.case, outcome, episode=episode, verdict=verdict).entry())
    return each


def _episode(case: Case, ending: Ending, count: int, cost: Cost) -> EpisodeRecord:
    calls = () if cost.dollars is None else (ModelCall("m", price_usd=cost.dollars),)
    half = cost.seconds / 2
    step = Step(SCREEN, (Tap(1, 1),), calls=calls, seconds_thinking=half, seconds_acting=half)
    count += ending.late
    estimate = ModelCall("e", estimated_input_tokens=cost.tokens, estimated_output_tokens=0)
    return EpisodeRecord(
        case,
        case.task.goal,
        "agent",
        DEVICE,
        SCREEN,
        (step,) * count,
        termination=ending.termination,
        seconds=cost.seconds * count,
        unused=(estimate,) if cost.tokens else (),
    )
