"""Task bodies: the closest matches named in a failure, and the sub-goals reported for a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.check.body import SubGoalError, collect_subgoals, subgoal
from pytest_mobileagent.plugin.body_source import closest, code_of
from pytest_mobileagent.screen.explain import collect_misses, missed
from pytest_mobileagent.testing import make_screen
from tests.plugin.projects import Ran, run_taps

if TYPE_CHECKING:
    from collections.abc import Callable

SCREEN = make_screen("Eggs")


def find(text):
    return SCREEN.find(text=text)


def a_must_not_before(_):
    assert not find("Delete")
    assert find(
        "Total",
    )


def a_comparison_of_its_own(_):
    assert not find("Delete")
    assert len(SCREEN.find_all(text="Eggs")) == 2


def what_an_assert_rests_on(_):
    total = find("Total")
    assert not find("Delete")
    assert total


def get_after_find(_):
    assert not find("Delete")
    SCREEN.get(text="Total")


def the_first_sub_goal_that_failed(_):
    assert not find("Delete")
    with subgoal("paid"):
        assert find("Total")
    with subgoal("sent"):
        assert find("Sent")


def a_sub_goal_that_gets(_):
    with subgoal("paid"):
        assert not find("Delete")
        SCREEN.get(text="Total")


@pytest.mark.parametrize(
    ("body", "sought"),
    [
        (a_must_not_before, ["Total"]),
        (a_comparison_of_its_own, []),
        (what_an_assert_rests_on, ["Total"]),
        (get_after_find, ["Total"]),
        (the_first_sub_goal_that_failed, ["Total"]),
        (a_sub_goal_that_gets, ["Total"]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_failure_shows_what_the_failed_statement_looked_for(body, sought):
    with collect_misses(code_of(body)) as misses, collect_subgoals() as subgoals:
        try:
            body(None)
            subgoals.settle()
        except AssertionError as error:
            told = [explain() for explain in closest(body, error, misses)]
    assert [text.partition("has text=")[2].partition("\n")[0] for text in told] == [
        repr(text) for text in sought
    ]


def test_without_a_source_all_misses_are_reported():
    body = eval("lambda _: missed(str)")
    with collect_misses(code_of(body)) as misses:
        body(None)
        missed(str)
    assert list(closest(body, SubGoalError(), misses)) == misses


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., Ran]:
    """Runs a task with the given body lines; returns the result and the reported tasks."""

    def run(*lines: str, asks: str = "episode") -> Ran:
        body = "\n".join(f"    {line}" for line in lines)
        return run_taps(pytester, f"@task('Go.')\ndef test_go({asks}):\n{body}\n")

    return run


def shown(task: dict[str, Any]) -> list[tuple[str, float, bool, int | None]]:
    return [tuple(s[n] for n in ("name", "weight", "held", "first_step")) for s in task["subgoals"]]


LOST = ['with episode.subgoal("one", weight=2):', '    assert episode.screen.find(text="1")']
KEPT = ['with episode.subgoal("seen"):', '    assert episode.saw(text="2")']
LAST = ['with episode.subgoal("last"):', '    assert episode.answers("12 items")']
NEVER = ['with episode.subgoal("never"):', '    assert episode.saw(text="9"), "no nine"']


def test_sub_goals_are_reported_with_the_first_step_at_which_they_held(run):
    result, (task,) = run(*LOST, *KEPT, *LAST, *NEVER)
    assert shown(task) == [
        ("one", 2, False, 1),
        ("seen", 1, True, 2),
        ("last", 1, True, 3),
        ("never", 1, False, None),
    ]
    assert (task["outcome"], task["partial_credit"]) == ("failed", 0.4)
    assert task["first_success_step"] is None
    assert task["verdict"]["evidence"]["subgoals"] == task["subgoals"]
    assert task["subgoals"][3]["reason"].startswith("no nine")
    line = "sub-goals 2/5  one: at step 1, but not at the end   seen: at step 2   last: at step 3*"
    result.stdout.fnmatch_lines(
        ['sought   episode.screen.find(text="1")*:7', "closest *", line, "actions *"]
    )
    result.stdout.fnmatch_lines(["suite*s/step  partial", "*40.0%"])


def test_credit_is_the_share_of_the_sub_goals_that_held(run):
    _, (task,) = run(*KEPT, *LAST)
    assert (task["outcome"], task["partial_credit"], task["first_success_step"]) == ("passed", 1, 3)
    assert [each["held"] for each in task["subgoals"]] == [True, True]
    _, (task,) = run(*KEPT, *NEVER, asks="episode, shows")  # which is not evaluated on prefixes
    assert shown(task) == [("seen", 1, True, None), ("never", 1, False, None)]
    assert task["partial_credit"] == 0.5
    result, (task,) = run("assert False")
    assert (task["subgoals"], task["partial_credit"]) == (None, None)
    result.stdout.no_fnmatch_line("*partial*")


def test_a_failure_before_sub_goals_keeps_those_evaluated_on_prefixes(run):
    _, (task,) = run('assert episode.never(lambda e: e.saw(text="2"))', *LOST, *NEVER)
    assert shown(task) == [("one", 2, False, 1), ("never", 1, False, None)]
    assert task["subgoals"][0]["reason"] == "not asked: the body failed before"
    assert task["partial_credit"] == 0


def test_sub_goals_that_are_never_reached_count_as_not_held(run):
    later = ['with episode.subgoal("later", weight=3):', "    assert episode.answer"]
    result, (task,) = run(*KEPT, "assert not episode.answer, 'too much said'", *later)
    assert shown(task)[1:] == [("later", 3, False, None)]
    assert (task["outcome"], task["partial_credit"]) == ("failed", 0.25)
    result.stdout.fnmatch_lines(["sought   not episode.answer*", "sub-goals 1/4  seen: at step 2*"])
    result, _ = run('with episode.subgoal("two"):', "    assert episode.step_count == 2")
    result.stdout.fnmatch_lines(
        ["sought   episode.step_count == 2*", "closest  two: assert 3 == 2*"]
    )


@pytest.mark.parametrize(
    ("line", "outcome", "fault"),
    [
        ("pytest.fail('no')", "failed", "agent"),
        ("1 / 0", "error", "task"),
        ("pytest.skip('no')", "skipped", None),
    ],
)
def test_an_error_other_than_an_assertion_ends_the_body(run, line, outcome, fault):
    _, (task,) = run('with episode.subgoal("one"):', f"    {line}", *KEPT)
    assert (task["outcome"], task["fault"]) == (outcome, fault)
    assert (task["partial_credit"] is None) == (outcome != "failed")


def test_an_invalid_sub_goal_is_the_tasks_fault(run):
    result, (task,) = run(*KEPT, *KEPT)
    assert (task["outcome"], task["fault"]) == ("error", "task")
    result.stdout.fnmatch_lines(["*two sub-goals are named 'seen'*"])
