"""Tests of `release.py` of the suites, which compares a benchmark's release with our table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.releases import Finding, Released, compare_release, lint_goals

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path) -> dict[str, Released]:
    """Read tasks from lines of id, goal and limit; an id alone is missing from the release."""
    found = {}
    for number, line in enumerate((folder / "tasks.txt").read_text("utf-8").splitlines(), 1):
        name, *rest = line.split("|")
        columns = {"step_limit": int(rest[1])} if rest else {}
        found[name] = Released(rest[0] if rest else None, f"tasks.txt:{number}", columns)
    return found


def lint(folder: Path) -> list[Finding]:
    return [Finding("can never succeed", "tasks.txt:2", "b says \x1b[31m")]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("id,goal,step_limit\na,Ours.,5\nb,Ours.,4\nc,Ours.,\n")
    return path


def compare(table: Path, tasks: str) -> int:
    (table.parent / "tasks.txt").write_text(tasks, "utf-8")
    return compare_release(read, lint, [table], [str(table.parent)])


def test_equal_values_are_counted(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(table, "a|Theirs|5\nb|Others|4\nc\n") == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == f"{table} beside {table.parent}"
    assert lines == [
        "2 tasks in the release, 3 in our table, 2 in both",
        "  step_limit: 5 1, 4 1",
        "not in the release (1): c",
        "can never succeed (1):",
        r"  tasks.txt:2: b says \x1b[31m",
    ]


def test_differences_are_listed_with_both_places(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(table, "a|Theirs|9\nb| theirs |4\nd|Theirs|3\n") == 1
    out = capsys.readouterr().out
    assert f"without a counterpart in the release (1):\n  {table}, line 4 (c)\n" in out
    assert "without a row in our table (1):\n  d: tasks.txt:3\n" in out
    assert f"other step_limit (1):\n  {table}, line 2 (a): 5 here, 9 in tasks.txt:1\n" in out
    assert "same goal (1):\n  tasks.txt:3: d has the same goal as a\n" in out


def test_another_layout_is_one_line(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(table, "a|Theirs|many\n") == 4
    assert compare_release(read, lint, [table], [str(table.parent / "gone")]) == 4
    assert [line[:7] for line in capsys.readouterr().out.splitlines()] == ["ERROR: "] * 2


def test_goals_are_there_once_and_can_be_reached() -> None:
    released = {
        "a": Released("Go.", "x:1", {"step_limit": 3, "golden_steps": 4}),
        "b": Released(" ", "x:2"),
        "c": Released("Go. ", "x:3"),
        "d": Released(None),
    }
    kinds = [(each.kind, each.place) for each in lint_goals(released)]
    assert kinds == [
        ("limit below golden steps", "x:1"),
        ("empty goal", "x:2"),
        ("same goal", "x:3"),
    ]
