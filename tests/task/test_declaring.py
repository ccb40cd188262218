"""The decorators of tasks where nothing runs tests."""

from __future__ import annotations

import subprocess
import sys

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
