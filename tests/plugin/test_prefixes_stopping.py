"""Tasks that say stop_on_success: the plugin asks their bodies while the agent works."""

from __future__ import annotations

import json

import pytest

CONFTEST = """
import pytest
from pytest_mobileagent import Agent, Finish, Tap
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Taps(Agent):
    def start(self, briefing):
        self.left = 5
    def step(self, observation):
        self.left -= 1
        return Tap(5, 5) if self.left >= 0 else Finish()

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(FakePhone([make_screen(str(number)) for number in range(9)]))

@pytest.fixture(scope="session")
def agent():
    return Taps

@pytest.fixture
def shows():
    return lambda episode, text: bool(episode.screen.find(text=text))
"""
HEAD = """
import pytest
from pytest_mobileagent import task, tasks, rows

asked = []
"""


@pytest.fixture
def run(pytester):
    """Run tasks with an agent that taps five times; return the result and what is reported."""

    def run(body, *arguments):
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile(taps="from conftest import Taps\nclass Taps(Taps): pass\n")
        pytester.makepyfile(HEAD + body)
        flags = ("-p", "no:cacheprovider", "--agent=taps.py:Taps", "--mobile-agent-process=off")
        result = pytester.runpytest_inprocess(*flags, *arguments)
        reports = sorted(pytester.path.glob("runs/*/report.json"))
        return result, json.loads(reports[-1].read_text())["tasks"] if reports else []

    return run


def ends(tasks):
    return [(t["outcome"], t["termination"], t["steps"], t["first_success_step"]) for t in tasks]


STOPPED = "stopped on success"


def test_an_episode_ends_at_the_step_at_which_its_body_holds(run):
    _, tasks = run("""
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


def test_a_body_is_asked_with_its_parameters_whatever_their_kind(run, pytester):
    pytester.path.joinpath("t.csv").write_text(
        "id,goal,sought,stop_on_success\na,Go.,3,yes\nb,Go.,3,no\n"
    )
    _, tasks = run(
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


def test_asking_leaves_nothing_behind(run):
    result, tasks = run("""
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


def test_a_body_that_breaks_before_the_end_is_not_done_yet(run):
    _, tasks = run("""
@task("Go.", stop_on_success=True)
def test_go(episode):
    {"4": None}[episode.screen.texts[0]]
""")
    assert ends(tasks) == [("passed", STOPPED, 4, 4)]


@pytest.mark.parametrize("fixture", ["shows", "device"])
def test_a_body_that_asks_for_more_cannot_be_asked_after_each_step(run, fixture):
    result, tasks = run(f"""
@task("Go.", stop_on_success=True)
def test_go(episode, {fixture}): pass
""")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([f"*may ask for `episode` and parameters, not for {fixture}*"])
    assert not tasks


def test_a_row_says_so_for_itself(run, pytester):
    pytester.path.joinpath("t.csv").write_text("id,goal,stop_on_success\na,Go.,no\nb,Go.,yes\n")
    result, _ = run("""
@tasks(rows("t.csv"))
def test_row(episode, row, tmp_path): pass
""")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
