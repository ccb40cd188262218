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
