"""Distribution of tests to real pytest-xdist workers, including failures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.context import RunContext
from tests.plugin.projects import NO_PHONE

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
        return pytester.runpytest_inprocess("-n2", NO_PHONE, "-v", *arguments)

    return run


@pytest.fixture
def on_phones(workers: object, pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs tasks on phones, in a separate process, which their conftest.py changes."""
    return partial(pytester.runpytest_subprocess, "-n2", "-v")


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
    if scheduler == "TaskScheduling":
        result.stdout.fnmatch_lines(["2 workers ?7 items?"])


@pytest.mark.slow
def test_dead_worker_is_replaced(workers, pytester):
    pytester.makepyfile(PLAIN.format(die=True))
    result = workers("--agent=idle")
    result.assert_outcomes(passed=7)
    result.stdout.fnmatch_lines(["replacing crashed worker gw?"])


@pytest.mark.slow
def test_run_stops_at_the_first_failure(workers, pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("n", range(40))
        def test_plain(n):
            assert False
        """
    )
    result = workers("--agent=idle", "-x")
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
def test_ordered_tasks_run_on_one_phone_without_resets(on_phones, pytester):
    pytester.makeconftest(
        f"from pytest_mobileagent.device.sources.virtual import VirtualSource\n"
        f"VirtualSource.restores = False\n{CONFTEST}"
    )
    pytester.makepyfile(test_a=SETS.format(set="a"), test_b=SETS.format(set="b"))
    result = on_phones("--agent=idle", "test_a.py", "test_b.py")
    result.assert_outcomes(passed=12)
    for file in ("test_a.py", "test_b.py"):
        passed = [line.split() for line in result.outlines if f"PASSED {file}" in line]
        assert len({words[0] for words in passed}) == 1  # only one worker ran these tests
        assert [words[-1] for words in passed] == [f"{file}::test_task[{n}]" for n in range(6)]


ONE_BY_ONE = """
import os, time
from pathlib import Path

os.cpu_count = lambda: 1  # so that the controller starts one worker after the other
WORKER = os.environ.get("PYTEST_XDIST_WORKER")

def pytest_runtest_setup(item):
    if WORKER == "gw0" or (WORKER == "gw1" and Path("gw1").exists()):
        while not Path("gw2").exists():  # so the first worker takes its phone last
            time.sleep(0.02)

def pytest_runtest_teardown(item):
    told = item.config.workerinput["workercount"], os.environ["PYTEST_XDIST_WORKER_COUNT"]
    with Path(WORKER).open("a") as file:
        print(*told, file=file)
"""


@pytest.mark.slow
def test_workers_that_start_one_by_one_all_have_a_phone(on_phones, pytester):
    pytester.makeconftest(CONFTEST + ONE_BY_ONE)
    pytester.makepyfile(SETS.format(set=""))
    on_phones("--agent=idle", "-n3").assert_outcomes(passed=6)
    did = {path.name: path.read_text().splitlines() for path in pytester.path.glob("gw?")}
    assert {line for lines in did.values() for line in lines} == {"3 3"}
    assert all(did[f"gw{number}"] for number in range(3))


@pytest.mark.parametrize(
    ("arguments", "count"), [("--tx=2*popen --dist=load", 2), ("--tx=2*popen", 1), ("-n0", 1)]
)
def test_the_owner_counts_the_workers_as_pytest_xdist_does(pytester, arguments, count):
    config = pytester.parseconfig(*arguments.split())
    assert RunContext(config).workers == count
