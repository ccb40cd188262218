"""Tests of tables of tasks: each row is a task, and each column an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import rows
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from pathlib import Path


CSV = 'id,goal,golden_steps,tags,shop\na,"Buy {shop}, please.",3,smoke; slow,Lamps\nb,Leave.,,,\n'
JSON = '[{"id": "a", "goal": "Buy.", "golden_steps": 3, "tags": ["smoke"]}, {"goal": "Leave."}]'
TOML = """
[[task]]
id = "a"
goal = "Buy."
needs = ["web", "manual:Sign in, twice"]

[[ task ]]  # the last
id = "b"
goal = "Leave."
"""
JSONL = '{"id": "a", "goal": "Buy.\\u2028"}\n\n{"id": "b", "goal": "Leave."}\n'


@pytest.mark.parametrize("content", [CSV, CSV.replace("\n", "\r\n"), "\ufeff" + CSV])
def test_a_csv_file_is_a_table(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.csv").write_bytes(content.encode())
    first, second = rows(tmp_path / "t.csv")
    assert (first.id, first.goal, first.shop) == ("a", "Buy {shop}, please.", "Lamps")
    assert first.task_fields == {
        "goal": "Buy {shop}, please.",
        "golden_steps": 3,
        "tags": ("smoke", "slow"),
    }
    assert second.task_fields == {"goal": "Leave."}, "empty cells are left out"


@pytest.mark.parametrize(
    ("name", "content", "second"),
    [("t.json", JSON, "2"), ("t.jsonl", JSONL, "b"), ("t.toml", TOML, "b")],
)
def test_json_and_toml_files_are_tables(
    tmp_path: Path, name: str, content: str, second: str
) -> None:
    (tmp_path / name).write_text(content)
    found = rows(tmp_path / name)
    assert [row.id for row in found] == ["a", second]
    assert found[1].goal == "Leave."


def test_a_path_is_beside_the_file_that_calls() -> None:
    with pytest.raises(TaskError, match=r"cannot read the table .*tests/task/none\.csv"):
        rows("none.csv")


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("t.txt", "", r"must end with \.csv, \.json, \.jsonl, \.toml"),
        ("t.csv", "id,goal\na,b,c\n", r"line 2: has 1 more cells than the first line has columns"),
        ("t.csv", "id,goal\na\n", r"line 2: has 1 fewer cells"),
        ("t.csv", 'id,goal\na,"b\n', r"t\.csv, line \d: "),
        ("t.csv", "id,goal\na,b\na,c\n", r"line 3 \(a\): this is also the id of .*line 2 \(a\)"),
        ("t.csv", "id,goal\n\0,b\n", None),
        ("t.csv", "", r"t\.csv, line 1 must name the columns"),
        ("t.csv", "id,goal,goal\na,b,c\n", r"t\.csv, line 1 has the column 'goal' twice"),
        ("t.json", "{}", "must contain a list of objects"),
        ("t.json", "[1]", "row 1 must be an object"),
        ("t.json", "[", "is not JSON"),
        ("t.json", "[" * 100_000, "is not JSON"),
        ("t.jsonl", '{"goal": "a"}\n{', "line 2 is not JSON"),
        ("t.jsonl", "3\n", "line 1 must be an object"),
        ("t.toml", "[[task]]\nid = 'a'\ngoal = b\n", r"is not TOML: .*line 3"),
        ("t.toml", "", "must contain one array of tables"),
        ("t.toml", "[task]\nid = 'a'\n", "must contain one array of tables"),
        ("t.toml", "[[a]]\n[[b]]\n", "must contain one array of tables"),
        ("t.toml", TOML.replace("'b'", "'a'").replace('"b"', '"a"'), r"line 7 \(a\): this is also"),
        ("t.toml", "task = [{}, 3]\n", "row 2 must be an object"),
    ],
)
def test_a_table_that_cannot_be_read_says_where(
    tmp_path: Path, name: str, content: str, complaint: str | None
) -> None:
    (tmp_path / name).write_text(content)
    if complaint is None:
        assert rows(tmp_path / name)
        return
    with pytest.raises(TaskError, match=complaint):
        rows(tmp_path / name)


def test_a_binary_file_is_not_a_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("goal\nä\n".encode("latin-1"))
    with pytest.raises(TaskError, match="cannot read the table"):
        rows(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"id": "a"}, r"a task needs a goal"),
        ({"goal": "a", "level": "hard"}, "level 'hard' must be 1, 2 or 3"),
        ({"goal": "a", "stop_on_success": "x"}, "stop_on_success 'x' must be true or false"),
        ({"goal": "a", "golden_steps": "many"}, "golden_steps 'many' must be a whole number"),
    ],
)
def test_a_cell_that_is_invalid_says_where(
    tmp_path: Path, columns: dict[str, Any], complaint: str
) -> None:
    (tmp_path / "t.csv").write_text(f"{','.join(columns)}\n{','.join(columns.values())}\n")
    (row,) = rows(tmp_path / "t.csv")
    with pytest.raises(TaskError, match=rf"t\.csv, line 2 .*: {complaint}"):
        _ = row.task_fields


def test_a_column_that_does_not_exist_names_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,goal\na,b\n")
    (row,) = rows(tmp_path / "t.csv")
    with pytest.raises(AttributeError, match=r"no column 'gaol' \(available: id, goal\)"):
        _ = row.gaol


def test_a_column_may_have_another_name_than_the_field(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("number,task_description,goal\nn7,Buy {number}.,other\n")
    (row,) = rows(tmp_path / "t.csv", columns={"id": "number", "goal": "task_description"})
    assert (row.id, row.goal, row.task_description) == ("n7", "Buy {number}.", "Buy {number}.")
    assert row.task_fields == {"goal": "Buy {number}."}


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"goal": "gaol"}, r"t\.csv, line 2 has no column 'gaol'; did you mean 'goal'\?"),
        ({"goal": "text"}, r"line 2 has no column 'text' \(available: id, goal\)"),
        ({"gaol": "goal"}, r"a row of .*t\.csv has no field 'gaol'; did you mean 'goal'\?"),
    ],
)
def test_a_column_that_does_not_exist_is_reported(
    tmp_path: Path, columns: dict[str, str], complaint: str
) -> None:
    (tmp_path / "t.csv").write_text("id,goal\na,Go.\n")
    with pytest.raises(TaskError, match=complaint):
        rows(tmp_path / "t.csv", columns=columns)


APPS = (
    'Clock = ["com.google.android.deskclock", "com.android.deskclock"]\n"My Notes" = "org.notes"\n'
)


def test_apps_may_be_named_by_the_labels_of_the_suites_list(tmp_path: Path) -> None:
    (tmp_path / "apps.toml").write_text(APPS)
    (tmp_path / "t.csv").write_text("goal,app,apps\nGo.,clock,My notes;org.other\nStay.,,\n")
    first, second = rows(tmp_path / "t.csv")
    assert first.task_fields == {
        "goal": "Go.",
        "app": "com.google.android.deskclock|com.android.deskclock",
        "apps": ("org.notes", "org.other"),
    }
    assert second.task_fields == {"goal": "Stay."}


@pytest.mark.parametrize(
    ("listed", "complaint"),
    [
        (APPS, r"t\.csv, line 2 \(1\): apps\.toml has no app 'Clok'; did you mean 'clock'\?"),
        ("Clock = \n", r"apps\.toml: .*line 1"),
        ("", r"apps\.toml has no app 'Clok'$"),
    ],
)
def test_a_label_that_the_list_does_not_have_is_reported(
    tmp_path: Path, listed: str, complaint: str
) -> None:
    (tmp_path / "apps.toml").write_text(listed)
    (tmp_path / "t.csv").write_text("goal,app\nGo.,Clok\n")
    with pytest.raises(TaskError, match=complaint):
        rows(tmp_path / "t.csv")


def test_a_comma_in_what_a_row_needs_is_written_twice(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        'goal,needs\nGo.,"web; account:Notes,manual:Sign in,, then wait"\n'
    )
    (row,) = rows(tmp_path / "t.csv")
    assert row.task_fields["needs"] == ("web", "account:Notes", "manual:Sign in, then wait")
