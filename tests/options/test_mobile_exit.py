"""--mobile-exit: whether failed tasks lead to exit status 1."""

import pytest


@pytest.mark.parametrize(("arguments", "status"), [([], 1), (["--mobile-exit=run"], 0)])
def test_failed_tasks_count_in_the_exit_status_unless_only_the_run_matters(
    project, arguments, status
):
    assert project.run("tasks", "--agent=noop", "-k", "code", *arguments).ret == status


def test_a_task_that_was_not_decided_counts_always(project):
    project.write(
        tasks__counter__test_broken="""
from pytest_mobileagent import task

@task("Say {word}.", app="com.example.counter")
def test_say(episode):
    assert True
"""
    )
    result = project.run("tasks", "--agent=noop", "--mobile-exit=run", "-k", "code or say")
    result.assert_outcomes(failed=1, errors=1, deselected=2)
    assert result.ret == 1


def test_other_tests_count_always(project):
    project.write(tasks__counter__test_other="def test_other(): assert False")
    result = project.run("tasks", "--agent=noop", "--mobile-exit=run", "-k", "code or other")
    result.assert_outcomes(failed=2, deselected=2)
    assert result.ret == 1


@pytest.mark.parametrize("arguments", [["-x"], ["--continue-on-collection-errors"]])
def test_an_incomplete_run_counts_always(project, arguments):
    if arguments != ["-x"]:
        project.write(tasks__counter__test_other="import nothing_like_it")
    assert project.run("tasks", "--agent=noop", "--mobile-exit=run", *arguments).ret == 1
