"""Tests of official goals, read from the copy of a release named in `releases.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import rows, tasks
from pytest_mobileagent._task.wording import Template
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Row


def official(folder: Path) -> dict[str, str | None]:
    lines = (folder / "goals.txt").read_text("utf-8").splitlines()
    return {name: goal or None for name, _, goal in (line.partition("=") for line in lines)}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a suite's table in a project, with the release in a folder beside the project."""
    project = tmp_path / "project"
    folder = project / "tasks" / "suite"
    folder.mkdir(parents=True)
    (project / "pyproject.toml").write_text("")
    (folder / "t.csv").write_text("id,goal\na,Our words.\nb,Ours too.\n")
    release = tmp_path / "release"
    release.mkdir()
    (release / "goals.txt").write_text("a=Do {it}!\nb=\nc=More", "utf-8")
    return folder / "t.csv"


@pytest.fixture
def read(table: Path) -> Callable[..., list[Row]]:
    def read(releases: str, function: Any = official) -> list[Row]:
        (table.parents[1] / "releases.toml").write_text(releases, "utf-8")
        return rows(table, wording=function)

    return read


NAMED = '# mine\nsuite = "../../release"\n'


def test_without_a_release_goals_are_our_own_words(table: Path, read: Callable[..., Any]) -> None:
    own = rows(table, wording=official)
    assert [(row.goal, row.wording) for row in own] == [("Our words.", "own"), ("Ours too.", "own")]
    assert own == read('other = "../../release"\n')
    assert own[0].task_fields == {"goal": "Our words."}


def test_the_goals_of_the_release_are_taken_word_for_word(read: Callable[..., Any]) -> None:
    first, second = read(NAMED)
    assert (first.goal, first.wording) == ("Do {it}!", "official")
    assert first.task_fields == {"goal": "Do {{it}}!", "wording": "official"}, "no placeholder"
    assert (second.goal, second.wording) == ("Ours too.", "own"), "the release has no such task"


def test_the_nearest_file_that_names_the_release_counts(
    table: Path, read: Callable[..., Any]
) -> None:
    (table.parents[2] / "releases.toml").write_text('suite = "nowhere"\n')
    (table.parent / "releases.toml").write_text('other = "nowhere"\n')
    assert read(NAMED)[0].wording == "official"


def test_each_table_may_have_a_release_of_its_own(table: Path, read: Callable[..., Any]) -> None:
    (table.parent / "u.csv").write_text("id,goal\na,Our words.\n")
    assert read('suite.u = "../../release"\n')[0].wording == "own"
    assert read('suite.t = "../../release"\n')[0].goal == "Do {it}!"
    assert rows(table.with_name("u.csv"), wording=official)[0].wording == "own"


def test_placeholders_of_a_template_are_filled(read: Callable[..., Any]) -> None:
    row = read(NAMED, lambda _: {"a": Template("On {today+1:%d}."), "b": "On {day}."})[0]
    assert row.task_fields == {"goal": "On {today+1:%d}.", "wording": "official"}


def test_several_goals_of_a_task_are_variants_of_its_row(read: Callable[..., Any]) -> None:
    goals = {"a": {"official": "Do it.", "noisy": "Do {it}, er."}, "b": None}
    first, second, third = read(NAMED, lambda _: goals)
    assert [(row.id, row.test_id, row.goal_variant) for row in (first, second, third)] == [
        ("a", "a-official", "official"),
        ("a", "a-noisy", "noisy"),
        ("b", "b", ""),
    ]
    assert first.task_fields == {"goal": "Do it.", "wording": "official"}
    assert second.task_fields == {"goal": "Do {{it}}, er.", "wording": "official"}
    assert third.wording == "own"
    tasks([first, second], each={"a": {"level": 1}, "a-noisy": {"level": 2}})
    with pytest.raises(TaskError, match=r"each=\{'a-other': …\}: there is no row with this id"):
        tasks([first, second], each={"a-other": {}})


def test_files_above_the_project_do_not_count(table: Path) -> None:
    (table.parents[3] / "releases.toml").write_text('suite = "release"\n')
    assert rows(table, wording=official)[0].wording == "own"


@pytest.mark.parametrize(
    ("releases", "function", "complaint"),
    [
        (
            'suite = "gone"\n',
            official,
            r"releases\.toml, line 1 \(suite\): there is no folder .*gone",
        ),
        ("suite = 3\n", official, r"line 1 \(suite\): the folder of the release must be a string"),
        ("suite = []\n", official, r"line 1 \(suite\): the folder"),
        ("[suite]\nt = 1\n", official, r"line 2 \(suite\.t\): the folder .*: suite\.t = "),
        ('a = 1\nsuite.t = "gone"\n', official, r"line 2 \(suite\.t\): there is no folder .*gone"),
        ("suite.x = 1\n", official, r"releases\.toml \(suite\.x\): suite has no table 'x'"),
        ('suite = "a\\u0000"\n', official, r"line 1 \(suite\): 'a\\x00' is not a path"),
        ('"suite" = "~nobody-here/x"\n', official, r"line 1 \(suite\): .* home folder"),
        ("suite = \n", official, r"releases\.toml is not TOML: .*line 1"),
        (NAMED, lambda _: {"a": "Go."}, r"t\.csv, line 3 \(b\): .* found no goal with this id"),
        (NAMED, lambda _: {"a": " ", "b": "x"}, r"line 2 \(a\): the goal of the release must be"),
        (
            NAMED,
            lambda _: {"a": {"noisy": "Go."}},
            r"line 2 \(a\): .* must include 'official'",
        ),
        (NAMED, lambda _: {"a": {"official": "Go.", "x": 1}}, r"line 2 \(a\): .* a string, not 1"),
        (
            NAMED,
            lambda _: {"a": {"official": "Go.", "full": "Go!"}},
            r"line 2 \(a\): a variant .* cannot be called 'full'",
        ),
        (
            NAMED,
            lambda _: {"a": {"official": "Go.", "a-b": "Go!"}},
            r"line 2 \(a\): a variant .* cannot be called 'a-b'",
        ),
        (NAMED, lambda _: ["a"], r"line 2 \(suite\): .* must return goals by id, not \['a'\]"),
        (
            NAMED,
            lambda _: dict[str, str]()["x"],
            r"line 2 \(suite\): reading the release raised KeyError: 'x'",
        ),
        (NAMED, lambda _: int("x\ny"), r"line 2 \(suite\): invalid literal"),
        (
            NAMED,
            lambda _: (_ / "none.txt").read_text(),
            r"line 2 \(suite\): \[Errno 2\] .*none\.txt'",
        ),
        (
            NAMED,
            lambda _: compile("(", "eval.py", "exec"),
            r"was never closed \(eval\.py, line 1\)",
        ),
    ],
)
def test_a_release_that_cannot_be_read_is_reported_in_one_line(
    read: Callable[..., Any], releases: str, function: Any, complaint: str
) -> None:
    with pytest.raises(TaskError, match=complaint) as caught:
        read(releases, function)
    assert "\n" not in str(caught.value)


def test_a_row_with_a_vague_goal_has_no_other_variants(
    table: Path, read: Callable[..., Any]
) -> None:
    table.write_text("id,goal,vague\na,Our words.,Ours.\n")
    with pytest.raises(TaskError, match=r"line 2 \(a\): it has a vague goal"):
        read(NAMED, lambda _: {"a": {"official": "Go.", "noisy": "Go!"}})


def test_a_file_that_is_not_text_is_reported(table: Path) -> None:
    (table.parent / "releases.toml").write_bytes('suite = "ä"'.encode("utf-16"))
    with pytest.raises(TaskError, match=r"releases\.toml is not TOML"):
        rows(table, wording=official)
