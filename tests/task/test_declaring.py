"""The decorators of tasks where nothing runs tests.

Tables of tasks: every row is one, every column an attribute.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import rows
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from pathlib import Path


CODE = """
import sys
from pytest_mobileagent import rows, task, tasks
from pytest_mobileagent.errors import TaskError

@task("Do it.", level=2)
def one(episode): pass

@tasks([])
def many(episode, row): pass

try:
    task("Do it.", level="high")
except TaskError as error:
    print(error)
print(one.__name__, vars(one), many.__name__, vars(many), "pytest" in sys.modules)
"""


def test_without_pytest_a_task_is_a_function_whose_fields_were_checked() -> None:
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    complaint, rest = found.stdout.splitlines()
    assert "level" in complaint
    assert rest == "one {} many {} False"


CSV = 'id,goal,golden_steps,tags,shop\na,"Buy {shop}, please.",3,smoke; slow,Lamps\nb,Leave.,,,\n'
JSON = '[{"id": "a", "goal": "Buy.", "golden_steps": 3, "tags": ["smoke"]}, {"goal": "Leave."}]'
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


@pytest.mark.parametrize(("name", "content"), [("t.json", JSON), ("t.jsonl", JSONL)])
def test_json_files_are_tables(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    found = rows(tmp_path / name)
    assert [row.id for row in found] == ["a", "2" if name == "t.json" else "b"]
    assert found[1].goal == "Leave."


def test_a_path_is_beside_the_file_that_calls() -> None:
    with pytest.raises(TaskError, match=r"cannot read the table .*tests/task/none\.csv"):
        rows("none.csv")


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("t.txt", "", r"has to end with \.csv, \.json, \.jsonl"),
        ("t.csv", "id,goal\na,b,c\n", r"line 2: has 1 more cells than the first line has names"),
        ("t.csv", "id,goal\na\n", r"line 2: has 1 fewer cells"),
        ("t.csv", 'id,goal\na,"b\n', r"t\.csv, line \d: "),
        ("t.csv", "id,goal\na,b\na,c\n", r"line 3 \(a\): this id is also that of .*line 2 \(a\)"),
        ("t.csv", "id,goal\n\0,b\n", None),
        ("t.json", "{}", "has to hold a list of objects"),
        ("t.json", "[1]", "row 1 has to be an object"),
        ("t.json", "[", "is not JSON"),
        ("t.json", "[" * 100_000, "is not JSON"),
        ("t.jsonl", '{"goal": "a"}\n{', "line 2 is not JSON"),
        ("t.jsonl", "3\n", "line 1 has to be an object"),
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


def test_what_is_no_text_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("goal\nä\n".encode("latin-1"))
    with pytest.raises(TaskError, match="cannot read the table"):
        rows(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"id": "a"}, r"a task needs a goal"),
        ({"goal": "a", "level": "hard"}, "level 'hard' has to be 1, 2 or 3"),
        ({"goal": "a", "stop_on_success": "x"}, "stop_on_success 'x' has to be true or false"),
        ({"goal": "a", "golden_steps": "many"}, "golden_steps 'many' has to be a whole number"),
    ],
)
def test_a_cell_that_makes_no_sense_says_where(
    tmp_path: Path, columns: dict[str, Any], complaint: str
) -> None:
    (tmp_path / "t.csv").write_text(f"{','.join(columns)}\n{','.join(columns.values())}\n")
    (row,) = rows(tmp_path / "t.csv")
    with pytest.raises(TaskError, match=rf"t\.csv, line 2 .*: {complaint}"):
        _ = row.task_fields


def test_a_column_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,goal\na,b\n")
    (row,) = rows(tmp_path / "t.csv")
    with pytest.raises(AttributeError, match=r"no column 'gaol' \(there are: id, goal\)"):
        _ = row.gaol
