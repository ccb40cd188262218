"""Distribution of tests to real pytest-xdist workers, including failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

AGENT = """
from pytest_mobileagent import Agent, Finish

class Idle(Agent):
    def step(self, observation):
        return Finish()
"""
CONFTEST = """
def pytest_mobileagent_agents(config):
    return config.rootpath / "agents"
"""
PLAIN = """
import os, pathlib, pytest

@pytest.mark.parametrize("n", range(6))
def test_plain(n):
    pass

def test_deadly():
    marker = pathlib.Path("died")
    if {die} and not marker.exists():
        marker.touch()
        os._exit(1)
"""


@pytest.fixture
def workers(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs tests that need no phone on two workers, with an agent."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    pytester.makeconftest(CONFTEST)
    pytester.mkdir("agents").joinpath("idle.py").write_text(AGENT)
    pytester.makepyfile(PLAIN.format(die=False))

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("-n2", "-v", *arguments)

    return run


@pytest.mark.parametrize(
    ("arguments", "scheduler"),
    [
        (["--agent=idle"], "TaskScheduling"),
        ([], "LoadScheduling"),
        (["--agent=idle", "--dist=worksteal"], "WorkStealingScheduling"),
        (["--agent=idle", "--dist=loadfile"], "LoadFileScheduling"),
        (["--agent=idle", "--dist=load"], "LoadScheduling"),
    ],
    ids=["agent", "no-agent", "worksteal", "loadfile", "load"],
)
@pytest.mark.slow
def test_a_scheduler_chosen_by_the_user_is_respected(workers, arguments, scheduler):
    result = workers(*arguments)
    result.assert_outcomes(passed=7)
    result.stdout.fnmatch_lines([f"scheduling tests via {scheduler}"])


@pytest.mark.slow
def test_worker_line_shows_the_number_of_tests(workers):
    workers("--agent=idle").stdout.fnmatch_lines(["2 workers ?7 items?"])


@pytest.mark.slow
def test_dead_worker_is_replaced(workers, pytester):
    pytester.makepyfile(PLAIN.format(die=True))
    result = workers("--agent=idle")
    result.assert_outcomes(passed=7)
    result.stdout.fnmatch_lines(["replacing crashed worker gw?"])


@pytest.mark.parametrize("flag", ["-x", "--maxfail=1"])
@pytest.mark.slow
def test_run_stops_at_the_first_failure(workers, pytester, flag):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("n", range(40))
        def test_plain(n):
            assert False
        """
    )
    result = workers("--agent=idle", flag)
    assert 1 <= result.parseoutcomes()["failed"] <= 4
    result.stdout.fnmatch_lines(["*stopping after 1 failures*"])


@pytest.mark.slow
def test_different_collections_of_workers_are_an_error(workers, pytester):
    pytester.makepyfile(
        """
        import os, pytest

        @pytest.mark.parametrize("n", [os.environ["PYTEST_XDIST_WORKER"]])
        def test_plain(n):
            pass
        """
    )
    result = workers("--agent=idle")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*gw? and gw? collected different tests:*"])


SETS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("n", range(6))
@task("Do nothing.", task_set="{set}")
def test_task(episode, n):
    pass
"""


@pytest.mark.slow
def test_ordered_tasks_run_on_one_phone_without_resets(workers, pytester):
    pytester.makeconftest(
        f"from pytest_mobileagent.device.sources.virtual import VirtualSource\n"
        f"VirtualSource.restores = False\n{CONFTEST}"
    )
    pytester.makepyfile(test_a=SETS.format(set="a"), test_b=SETS.format(set="b"))
    result = workers("--agent=idle", "test_a.py", "test_b.py")
    result.assert_outcomes(passed=12)
    for file in ("test_a.py", "test_b.py"):
        passed = [line.split() for line in result.outlines if f"PASSED {file}" in line]
        assert len({words[0] for words in passed}) == 1  # only one worker ran these tests
        assert [words[-1] for words in passed] == [f"{file}::test_task[{n}]" for n in range(6)]
