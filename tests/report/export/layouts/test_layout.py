"""Tests of what all layouts of tables have in common."""

from __future__ import annotations

import csv
import io
from argparse import ArgumentTypeError
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.report.export import LAYOUTS, find_layout, listing
from pytest_mobileagent.report.export.layouts import OWN, tabulate
from pytest_mobileagent.report.export.tables import as_csv, as_latex, as_markdown
from tests.report.conftest import make
from tests.report.export.layouts.counting import run_of

if TYPE_CHECKING:
    from pytest_mobileagent.report.export.layouts import Layout, Run

NAMES = [name for each in LAYOUTS for name in each.names.split()]
OF_RUNS = [each for each in (OWN, *LAYOUTS) if not each.source]
REPORTS = Path(__file__).parents[4] / "docs" / "reports.md"


def shown(layout: Layout, *runs: Run) -> list[dict[str, str]]:
    table = tabulate(layout, runs)
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, map(str, row), strict=True)) for row in table.rows]


def test_each_name_finds_one_layout():
    assert len(NAMES) == len(set(NAMES))
    assert [find_layout(name).names.split()[0] for name in NAMES] == [
        each.names.split()[0] for each in LAYOUTS for _ in each.names.split()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_listed_and_documented(name):
    assert name in listing().replace("`", " ").split()
    assert f"`{name}`" in REPORTS.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("b-moca:3", "there is no 'b-moca:3', but b-moca:2, b-moca:figure-5, b-moca:figure-6, "),
        ("b-moca:figure-7", "b-moca:figure-6, b-moca:figure-8 (see --layouts)"),
        ("spa-bench:", "spa-bench:2, spa-bench:3, spa-bench:11"),
        ("b_moca", "spa-bench:2"),
        ("", "mobile-bench-v2:7"),
        ("\x1b[2J", "there is no"),
    ],
)  # fmt: skip
def test_unknown_names_are_answered_by_known_ones(name, told):
    with pytest.raises(ArgumentTypeError) as error:
        find_layout(name)
    assert told in str(error.value)
    assert "\x1b" not in str(error.value)


def test_success_has_an_interval_with_several_epochs():
    once = [make(number < 5, id=f"t{number}") for number in range(10)]
    twice = once + [replace(entry, epoch=1) for entry in once]
    main = find_layout("spa-bench")
    assert shown(main, run_of(once))[0]["Success Rate"] == "0.500"
    assert shown(main, run_of(twice))[0]["Success Rate"] == "0.500 (0.123-0.877)"
    (row,) = shown(OWN, run_of(twice))
    assert (row["pass@2"], row["pass^2"]) == ("50.0%", "50.0%")
    assert "pass@2" not in shown(OWN, run_of(twice), run_of(once))[0]


def test_tasks_and_episodes_are_two_numbers():
    twice = [make(True, id=f"t{n}", epoch=epoch) for n in range(12) for epoch in (0, 1)]
    (row,) = shown(OWN, run_of(twice))
    assert (row["Tasks"], row["Episodes"]) == ("12", "24")
    note = "m3a: 12 of 13 tasks are single-app tasks in English; this table has no others"
    chinese = make(True, id="zh", language="zh")
    assert tabulate(find_layout("spa-bench:3"), [run_of([*twice, chinese])]).notes == (note,)


@pytest.mark.parametrize("layout", OF_RUNS, ids=lambda layout: layout.names)
def test_empty_runs_show_not_available_instead_of_zero(layout):
    runs = run_of([]), run_of([], "t3a")
    table = tabulate(layout, runs)
    numbers = [
        str(cell)
        for row in table.rows
        for cell, column in zip(row, table.columns, strict=True)
        if column.title not in {*layout.heads, "Tasks", "Episodes"}
    ]
    assert numbers
    assert set(numbers) == {"n/a"}


HOSTILE = "=a_b & 100% | <i>\n\x1b[2J"


@pytest.mark.parametrize("write", [as_csv, as_latex, as_markdown])
@pytest.mark.parametrize("layout", OF_RUNS, ids=lambda layout: layout.names)
def test_every_layout_is_written_in_every_format(layout, write):
    names = [HOSTILE, f"[{HOSTILE}"]
    runs = [
        run_of([make(True, environment=name, variant=name)], name, models={"default": f"x:{name}"})
        for name in names
    ]
    table = tabulate(layout, runs)
    assert {len(row) for row in table.rows} == {len(table.columns)}
    text = write(table)
    assert "\x1b" not in text
    lines = [line for line in text.splitlines() if not line.startswith(("%", "note"))]
    if write is as_csv:
        whole = list(csv.reader(io.StringIO(text)))
        assert {len(row) for row in whole} == {len(whole[0])}
        assert not [cell for row in whole for cell in row if cell.startswith("=")]
    elif write is as_latex:
        bare = "\n".join(lines).replace("\\&", "").replace("\\%", "").replace("\\_", "")
        assert "%" not in bare
        assert "_" not in bare
        counts = {line.count("&") for line in bare.splitlines() if line.endswith("\\\\")
                  and "multicolumn" not in line}  # fmt: skip
        assert counts == {len(table.columns) - 1}
    else:
        cells = [line.replace("\\|", "").count("|") for line in lines if line.startswith("|")]
        assert set(cells) == {len(table.columns) + 1}


def test_runs_of_the_same_agent_are_distinguished_by_their_ids():
    runs = [replace(run_of([]), about={"id": name, "agent": "m3a"}) for name in ("one", "two")]
    assert [row["Agent"] for row in shown(OWN, *runs)] == ["m3a (one)", "m3a (two)"]
    nameless = replace(run_of([]), about={"id": "x", "agent": None})
    assert shown(OWN, nameless)[0]["Agent"] == "(no agent)"


def test_notes_mention_undecided_tasks_and_virtual_phones():
    undecided = run_of([make(True, id="a"), make(None, id="b")], virtual=True)
    assert tabulate(find_layout("spa-bench"), [undecided]).notes == (
        "m3a: 1 of 2 episodes are decided; its success rate of all is 0.500",
        "m3a: virtual phones test the harness; do not publish these numbers as an agent's",
    )


@pytest.mark.parametrize("name", ["mobileagentbench", "mobile-bench-v2:3", "a3:4", "a3:5"])
def test_notes_say_that_the_tasks_give_none_of_the_numbers(name):
    told = "m3a: its tasks give none of these numbers; `report --layouts` says what the table needs"
    assert told in tabulate(find_layout(name), [run_of([make(True)])]).notes
    assert told not in tabulate(find_layout(name), [run_of([])]).notes, "there are no tasks"


def test_mobilegyms_numbers_are_over_the_episodes_in_which_they_are_known():
    tasks = [
        make(True, id="a", partial_credit=1.0, premature=False, side_effects=2),
        make(False, id="b", partial_credit=0.5, premature=True, side_effects=0),
        make(False, id="c", premature=False, side_effects=0),
        make(True, id="d", side_effects=None),
    ]
    run = run_of(tasks)
    layout = find_layout("mobilegym")
    values = [measure.cell(run).value for measure in layout.measures]  # type: ignore[union-attr]
    assert values == pytest.approx([0.5, 0.75, 0.25, 1 / 3])
    low, high = run.summary["side_effect_interval"]
    assert 0 < low < 1 / 3 < high < 1
