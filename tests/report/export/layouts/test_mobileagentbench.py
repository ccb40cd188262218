"""Tests that MobileAgentBench's tables (arXiv 2406.08184) follow from counts of episodes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.report.export import find_layout
from pytest_mobileagent.report.export.layouts import VIRTUAL, tabulate
from tests.report.conftest import make
from tests.report.export.layouts.counting import (
    LIMITED,
    NOTHING,
    REPORTED,
    Cost,
    Ending,
    changed,
    differences,
    heads,
    results,
    rows_of,
    run_of,
    shares,
    shown,
    spread,
    steps,
)

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.export.layouts import Run
    from tests.report.export.layouts.counting import Cells

# SR, SE, latency in seconds, tokens per task, FFR and OER.
TABLES = {
    "mobileagentbench:2": """
AndroidArena  0.22  1.13  18.61  750.47   0.09  0.33
AutoDroid     0.27  3.10  4.85   963.48   0.93  0.01
AppAgent      0.40  1.29  26.09  1505.09  0.17  0.40
CogAgent      0.08  2.42  6.76   579.84   1.00  0.04
MobileAgent   0.26  1.33  15.91  1236.88  0.19  0.31
""",
    "mobileagentbench:3": """
AndroidArena  0.33  2.40  13.95  2305.31  1.00  0.50
AutoDroid     0.00  N/A   2.49   524.96   N/A   0.00
AppAgent      0.50  1.78  19.8   1518.62  0.33  0.33
CogAgent      0.17  2.33  7.23   587.91   1.00  0.00
MobileAgent   0.50  1.33  13.65  1225.67  0.33  0.00
""",
}
TASKS = {"mobileagentbench:2": 100, "mobileagentbench:3": 6}
# The cells that no counts give, with the nearest ones. (With the paper's own limit, twice the
# golden steps, no SE could be above 2; here, episodes may be longer.)
IMPOSSIBLE: dict[str, Cells] = {
    "mobileagentbench:2": {
        ("AndroidArena", 6): "0.32",  # 7 of 22
        ("AutoDroid", 6): "0.00",  # 0 of 27; 1 is 0.04
        ("CogAgent", 6): "0.00",  # 0 of 8; 1 is 0.12
    },
    "mobileagentbench:3": {
        # Means over six tasks have sixths of a token.
        ("AndroidArena", 4): "2305.33",
        ("AppAgent", 4): "1518.67",
        ("CogAgent", 4): "587.83",
        # All six tasks failed, so there is a false finish rate, and no over-execution rate.
        ("AutoDroid", 5): "0.00",
        ("AutoDroid", 6): "n/a",
        ("AutoDroid", 4): "525.00",
    },
}


def entries_of(table: str, agent: str) -> list[Entry]:
    """Return entries whose counts are printed as a row of a paper's table."""
    row = changed(agent, rows_of(TABLES[table])[agent], IMPOSSIBLE[table])
    tasks, (sr, se, latency, tokens, ffr, oer) = TASKS[table], row
    successes = next(shares(sr, tasks, 2))
    early = next(shares(ffr, tasks - successes, 2))
    late = next(shares(oer, successes, 2))
    endings = [
        *[Ending(REPORTED, success=True, late=True)] * late,
        *[Ending(REPORTED, success=True)] * (successes - late),
        *[Ending(REPORTED, success=False)] * early,
        *[Ending(LIMITED, success=False)] * (tasks - successes - early),
    ]
    golden, taken = steps(se, successes, lambda golden: 4 * golden) or (4, [])
    tags = ["online"] if table == "mobileagentbench:3" else []
    return [
        entry
        for place, (ending, count) in enumerate(
            zip(endings, spread(round(float(tokens) * tasks), tasks), strict=True)
        )
        for entry in results(
            [ending],
            (golden, taken[place : place + 1]),
            Cost(float(latency), tokens=count),
            place,
            tags=tags,
        )
    ]


@cache
def whole_run(agent: str) -> Run:
    """Return a run of the apps of both tables."""
    models = {"default": "openai:gpt-4v", "planner": "openai:gpt-4v", "ocr": "x:y"}
    return run_of([e for table in TABLES for e in entries_of(table, agent)], agent, models=models)


@pytest.mark.parametrize("table", TABLES)
def test_tables_follow_from_counts(table: str) -> None:
    runs = list(map(whole_run, rows_of(TABLES[table])))
    rows = shown(table, *runs)
    numbers = ["SR ↑", "SE ↓", "Latency ↓", "Tokens ↓", "FFR ↓", "OER ↓"]
    if table == "mobileagentbench:2":
        assert heads(table, *runs) == ["Agent", "Models", *numbers]
        assert {row.pop(1) for row in rows} == {"openai:gpt-4v, x:y"}
    else:
        assert heads(table, *runs) == ["Agent", *numbers]
    assert differences(rows, TABLES[table]) == IMPOSSIBLE[table]


def test_no_counts_give_the_cells_that_are_listed() -> None:
    for table, cells in IMPOSSIBLE.items():
        for agent, place in cells:
            row = rows_of(TABLES[table])[agent]
            successes = next(shares(row[0], TASKS[table], 2))
            whole = {5: TASKS[table] - successes, 6: successes}
            if place in whole:
                cell = row[place - 1]
                assert (cell in NOTHING) is bool(whole[place]) or not list(
                    shares(cell, whole[place], 2)
                )
            else:
                tokens = round(float(row[3]) * TASKS[table])
                assert f"{tokens / TASKS[table]:.2f}" != row[3]


def test_success_is_shown_by_level_and_by_model() -> None:
    def run(agent: str, model: str, *passed: int) -> Run:
        each = [
            make(n < count, id=f"{level}/{n}", level=level, first_success_step=n < count or None)
            for level, count in enumerate(passed, 1)
            for n in range(10)
        ]
        return run_of(each, agent, models={"default": model, "ocr": "local:ocr"})

    runs = run("a", "gpt-4v", 9, 5, 1), run("b", "gpt-3.5", 6, 3, 0), run("c", "gpt-4v", 0, 3, 0)
    assert heads("mobileagentbench:figure-4a", *runs) == ["Agent", "Easy", "Medium", "Hard"]
    assert shown("mobileagentbench:figure-4a", *runs) == [
        ["a", "0.90", "0.50", "0.10"], ["b", "0.60", "0.30", "0.00"], ["c", "0.00", "0.30", "0.00"],
    ]  # fmt: skip
    assert heads("mobileagentbench:figure-4b", *runs) == ["Model", "SR ↑"]
    assert shown("mobileagentbench:figure-4b", *runs) == [["gpt-4v", "0.30"], ["gpt-3.5", "0.30"]]


def test_a_backbone_of_which_one_run_was_on_virtual_phones_says_so() -> None:
    runs = [
        run_of([make(True)], name, models={"default": "gpt-4v"}, virtual=virtual)
        for name, virtual in (("a", False), ("b", True))
    ]
    for given in (runs, runs[::-1]):
        notes = tabulate(find_layout("mobileagentbench:figure-4b"), given).notes
        assert f"gpt-4v: {VIRTUAL}" in notes
