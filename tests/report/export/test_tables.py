"""Tests of writing tables as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io

import pytest

from pytest_mobileagent.report.export.tables import (
    Cell,
    Column,
    Table,
    as_csv,
    as_latex,
    as_markdown,
    escape_latex,
)

TABLE = Table(
    (Column("Agent"), Column("SR ↑"), Column("Env 100", "Test"), Column("Steps", "Test")),
    (
        (Cell("a_b & 100%"), Cell(0.25, low=0.1, high=0.5),
         Cell(0.866, 0, percent=True, sign=False, error=0.07), Cell(4)),
        (Cell("m|n"), Cell(None), Cell(None), Cell(3.14159, 1)),
    ),
    ("a_b: 3 of 4 tasks\nare decided",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(None), "n/a"),
        (Cell(None, percent=True), "n/a"),
        (Cell(0.0), "0.000"),
        (Cell(0.34, 2), "0.34"),
        (Cell(0.381, 1, percent=True), "38.1%"),
        (Cell(0.381, 1, percent=True, low=0.2, high=0.5), "38.1% (20.0%-50.0%)"),
        (Cell(0.381, 1, percent=True, sign=False), "38.1"),
        (Cell(0.24, 0, percent=True), "24%"),
        (Cell(0.866, 0, percent=True, sign=False, error=0.067), "87 ± 07"),
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


def test_latex_columns_of_text_are_aligned_to_the_left() -> None:
    columns = (Column("Agent"), Column("Models"), Column("Succ. Rate"))
    rows = ((Cell("a"), Cell("gpt-4o"), Cell(None)), (Cell("b"), Cell(None), Cell(0.5)))
    assert r"\begin{tabular}{llr}" in as_latex(Table(columns, rows)).splitlines()


@pytest.mark.parametrize("name", ["[2em]", "* 3", " \t[x"])
def test_latex_rows_cannot_become_arguments_of_the_previous_row(name: str) -> None:
    table = Table((Column(name), Column("b")), ((Cell(name), Cell(1)), (Cell(name), Cell(1))))
    rows = [line for line in as_latex(table).splitlines() if name.strip()[0] in line]
    assert len(rows) == 3
    assert all(row.startswith("{}") for row in rows)


def test_special_and_control_characters_are_escaped() -> None:
    assert escape_latex("\\input{x}\n$^~#") == (
        r"\textbackslash{}input\{x\} \$\textasciicircum{}\textasciitilde{}\#"
    )
    table = Table((Column("Agent"),), ((Cell("\x1b[2J"),),), ("\x1b[2J",))
    assert not [write for write in (as_csv, as_latex, as_markdown) if "\x1b" in write(table)]


def test_csv_has_separate_columns_for_intervals_and_errors() -> None:
    head, first, second = csv.reader(io.StringIO(as_csv(TABLE)))
    assert head == ["Agent", "SR ↑", "SR ↑ low", "SR ↑ high", "Test: Env 100",
                    "Test: Env 100 error", "Test: Steps"]  # fmt: skip
    assert first == ["a_b & 100%", "0.25", "0.1", "0.5", "0.866", "0.07", "4"]
    assert second == ["m|n", "n/a", "n/a", "n/a", "n/a", "n/a", "3.14159"]


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@A1", ' \r\n=HYPERLINK("a")', "＝1+1", "\u3000＝1", "−1"]
)
def test_csv_cells_cannot_be_formulas(name: str) -> None:
    table = Table((Column("Agent"), Column(name)), ((Cell(name), Cell(-1.0)),))
    rows = list(csv.reader(io.StringIO(as_csv(table))))
    assert rows[0][1].startswith("'")
    assert rows[1][0].startswith("'")
    assert rows[1][1] == "-1"
