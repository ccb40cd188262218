"""Tests of the task decorators outside of pytest."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

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
table = sys.argv[1]
try:
    tasks(rows(table), each={"b": {"level": 2}})
except TaskError as error:
    print(error)
try:
    tasks(rows(table), each={"a": {"level": 9}})
except TaskError as error:
    print(error)
print(one.__name__, vars(one), many.__name__, vars(many), "pytest" in sys.modules)
"""


def test_without_pytest_a_task_is_a_function_whose_fields_were_checked(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("id,goal\na,Do it.\n", "utf-8")
    command = [sys.executable, "-c", CODE, str(table)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    complaint, no_row, no_level, rest = found.stdout.splitlines()
    assert "level" in complaint
    assert no_row == "each={'b': …}: there is no row with this id"
    assert no_level.endswith("line 2 (a): level=9 is not one of 1, 2, 3")
    assert rest == "one {} many {} False"
