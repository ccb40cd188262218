"""--mobile-exit: whether failed tasks lead to exit status 1."""

import pytest


@pytest.mark.parametrize(("arguments", "status"), [([], 1), (["--mobile-exit=run"], 0)])
def test_failed_tasks_count_in_the_exit_status_unless_only_the_run_matters(
    asking, arguments, status
):
    assert asking.run(*arguments, agent="noop").ret == status


def test_a_task_that_was_not_decided_counts_always(asking):
    asking.pytester.makepyfile(
        test_broken="""
        from pytest_mobileagent import task

        @task("Say {word}.")
        def test_say(episode):
            assert True
        """
    )
    result = asking.run("--mobile-exit=run", agent="noop")
    result.assert_outcomes(failed=1, errors=1)
    assert result.ret == 1


def test_other_tests_count_always(asking):
    asking.pytester.makepyfile(test_other="def test_other(): assert False")
    result = asking.run("--mobile-exit=run", agent="noop")
    result.assert_outcomes(failed=2)
    assert result.ret == 1


@pytest.mark.parametrize("arguments", [["-x"], ["--continue-on-collection-errors"]])
def test_an_incomplete_run_counts_always(asking, arguments):
    asking.write(count=2)
    if arguments != ["-x"]:
        asking.pytester.makepyfile(test_other="import nothing_like_it")
    assert asking.run("--mobile-exit=run", *arguments, agent="noop").ret == 1
