"""--mobile-epochs: each task several times, as tests of their own."""

import json


def test_each_epoch_is_a_test_with_an_id_of_its_own(project):
    result = project.run("tasks", "--agent=oracle", "-k", "code", "--mobile-epochs=3", "-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([f"*test_code[[]epoch{n}[]] PASSED*" for n in range(3)])
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    tasks = json.loads(path.read_text())["tasks"]
    assert [task["epoch"] for task in tasks] == [0, 1, 2]
    assert len({task["episode"] for task in tasks}) == 3


def test_tests_that_are_no_tasks_run_once(project):
    project.write(tasks__counter__test_other="def test_other(): pass")
    result = project.run("tasks/counter/test_other.py", "--mobile-epochs=3")
    result.assert_outcomes(passed=1)


def test_every_row_of_a_table_has_epochs(project):
    project.write(tasks__counter__test_counter="")
    (project.pytester.path / "tasks" / "counter" / "table.csv").write_text(
        "id,goal,app\none,Count to 1.,com.example.counter\ntwo,Count to 2.,com.example.counter\n"
    )
    project.write(tasks__counter__test_table=ROWS)
    result = project.run("tasks", "--mobile-epochs=2", "--collect-only", "-q")
    result.stdout.fnmatch_lines(
        [f"*::test_table[[]{row}-epoch{n}[]]" for row in ("one", "two") for n in (0, 1)]
    )


ROWS = """
from pytest_mobileagent import rows, tasks

@tasks(rows("table.csv"))
def test_table(episode, row):
    assert episode.answers(row.id)
"""
