"""Tests of exporting runs in the layouts of other benchmarks."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.report.export.layouts import LAYOUTS, tabulate
from pytest_mobileagent.report.export.tables import (
    Cell,
    Column,
    Run,
    Table,
    as_csv,
    as_latex,
    as_markdown,
    escape_latex,
)
from pytest_mobileagent.report.metrics.summary import summarise
from tests.report.conftest import make

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry


def rows(layout: str, *runs: Run) -> list[dict[str, str]]:
    table = tabulate(layout, runs)
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, map(str, row), strict=True)) for row in table.rows]


def run(entries: list[Entry], agent: str = "m3a", **about: Any) -> Run:
    return Run({"id": f"run-{agent}", "agent": agent, **about}, summarise(entries), entries)


def test_b_moca_columns_are_environments_with_errors_over_runs() -> None:
    entries = [
        make(task < count, id=f"t{task}", epoch=epoch, environment=environment)
        for environment, counts in {"100": (7, 9, 10), "105": (2, 4, 4)}.items()
        for epoch, count in enumerate(counts)
        for task in range(10)
    ]
    other = [make(True, environment="101")]
    assert rows("b-moca", run(entries, "GPT-4o"), run(other, "Gemini")) == [
        {"Agent": "GPT-4o", "Env 100": "87 ± 07", "Env 101": "n/a", "Env 105": "33 ± 05",
         "Average": "60 ± 06"},
        {"Agent": "Gemini", "Env 100": "n/a", "Env 101": "100", "Env 105": "n/a",
         "Average": "100"},
    ]  # fmt: skip


def test_a3_columns_are_levels_and_categories() -> None:
    entries = [make(n < 20, id=f"a{n}", level=1, kind="operation") for n in range(65)]
    entries += [make(n < 3, id=f"b{n}", level=2, kind="single-frame query") for n in range(50)]
    assert rows("a3", run(entries)) == [
        {
            "Agent": "m3a", "Easy": "30.8%", "Medium": "6.0%", "Hard": "n/a", "Operation": "30.8%",
            "Single-Frame Query": "6.0%", "Multi-Frame Query": "n/a", "All": "20.0%",
        }
    ]  # fmt: skip


def states(count: int, credit: float, **fields: Any) -> Entry:
    """Return a task with a number of essential states, of which the given share was achieved."""
    judge: dict[str, Any] = {"details": {"statements": [{}] * count}}
    verdict = {"passed": credit == 1, "scorer": "judge", "reason": "", "first_step": None}
    verdict["evidence"] = {"judges": [judge]}
    return make(credit == 1, verdict=verdict, partial_credit=credit, **fields)


def test_second_release_of_a3_has_states_of_all_tasks() -> None:
    entries = [
        states(1, 1.0, level=1, kind="operation"),
        states(7, 3 / 7, level=1, kind="operation"),
        states(2, 0.5, level=3, kind="multi-frame query"),
        make(None, level=3, kind="single-frame query"),
    ]
    (line,) = tabulate("a3-v2", [run(entries)]).rows
    assert list(map(str, line[1:])) == [
        "50.0%", "50.0%", "n/a", "n/a", "0.0%", "50.0%",  # by level: 4 of 8 states, and 1 of 2
        "50.0%", "50.0%", "0.0%", "50.0%", "33.3%", "50.0%",
    ]  # fmt: skip
    subgoals = [{"held": each} for each in (True, False)]
    (line,) = tabulate("a3-v2", [run([make(False, subgoals=subgoals, partial_credit=0.5)])]).rows
    assert list(map(str, line[-2:])) == ["0.0%", "50.0%"]


def test_reworded_goals_of_a3_have_their_own_column() -> None:
    entries = [make(True, id="a[official]", variant="official")]
    entries += [make(n < 1, id=f"{n}[noisy]", variant="noisy") for n in range(4)]
    table = tabulate("a3-v2", [run(entries), run([make(True)], "t3a")])
    columns = {(column.group, column.title): at for at, column in enumerate(table.columns)}
    shown = [
        [str(row[columns[group, "SR"]]) for group in ("All", "Noisy goals")] for row in table.rows
    ]
    assert shown == [["100.0%", "25.0%"], ["100.0%", "n/a"]]


def test_goal_variants_are_shown_side_by_side() -> None:
    entries = [make(n < 3, id=f"a{n}[full]", variant="full") for n in range(4)]
    entries += [make(n < 1, id=f"a{n}[vague]", variant="vague") for n in range(4)]
    table = tabulate("mobile-bench-v2-ambiguous", [run(entries), run([make(True)], "t3a")])
    heads = [(column.group, column.title) for column in table.columns[1:]]
    assert heads == [
        (group, title)
        for group in ("Full Instruction", "Ambiguous Instruction")
        for title in ("Type", "Step. Acc", "SR")
    ]
    assert [list(map(str, row[1:])) for row in table.rows] == [
        ["n/a", "n/a", "75.0%", "n/a", "n/a", "25.0%"],
        ["n/a"] * 6,
    ]


def test_success_has_an_interval_with_several_epochs() -> None:
    once = [make(number < 5, id=f"t{number}") for number in range(10)]
    twice = once + [replace(entry, epoch=1) for entry in once]
    assert rows("spa-bench", run(once))[0]["Success Rate"] == "0.500"
    assert rows("spa-bench", run(twice))[0]["Success Rate"] == "0.500 (0.123-0.877)"
    (shown,) = rows("own", run(twice))
    assert (shown["pass@2"], shown["pass^2"]) == ("50.0%", "50.0%")
    assert "pass@2" not in rows("own", run(twice), run(once))[0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_empty_run_shows_not_available_instead_of_zero(layout: str) -> None:
    (shown,) = rows(layout, run([]))
    assert {
        value for name, value in shown.items() if name not in {"Agent", "Tasks", "Episodes"}
    } == {"n/a"}


def test_runs_of_the_same_agent_are_distinguished_by_their_ids() -> None:
    runs = [Run({"id": name, "agent": "m3a"}, summarise([])) for name in ("one", "two")]
    assert [row["Agent"] for row in rows("own", *runs)] == ["m3a (one)", "m3a (two)"]
    assert rows("own", Run({"id": "x", "agent": None}, summarise([])))[0]["Agent"] == "(no agent)"


def test_notes_mention_undecided_tasks_and_virtual_phones() -> None:
    undecided = run([make(True, id="a"), make(None, id="b")], virtual=True)
    assert tabulate("spa-bench", [undecided]).notes == (
        "m3a: 1 of 2 episodes are decided; its success rate of all is 0.500",
        "m3a: virtual phones test the harness; do not publish these numbers as an agent's",
    )


TABLE = Table(
    (Column("Agent"), Column("SR ↑"), Column("Env 100", "Test"), Column("Steps", "Test")),
    (
        (
            Cell("a_b & 100%"),
            Cell(0.25, low=0.1, high=0.5),
            Cell(0.866, 0, percent=True, error=0.07),
            Cell(4),
        ),
        (Cell("m|n"), Cell(None), Cell(None), Cell(3.14159, 1)),
    ),
    ("a_b: 3 of 4 tasks\nare decided",),
)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(None), "n/a"),
        (Cell(None, percent=True), "n/a"),
        (Cell(0.0), "0.000"),
        (Cell(0.34, 2), "0.34"),
        (Cell(0.381, 1, percent=True), "38.1%"),
        (Cell(0.381, 1, True, 0.2, 0.5), "38.1% (20.0%-50.0%)"),
        (Cell(0.866, 0, True, error=0.067), "87 ± 07"),
    ],
)
def test_cells_are_formatted_as_in_papers(cell: Cell, text: str) -> None:
    assert str(cell) == text


def test_markdown_is_escaped() -> None:
    lines = as_markdown(TABLE).splitlines()
    assert lines[0] == "| Agent | SR ↑ | Test: Env 100 | Test: Steps |"
    assert lines[3] == r"| m\|n | n/a | n/a | 3.1 |"
    assert lines[-1].strip() == "a_b: 3 of 4 tasks are decided"


def test_latex_is_escaped() -> None:
    assert as_latex(TABLE).splitlines() == [
        "% a_b: 3 of 4 tasks are decided",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r" &  & \multicolumn{2}{c}{Test} \\",
        r"\cmidrule(lr){3-4}",
        r"Agent & SR $\uparrow$ & Env 100 & Steps \\",
        r"\midrule",
        r"a\_b \& 100\% & 0.250 (0.100-0.500) & 87 $\pm$ 07 & 4.000 \\",
        r"m\textbar{}n & n/a & n/a & 3.1 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize("name", ["[2em]", "* 3", " \t[x"])
def test_latex_rows_cannot_become_arguments_of_the_previous_row(name: str) -> None:
    table = Table((Column(name), Column("b")), ((Cell(name), Cell(1)), (Cell(name), Cell(1))))
    rows = [line for line in as_latex(table).splitlines() if name.strip()[0] in line]
    assert len(rows) == 3
    assert all(row.startswith("{}") for row in rows)


def test_latex_special_characters_are_escaped() -> None:
    assert escape_latex("\\input{x}\n$^~#") == (
        r"\textbackslash{}input\{x\} \$\textasciicircum{}\textasciitilde{}\#"
    )


def test_csv_has_separate_columns_for_intervals_and_errors() -> None:
    head, first, second = csv.reader(io.StringIO(as_csv(TABLE)))
    assert head == ["Agent", "SR ↑", "SR ↑ low", "SR ↑ high", "Test: Env 100",
                    "Test: Env 100 error", "Test: Steps"]  # fmt: skip
    assert first == ["a_b & 100%", "0.25", "0.1", "0.5", "0.866", "0.07", "4"]
    assert second == ["m|n", "n/a", "n/a", "n/a", "n/a", "n/a", "3.14159"]


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        ' \r\n=HYPERLINK("a")',
        "＝1+1",
        "＋1",
        "－1",
        "＠SUM(A1)",
        "\u3000＝1",
        "−1",
        "﹦1",
    ],
)
def test_csv_cells_cannot_be_formulas(name: str) -> None:
    table = Table((Column("Agent"), Column(name)), ((Cell(name), Cell(-1.0)),))
    rows = list(csv.reader(io.StringIO(as_csv(table))))
    assert rows[0][1].startswith("'")
    assert rows[1][0].startswith("'")
    assert rows[1][1] == "-1"


def test_control_characters_are_removed_in_every_format() -> None:
    table = Table((Column("Agent"),), ((Cell("\x1b[2J"),),), ("\x1b[2J",))
    assert not [write for write in (as_csv, as_latex, as_markdown) if "\x1b" in write(table)]


def matched(*exact: bool, tags: list[str], success: bool = False, **fields: Any) -> Entry:
    steps = [
        {"step": n, "type": True, "exact": each, "counts": True} for n, each in enumerate(exact, 1)
    ]
    return make(success, matches=steps, matched_by="mobile_bench:paper", tags=tags, **fields)


def test_mobile_bench_v2_separates_single_and_multiple_paths() -> None:
    entries = [
        matched(True, True, tags=["simple"], success=True),
        matched(True, False, tags=["simple"]),
        matched(False, tags=["noisy"]),
    ]
    options = {"mobile-path": {"value": "single", "source": "--mobile-path"}}
    found = tabulate("mobile-bench-v2", [run(entries, options=options)])
    groups = [(column.group, column.title) for column in found.columns[3:6]]
    assert groups == [("Common-Simple", title) for title in ("Type/SE", "Step. Acc", "SR")]
    [row] = [list(map(str, row)) for row in found.rows]
    assert row[2:] == [
        "Single", "100.0%", "75.0%", "50.0%", "n/a", "n/a", "n/a",
        "100.0%", "0.0%", "0.0%", "n/a", "n/a", "n/a",
    ]  # fmt: skip
    check = {"passed": True, "scorer": "check", "reason": "", "evidence": {}, "first_step": 6}
    many = make(True, tags=["complex"], verdict=check, first_success_step=6, golden_steps=4)
    [row] = [list(map(str, row)) for row in tabulate("mobile-bench-v2", [run([many])]).rows]
    assert (row[2], row[6:9]) == ("Multi", ["1.50", "n/a", "100.0%"])


def test_androidcontrol_has_step_accuracy_by_subset_and_level() -> None:
    entries = [
        matched(True, False, tags=["test-IDD"]),
        matched(True, True, tags=["test-IDD", "low"]),
        matched(True, False, False, False, tags=["app unseen"]),
    ]
    found = tabulate("androidcontrol", [run(entries)])
    head = [(column.group, column.title) for column in found.columns[1:3]]
    assert head == [("IDD", "High"), ("IDD", "Low")]
    [row] = [list(map(str, row)) for row in found.rows]
    assert row[1:] == ["50.0%", "100.0%", "n/a", "n/a", "25.0%", "n/a", "n/a", "n/a"]
