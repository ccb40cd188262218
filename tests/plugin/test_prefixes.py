"""Checks of episode prefixes, in a process of their own while the agent runs in another.

With stop_on_success, the plugin checks a task's body after each step while the agent works.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import PHONE, TAPS, Ran, newest_report, run_taps

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
def run(pytester: pytest.Pytester) -> Callable[..., Ran]:
    """Runs a test file on a phone in memory, with an agent in a separate process."""

    def run(body: str, *arguments: str) -> Ran:
        pytester.makeconftest(PHONE)
        pytester.makepyfile("import pytest\nfrom pytest_mobileagent import task\n" + body)
        pytester.makepyfile(hasty=AGENT)
        flags = ("-p", "no:cacheprovider", "--agent=hasty.py", *arguments)
        result = pytester.runpytest_inprocess(*flags)
        return result, newest_report(pytester.path)["tasks"]

    return run


def name_of(task: dict[str, Any]) -> str:
    return str(task["id"]).rpartition("/")[2]


ON_PREFIXES = """
import os
go = task("Go.")

@go
def test_early(episode):
    assert episode.screen.texts in (("1",), ("3",))
@go
def test_late(episode):
    print("asked at", episode.step_count)
    assert episode.screen.texts == ("2",)
@go
def test_breaks(episode):
    if episode.step_count == 2: os._exit(3)
@go
def test_skips(episode):
    if episode.step_count == 3: pytest.skip("not here")
@go
def test_with_a_fixture(episode, tmp_path):
    assert episode.screen.texts == ("2",)
@pytest.mark.xfail(strict=False)
@go
def test_loose(episode):
    assert episode.screen.texts >= ("2",)
@pytest.mark.xfail(strict=True)
@go
def test_strict(episode):
    assert episode.screen.texts >= ("2",)
@pytest.mark.xfail(strict=True)
@go
def test_never(episode):
    assert episode.screen.texts == ("no such",)
"""


def test_a_body_is_evaluated_on_the_prefixes_of_an_agent_in_another_process(run, pytester):
    result, tasks = run(ON_PREFIXES, "--junitxml=junit.xml")
    fields = ("outcome", "success", "first_success_step")
    assert {name_of(task): tuple(task[each] for each in fields) for task in tasks} == {
        "early": ("passed", True, 1),
        "late": ("failed", False, 2),
        "breaks": ("passed", True, 0),
        "skips": ("skipped", None, None),
        "with_a_fixture": ("failed", False, None),
        "loose": ("xpassed", True, 2),
        "strict": ("failed", True, 2),
        "never": ("xfailed", False, None),
    }
    assert not any(task["premature"] for task in tasks if task["success"])
    held = {name_of(each): each["verdict"]["evidence"]["held"] for each in tasks if each["verdict"]}
    assert held["early"] == [False, True, False, True, True]
    assert held["late"] == [False, False, True, False, False]
    assert held["breaks"] == [True, True, None, None, True]
    assert held["with_a_fixture"] == []
    result.stdout.fnmatch_lines(["*Captured stdout setup*", "hasty begins: Go."])
    assert result.stdout.str().count("asked at") == 1
    assert (pytester.path / "junit.xml").read_text().count('name="mobile_outcome"') == len(tasks)


def test_a_body_that_hangs_on_a_prefix_affects_no_other_test(run, monkeypatch):
    # Take the module from sys.modules: pytester runs leave others of this name behind.
    prefixes = importlib.import_module("pytest_mobileagent.check.temporal")
    monkeypatch.setattr(prefixes, "_SECONDS", 0.2)
    result, tasks = run("""
import time
@task("Go.")
def test_a_hangs(episode):
    if episode.step_count == 0: time.sleep(600)
@task("Go.")
def test_b_as_usual(episode): pass
""")
    result.assert_outcomes(passed=2)
    assert [task["first_success_step"] for task in tasks] == [None, 0]


@pytest.fixture
def run_five(pytester: pytest.Pytester) -> Callable[..., Ran]:
    """Runs tasks with an agent that taps five times."""
    return partial(run_taps, pytester, conftest=TAPS.replace('3, "12 items"', '5, ""'))


def ends(tasks):
    return [(t["outcome"], t["termination"], t["steps"], t["first_success_step"]) for t in tasks]


STOPPED = "stopped on success"


def test_episode_ends_at_the_step_at_which_its_body_holds(run_five):
    result, tasks = run_five("""
asked = []

@task("Go.", stop_on_success=True)
def test_stops(episode): assert episode.saw(text="2")

@task("Go.")
def test_goes_on(episode): assert episode.saw(text="2")

@task("Go.", stop_on_success=True)
def test_never(episode): assert episode.saw(text="9")

@task("Go.", stop_on_success=True)
def test_raises_before(episode):
    {"4": None}[episode.screen.texts[0]]

@task("Go.", stop_on_success=True)
def test_leaves_nothing_behind(episode):
    print("asked of", episode.step_count)
    asked.append(episode.step_count)
    assert asked == [episode.step_count]
    assert episode.step_count == 3, "too early"
    pytest.fail("all the same") if episode.is_complete else None
""")
    assert dict(zip(map(name_of, tasks), ends(tasks), strict=True)) == {
        "stops": ("passed", STOPPED, 2, 2),
        "goes_on": ("passed", "self-reported", 5, 2),
        "never": ("failed", "self-reported", 5, None),
        "raises_before": ("passed", STOPPED, 4, 4),
        "leaves_nothing_behind": ("failed", STOPPED, 3, None),
    }
    assert not any(task["overdue"] or (task["success"] and task["premature"]) for task in tasks)
    assert result.stdout.str().count("asked of") == 1


def test_body_gets_its_parameters_of_any_kind_on_prefixes(run_five, pytester):
    pytester.path.joinpath("t.csv").write_text("id,goal,sought,stop_on_success\na,Go.,3,yes\n")
    _, tasks = run_five(
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
    assert sorted((name_of(t), *ends([t])[0]) for t in tasks) == [
        ("all[1]", "passed", STOPPED, 2, 2),
        ("all[1]", "passed", STOPPED, 3, 3),
        *[("row[a]", "passed", STOPPED, 3, 3)] * 2,
    ]


def test_body_with_other_fixtures_cannot_stop_the_episode_nor_that_of_a_row(run_five, pytester):
    result, tasks = run_five("""
@task("Go.", stop_on_success=True)
def test_go(episode, shows): pass
""")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*may ask for `episode` and parameters, not for shows*"])
    assert not tasks
    pytester.path.joinpath("t.csv").write_text("id,goal,stop_on_success\na,Go.,no\nb,Go.,yes\n")
    result, _ = run_five("""
@tasks(rows("t.csv"))
def test_row(episode, row, tmp_path): pass
""")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
