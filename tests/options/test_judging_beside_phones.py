"""Judges decide while the phone plays the next episode (plugin/engine/waiting.py)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.options import judging
from tests.options.gating import write_run
from tests.plugin.projects import NO_PHONE

if TYPE_CHECKING:
    from tests.options.asking import Asking

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
import sys
import threading

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("pytest_mobileagent.") and threading.current_thread().name == "judge":
            with open("loaded.txt", "a") as file:
                print(name, file=file)

sys.meta_path.insert(0, Finder())

def pytest_mobileagent_episode(episode, config):
    from tests.options import test_judging_beside_phones
    test_judging_beside_phones.PLAYED.release()
"""
PLAYED = threading.Semaphore(0)


@pytest.fixture
def hooked(asking: Asking) -> Asking:
    conftest = asking.pytester.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + CONFTEST, "utf-8")
    while PLAYED.acquire(blocking=False):
        pass
    return asking


def after_two_episodes(request):
    """Answer yes once both episodes have been played; the second does not wait for this answer."""
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
    assert len(episodes) == 2  # each was played only once


GATE = """
[[bound]]
metric = "success_rate"
baseline = true
allow = 0.5
"""


def test_an_interim_analysis_waits_for_judges(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS.replace("range(2)", "range(20)"))
    path = hooked.pytester.path
    write_run(path / "base", {f"codes/open[{n}]": [True] * 3 for n in range(20)})
    (path / "gate.toml").write_text(GATE, "utf-8")
    judge = f"--mobile-judges={served(after_two_episodes, *['Result: 1'] * 19)}"
    gate = ["--mobile-baseline=base", "--mobile-gate=gate.toml", "--mobile-epochs=1..2"]
    result = judging.run(hooked, SINGLE, judge, *gate)
    result.assert_outcomes(passed=20, deselected=20)
    result.stdout.fnmatch_lines(["gate PASS: * 20 tasks, 1 epoch (analysis 1 of 2)"])
    assert len(list((path / "runs").glob("*/episodes/*"))) == 20


def test_judges_load_no_module_that_pytest_rewrites_beside_its_own(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS)
    judge = f"--mobile-judges={served('Result: 1', 'Result: 1')}"
    judging.run(hooked, SINGLE, judge).assert_outcomes(passed=2)
    assert not (hooked.pytester.path / "loaded.txt").exists()


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


def test_a_run_that_stops_early_still_reports_verdicts_of_judges(hooked, served):
    hooked.pytester.makepyfile(
        test_codes=COUNTS + "\n\ndef test_that_fails():\n    raise AssertionError\n"
    )
    judge = f"--mobile-judges={served('Result: 1', 'Result: 1')}"
    result = judging.run(hooked, SINGLE, judge, "-x")
    result.assert_outcomes(passed=2, failed=1)


SCOPES = """
import pytest
from pytest_mobileagent import task

def note(what):
    with open("notes.txt", "a") as file:
        file.write(what + " ")

@pytest.fixture(scope="session")
def of_session():
    note("session")

@pytest.fixture(scope="module")
def of_module():
    note("module")

@task("I would like to know the code.", kind="open-ended")
def test_plain(episode, judge, of_session, record_property):
    record_property("code", "4711")
    assert judge(episode)

@task("I would like to know the code.", kind="open-ended")
def test_scoped(episode, judge, of_module):
    note("scoped")
    assert judge(episode)

@task("I would like to know the code.", kind="open-ended")
def test_looking(device, episode, judge):
    note("looking")
    assert judge(episode)

@task("I would like to know the code.", kind="open-ended")
def test_parts(episode, judge, subtests):
    with subtests.test("judged"):
        assert judge(episode)
"""


def test_bodies_that_use_more_than_the_episode_wait_in_place(hooked, served):
    hooked.pytester.makepyfile(test_codes=SCOPES)
    judge = f"--mobile-judges={served(*[slowly] * 4)}"
    result = judging.run(hooked, SINGLE, judge, "--junitxml=junit.xml", "-ojunit_family=xunit1")
    result.assert_outcomes(passed=4)
    notes = (hooked.pytester.path / "notes.txt").read_text("utf-8").split()
    assert sorted(notes) == ["looking", "module", "scoped", "session"]
    assert (hooked.pytester.path / "junit.xml").read_text("utf-8").count('"code"') == 1


def slowly(request):
    """Answer yes after a short delay, so that the test has to wait."""
    threading.Event().wait(0.1)
    return "Result: 1"


STOPPED = """
import pytest
from pytest_mobileagent import task

@pytest.fixture(autouse=True, scope="module")
def of_module():
    yield

def test_that_stops():
    raise KIND("enough")

def test_after():
    pass
"""


@pytest.mark.parametrize("kind", ["AssertionError", "pytest.exit.Exception"])
def test_a_run_that_stops_elsewhere_reports_what_was_decided(hooked, served, kind):
    hooked.pytester.makepyfile(test_a=COUNTS, test_b=STOPPED.replace("KIND", kind))
    conftest = hooked.pytester.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + WAITS_FOR_JUDGES, "utf-8")
    judge = f"--mobile-judges={served('Result: 1', 'Result: 1')}"
    result = judging.run(hooked, SINGLE, judge, "-x", "test_a.py", "test_b.py")
    outcomes = [task["outcome"] for task in hooked.report()["tasks"]]
    assert outcomes == ["passed", "passed"]
    assert result.ret == (1 if kind == "AssertionError" else 2)


EXITS_AT_SECOND = """
import pytest

ENDED = []

def pytest_runtest_logfinish(nodeid):
    ENDED.append(nodeid)
    if len(ENDED) == 2:
        pytest.exit("enough")
"""


def test_an_end_that_is_interrupted_reports_what_was_decided(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS.replace("range(2)", "range(3)"))
    conftest = hooked.pytester.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8") + EXITS_AT_SECOND, "utf-8")
    is_over = threading.Event()

    def too_late(request):
        is_over.wait(20)
        return "Result: 1"

    judge = f"--mobile-judges={served('Result: 1', 'Result: 1', too_late)}"
    result = judging.run(hooked, SINGLE, judge)
    is_over.set()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    outcomes = [task["outcome"] for task in hooked.report()["tasks"]]
    assert sorted(outcomes) == ["not run", "passed", "passed"]


ASKED_BEFORE = """
import pytest
from pytest_mobileagent import task

@pytest.fixture
def decision(episode, judge):
    return judge(episode)

@task("I would like to know the code.", kind="open-ended")
def test_open(decision, episode):
    assert decision
"""


def test_a_fixture_may_ask_judges(hooked, served):
    hooked.pytester.makepyfile(test_codes=ASKED_BEFORE)
    judging.run(hooked, SINGLE, f"--mobile-judges={served('Result: 1')}").assert_outcomes(passed=1)
    assert judging.task(hooked)["verdict"]["scorer"] == "judge"


WAITS_FOR_JUDGES = """
import threading

def pytest_runtest_setup(item):
    if item.name == "test_that_stops":
        for thread in threading.enumerate():
            if thread.name == "judge":
                thread.join(20)
"""


@pytest.mark.slow
def test_workers_report_tests_that_waited(hooked, served):
    hooked.pytester.makepyfile(test_codes=COUNTS.replace("range(2)", "range(5)"))
    judge = f"--mobile-judges={served(*['Result: 1'] * 5)}"
    result = judging.run(hooked, SINGLE, judge, "-n2", NO_PHONE, "-p", "xdist")
    result.assert_outcomes(passed=5)
    assert len(hooked.report()["tasks"]) == 5
