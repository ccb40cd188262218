"""What a failure names as closest: what the statement that failed has looked for."""

from __future__ import annotations

import pytest

from pytest_mobileagent.check.subgoals import SubGoalError, collect_subgoals, subgoal
from pytest_mobileagent.plugin.bodies import closest, code_of
from pytest_mobileagent.screen.explain import collect_misses, missed
from pytest_mobileagent.testing import make_screen

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
def test_it_is_what_the_statement_that_failed_looked_for(body, sought):
    with collect_misses(code_of(body)) as misses, collect_subgoals() as subgoals:
        try:
            body(None)
            subgoals.settle()
        except AssertionError as error:
            told = [explain() for explain in closest(body, error, misses)]
    assert [text.partition("has text=")[2].partition("\n")[0] for text in told] == [
        repr(text) for text in sought
    ]


def test_without_a_source_all_that_was_missed_is_told():
    body = eval("lambda _: missed(str)")
    with collect_misses(code_of(body)) as misses:
        body(None)
        missed(str)
    assert list(closest(body, SubGoalError(), misses)) == misses
