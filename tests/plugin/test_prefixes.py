"""Checks of episode prefixes, in a process of their own while the agent runs in another.

With stop_on_success, the plugin checks a task's body after each step while the agent works.
"""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import PHONE, TAPS

if TYPE_CHECKING:
    from collections.abc import Callable


AGENT = """
from pytest_mobileagent import Agent, Finish, Tap

class Hasty(Agent):
    def start(self, briefing):
        self.left = 3
        print("hasty begins:", briefing.goal)
    def step(self, observation):
        self.left -= 1
        return Tap(5, 5) if self.left >= 0 else Finish("12 items")
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., tuple[pytest.RunResult, list[dict[str, Any]]]]:
    """Runs a test file on a phone in memory, with an agent in a separate process."""

    def run(body: str, *arguments: str) -> tuple[pytest.RunResult, list[dict[str, Any]]]:
        pytester.makeconftest(PHONE)
        pytester.makepyfile("import pytest\nfrom pytest_mobileagent import task\n" + body)
        pytester.makepyfile(hasty=AGENT)
        flags = ("-p", "no:cacheprovider", "--agent=hasty.py", *arguments)
        result = pytester.runpytest_inprocess(*flags)
        (report,) = pytester.path.glob("runs/*/report.json")
        return result, json.loads(report.read_text())["tasks"]

    return run


def test_an_agents_output_is_in_the_failure_of_its_test(run):
    result, _ = run("@task('Go.')\ndef test_go(episode): assert episode.answers('13')")
    result.stdout.fnmatch_lines(["*Captured stdout setup*", "hasty begins: Go."])


def test_properties_and_output_of_a_body_are_recorded_once(run, pytester):
    body = """
@task("Go.")
def test_go(episode):
    print("asked at", episode.step_count)
    assert episode.screen.texts >= ("2",)
    assert False, "never"
"""
    result, (task,) = run(body, "--junitxml=junit.xml")
    assert task["first_success_step"] is None
    assert result.stdout.str().count("asked at") == 1
    assert (pytester.path / "junit.xml").read_text().count('name="mobile_outcome"') <= 1


def test_only_an_unexpected_success_has_a_first_success_step(run):
    _, tasks = run("""
@pytest.mark.xfail(strict=False)
@task("Go.")
def test_a_loose(episode): assert episode.screen.texts >= ("2",)
@pytest.mark.xfail(strict=True)
@task("Go.")
def test_b_strict(episode): assert episode.screen.texts >= ("2",)
@pytest.mark.xfail(strict=True)
@task("Go.")
def test_c_never(episode): assert episode.screen.texts == ("no such",)
""")
    assert [(t["outcome"], t["success"], t["first_success_step"]) for t in tasks] == [
        ("xpassed", True, 2),
        ("failed", True, 2),
        ("xfailed", False, None),
    ]


def test_a_body_that_hangs_or_exits_on_a_prefix_affects_no_other_test(run, monkeypatch):
    # Take the module from sys.modules: pytester runs leave others of this name behind.
    prefixes = importlib.import_module("pytest_mobileagent.check.prefixes")
    monkeypatch.setattr(prefixes, "_SECONDS", 0.2)
    result, tasks = run("""
import os, time
@task("Go.")
def test_a_exits(episode):
    if episode.step_count == 1: os._exit(3)
@task("Go.")
def test_b_hangs(episode):
    if episode.step_count == 0: time.sleep(600)
@task("Go.")
def test_c_as_usual(episode): pass
""")
    result.assert_outcomes(passed=3)
    assert [task["first_success_step"] for task in tasks] == [0, None, 0]


def test_skip_in_a_body_is_a_skip_whatever_the_prefixes(run):
    result, (task,) = run("""
@task("Go.")
def test_go(episode):
    if episode.step_count == 3: pytest.skip("not here")
""")
    result.assert_outcomes(skipped=1)
    assert (task["outcome"], task["success"]) == ("skipped", None)


def test_evidence_lists_the_prefixes_for_which_the_check_held(run):
    _, (early, late) = run("""
@task("Go.")
def test_early(episode): assert episode.screen.texts in (("1",), ("3",))
@task("Go.")
def test_late(episode): assert episode.screen.texts == ("2",)
""")
    assert early["verdict"]["evidence"]["held"] == [False, True, False, True, True]
    assert (early["first_success_step"], early["success"]) == (1, True)
    assert late["verdict"]["evidence"]["held"] == [False, False, True, False, False]


def test_a_body_that_breaks_later_prefixes_loses_only_their_results(run):
    _, (task,) = run("""
import os
@task("Go.")
def test_go(episode):
    if episode.step_count == 2: os._exit(3)
""")
    assert task["first_success_step"] == 0
    assert task["verdict"]["evidence"]["held"] == [True, True, None, None, True]


def test_body_with_other_fixtures_is_not_evaluated_on_prefixes(run):
    _, (failed, passed) = run("""
@task("Go.")
def test_failed(episode, tmp_path): assert episode.screen.texts == ("2",)
@task("Go.")
def test_passed(episode, tmp_path): assert episode.screen.texts == ("3",)
""")
    for task in (failed, passed):
        assert task["verdict"]["evidence"]["held"] == []
        assert task["first_success_step"] is None


HEAD = """
import pytest
from pytest_mobileagent import task, tasks, rows

asked = []
"""


@pytest.fixture
def run_prefixes_stopping(
    pytester: pytest.Pytester,
) -> Callable[..., tuple[pytest.RunResult, list[dict[str, Any]]]]:
    """Runs tasks with an agent that taps five times; returns the result and the reported tasks."""

    def run_prefixes_stopping(body, *arguments):
        pytester.makeconftest(TAPS.replace('3, "12 items"', '5, ""'))
        pytester.makepyfile(taps="from conftest import Taps\nclass Taps(Taps): pass\n")
        pytester.makepyfile(HEAD + body)
        flags = ("-p", "no:cacheprovider", "--agent=taps.py:Taps", "--mobile-agent-process=off")
        result = pytester.runpytest_inprocess(*flags, *arguments)
        reports = sorted(pytester.path.glob("runs/*/report.json"))
        return result, json.loads(reports[-1].read_text())["tasks"] if reports else []

    return run_prefixes_stopping


def ends(tasks):
    return [(t["outcome"], t["termination"], t["steps"], t["first_success_step"]) for t in tasks]


STOPPED = "stopped on success"


def test_episode_ends_at_the_step_at_which_its_body_holds(run_prefixes_stopping):
    _, tasks = run_prefixes_stopping("""
@task("Go.", stop_on_success=True)
def test_stops(episode): assert episode.saw(text="2")

@task("Go.")
def test_goes_on(episode): assert episode.saw(text="2")

@task("Go.", stop_on_success=True)
def test_never(episode): assert episode.saw(text="9")
""")
    assert sorted(ends(tasks)) == [
        ("failed", "self-reported", 5, None),
        ("passed", "self-reported", 5, 2),
        ("passed", STOPPED, 2, 2),
    ]
    assert not any(task["overdue"] or (task["success"] and task["premature"]) for task in tasks)


def test_body_gets_its_parameters_of_any_kind_on_prefixes(run_prefixes_stopping, pytester):
    pytester.path.joinpath("t.csv").write_text(
        "id,goal,sought,stop_on_success\na,Go.,3,yes\nb,Go.,3,no\n"
    )
    _, tasks = run_prefixes_stopping(
        """
@pytest.mark.parametrize("first", [1])
class TestIt:
    @task("Go.", stop_on_success=True, parameters=lambda random: {"drawn": 2})
    def test_all(self, drawn, episode, first, mobile_epoch):
        assert episode.screen.find(text=str(drawn + mobile_epoch)) and first == 1

@tasks(rows("t.csv"))
def test_row(episode, row):
    assert episode.saw(text=row.sought)
""",
        "--mobile-epochs=2",
    )
    assert sorted((t["id"].rpartition("/")[2], *ends([t])[0]) for t in tasks) == [
        ("all[1]", "passed", STOPPED, 2, 2),
        ("all[1]", "passed", STOPPED, 3, 3),
        *[("row[a]", "passed", STOPPED, 3, 3)] * 2,
        *[("row[b]", "passed", "self-reported", 5, 3)] * 2,
    ]


def test_evaluating_prefixes_leaves_nothing_behind(run_prefixes_stopping):
    result, tasks = run_prefixes_stopping("""
@task("Go.", stop_on_success=True)
def test_go(episode):
    print("asked of", episode.step_count)
    asked.append(episode.step_count)
    assert asked == [episode.step_count]
    assert episode.step_count == 3, "too early"
    pytest.fail("all the same") if episode.is_complete else None
""")
    assert ends(tasks) == [("failed", STOPPED, 3, None)]
    assert result.stdout.str().count("asked of") == 1


def test_error_in_a_body_before_the_end_does_not_end_the_episode(run_prefixes_stopping):
    _, tasks = run_prefixes_stopping("""
@task("Go.", stop_on_success=True)
def test_go(episode):
    {"4": None}[episode.screen.texts[0]]
""")
    assert ends(tasks) == [("passed", STOPPED, 4, 4)]


@pytest.mark.parametrize("fixture", ["shows", "device"])
def test_body_with_other_fixtures_cannot_stop_the_episode(run_prefixes_stopping, fixture):
    result, tasks = run_prefixes_stopping(f"""
@task("Go.", stop_on_success=True)
def test_go(episode, {fixture}): pass
""")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([f"*may ask for `episode` and parameters, not for {fixture}*"])
    assert not tasks


def test_a_row_that_stops_on_success_is_checked_too(run_prefixes_stopping, pytester):
    pytester.path.joinpath("t.csv").write_text("id,goal,stop_on_success\na,Go.,no\nb,Go.,yes\n")
    result, _ = run_prefixes_stopping("""
@tasks(rows("t.csv"))
def test_row(episode, row, tmp_path): pass
""")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
