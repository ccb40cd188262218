"""Tests that B-MoCA's table (arXiv 2404.16660) and figures follow from counts of episodes."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.report.export import find_layout
from pytest_mobileagent.report.export.layouts import Run, tabulate
from tests.report.conftest import make
from tests.report.export.layouts.counting import heads, run_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.report.entry import Entry

TASKS = {
    "Alarm(simple)": "tasks/b_moca/clock/alarm_1030",
    "Alarm(complex)": "tasks/b_moca/clock/alarm_1030_weekdays",
    "Language": "tasks/b_moca/settings/add_language",
    "Calculator": "tasks/b_moca/calculator/cos_180",
    "Call": "tasks/b_moca/phone/white_house",
    "Wikipedia": "tasks/b_moca/wikipedia/first_two_and_randomizer",
}
ENVIRONMENTS = [str(number) for number in range(100, 110)]
# Success rates without and with few-shot examples.
TABLE_2 = {
    "Alarm(simple)": ("87 ± 07", "83 ± 05"),
    "Alarm(complex)": ("33 ± 05", "67 ± 03"),
    "Language": ("97 ± 03", "83 ± 03"),
    "Calculator": ("17 ± 03", "17 ± 07"),
    "Call": ("00 ± 00", "30 ± 08"),
    "Wikipedia": ("30 ± 22", "20 ± 00"),
    "Average": ("44 ± 03", "50 ± 04"),
}
# Three runs in ten environments: of all counts with a mean of 30 %, 0, 1 and 8 come nearest.
IMPOSSIBLE = {("Wikipedia", 0): "30 ± 21"}


def printed(counts: Sequence[float], tasks: int) -> str:
    """Return the mean of counts ± its standard error (ddof 0), in percent of the tasks."""
    rates = [100 * count / tasks for count in counts]
    return f"{fmean(rates):02.0f} ± {pstdev(rates) / len(rates) ** 0.5:02.0f}"


def triples(cell: str) -> Iterator[tuple[int, ...]]:
    """Yield the successes of three epochs in ten environments that are printed as a cell."""
    yield from (each for each in product(range(11), repeat=3) if printed(each, 10) == cell)


def counts(column: int) -> list[tuple[int, ...]]:
    """Return the successes of each task in each epoch that are printed as a column."""
    cells = {task: each[column] for task, each in TABLE_2.items()}
    *tasks, average = cells
    each = [list(triples(IMPOSSIBLE.get((task, column), cells[task]))) for task in tasks]
    for chosen in product(*each):
        if printed([sum(epoch) for epoch in zip(*chosen, strict=True)], 60) == cells[average]:
            return list(chosen)
    raise AssertionError(f"no counts give column {column}")


def entries(column: int) -> list[Entry]:
    return [
        make(number < passed, id=name, epoch=epoch, environment=environment)
        for name, each in zip(TASKS.values(), counts(column), strict=True)
        for epoch, passed in enumerate(each)
        for number, environment in enumerate(ENVIRONMENTS)
    ]


@cache
def run(column: int) -> Run:
    """Return a run of the six tasks, and of one that is none of them."""
    other = [make(True, id="other", epoch=n, environment="100") for n in range(3)]
    return run_of([*entries(column), *other], "bmoca_text", label=f"{'few' * column}-shot")


def test_table_2_has_tasks_as_rows_and_agents_as_columns() -> None:
    runs = run(0), run(1)
    rows = {task: tuple(cells) for task, *cells in shown("b-moca:2", *runs)}
    expected = {
        task: tuple(IMPOSSIBLE.get((task, n), cell) for n, cell in enumerate(cells))
        for task, cells in TABLE_2.items()
    }
    assert rows == expected
    assert list(rows) == list(TABLE_2)
    assert heads("b-moca:2", *runs) == ["Task", "-shot", "few-shot"]
    assert tabulate(find_layout("b-moca:2"), runs).notes == tuple(
        f"{name}: 6 of 7 tasks are representative; this table has no others"
        for name in ("-shot", "few-shot")
    )


def test_no_counts_give_the_cells_that_are_listed() -> None:
    for task, column in IMPOSSIBLE:
        assert not list(triples(TABLE_2[task][column]))
    nearest = min(
        (each for each in permutations(range(11), 3) if sum(each) == 9),
        key=lambda each: abs(100 * pstdev(each) / 10 / 3**0.5 - 22),
    )
    assert sorted(nearest) == [0, 1, 8]


@pytest.mark.parametrize(
    ("layout", "head"), [("figure-6", "Agent"), ("figure-8", "Training environments")]
)
def test_figures_of_six_tasks_have_agents_as_rows(layout: str, head: str) -> None:
    assert heads(f"b-moca:{layout}", run(1)) == [head, *TABLE_2]
    column = [IMPOSSIBLE.get((task, 1), cells[1]) for task, cells in TABLE_2.items()]
    assert shown(f"b-moca:{layout}", run(1)) == [["few-shot", *column]]


def test_figure_5_has_environments_with_errors_over_runs() -> None:
    each = [
        make(task < count, id=f"t{task}", epoch=epoch, environment=environment)
        for environment, counts in {"100": (7, 9, 10), "105": (2, 4, 4)}.items()
        for epoch, count in enumerate(counts)
        for task in range(10)
    ]
    runs = run_of(each, "GPT-4o"), run_of([make(True, environment="101")], "Gemini")
    for name in ("b-moca", "b-moca:figure-5"):
        assert heads(name, *runs) == ["Agent", "Env 100", "Env 101", "Env 105", "Average"]
        assert shown(name, *runs) == [
            ["GPT-4o", "87 ± 07", "n/a", "33 ± 05", "60 ± 06"],
            ["Gemini", "n/a", "100", "n/a", "100"],
        ]
