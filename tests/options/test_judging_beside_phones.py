"""Judges think while the phone goes on (plugin/deferring.py)."""

from __future__ import annotations

import threading

import pytest

from tests.options import judging

SINGLE = "--llm-judge=single"
COUNTS = """
import pytest
from pytest_mobileagent import task

@pytest.fixture(autouse=True)
def around():
    with open("around.txt", "a") as file:
        file.write("set up, ")
    yield

@pytest.mark.parametrize("number", range(2))
@task("I would like to know the code.", kind="open-ended")
def test_open(episode, judge, number):
    print("asked")
    assert judge(episode)
"""
CONFTEST = """
def pytest_mobileagent_episode(episode, config):
    from tests.options import test_judging_beside_phones
    test_judging_beside_phones.PLAYED.release()
"""
PLAYED = threading.Semaphore(0)


@pytest.fixture
def hooked(asking):
    conftest = asking.pytester.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + CONFTEST, "utf-8")
    while PLAYED.acquire(blocking=False):
        pass
    return asking


def after_two_episodes(request):
    """Say yes once both episodes are played: the second one is not waiting for this."""
    assert PLAYED.acquire(timeout=20)
    assert PLAYED.acquire(timeout=20)
    return "Result: 1"


def test_the_next_episode_is_played_before_the_judge_has_decided(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS)
    judge = f"--mobile-judges={served(after_two_episodes, 'Result: 0')}"
    result = judging.run(hooked, SINGLE, judge, "-v")
    result.assert_outcomes(passed=1, failed=1)
    outcomes = {task["nodeid"]: task["outcome"] for task in hooked.report()["tasks"]}
    assert sorted(outcomes.values()) == ["failed", "passed"]
    assert result.stdout.str().count("::test_open[") >= 2
    episodes = list((hooked.pytester.path / "runs").glob("*/episodes/*"))
    assert len(episodes) == 2  # each was played once


def test_a_test_whose_judge_has_decided_is_reported_once(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS)
    judge = f"--mobile-judges={served('Result: 1', 'Result: 1')}"
    result = judging.run(hooked, SINGLE, judge, "--junitxml=junit.xml", "-rA")
    result.assert_outcomes(passed=2)
    assert (hooked.pytester.path / "junit.xml").read_text("utf-8").count("<testcase") == 2
    assert result.stdout.str().count("asked") == 2


def test_tests_that_another_plugin_repeats_wait_in_place(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS)
    judge = f"--mobile-judges={served('Result: 1', 'Result: 1')}"
    judging.run(hooked, SINGLE, judge, "--reruns=1").assert_outcomes(passed=2)
    setups = (hooked.pytester.path / "around.txt").read_text("utf-8").count("set up")
    assert setups == 2


def test_a_run_that_stops_early_still_reports_what_judges_said(hooked, served):
    hooked.pytester.makepyfile(
        test_codes=COUNTS + "\n\ndef test_that_fails():\n    raise AssertionError\n"
    )
    judge = f"--mobile-judges={served('Result: 1', 'Result: 1')}"
    result = judging.run(hooked, SINGLE, judge, "-x")
    result.assert_outcomes(passed=2, failed=1)


@pytest.mark.slow
def test_workers_report_tests_that_waited(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS.replace("range(2)", "range(5)"))
    judge = f"--mobile-judges={served(*['Result: 1'] * 5)}"
    result = judging.run(hooked, SINGLE, judge, "-n2", "-p", "xdist")
    result.assert_outcomes(passed=5)
    assert len(hooked.report()["tasks"]) == 5
