"""Tests of a task's fields: their validation, defaults and derived values."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import answer, open_app, setting, tap, task
from pytest_mobileagent._task import DEFAULT_STEP_LIMIT, Task
from pytest_mobileagent._task.wording import fill
from pytest_mobileagent.errors import TaskError

NOW = datetime(2026, 5, 4, 8, 5)
SOLUTION = [open_app(), tap(text="a"), answer("b")]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"goal": ""}, "a task needs a goal in words, not ''"),
        ({"goal": "  \n"}, "a task needs a goal in words"),
        ({"kind": "single frame query"}, "did you mean 'single-frame query'?"),
        ({"kind": None}, "kind=None is not one of operation, single-frame query"),
        ({"level": 4}, "level=4 is not one of 1, 2, 3"),
        ({"golden_steps": 0}, "golden_steps=0 must be a whole number from 1"),
        ({"golden_steps": True}, "golden_steps=True must be a whole number"),
        ({"golden_steps": 10**400}, "… must be a whole number from 1 to 1000000"),
        ({"step_limit": 1_000_001}, "step_limit=1000001 must be a whole number from 1"),
        ({"goal": 10**5000}, "a task needs a goal in words, not <int>"),
        ({"level": True}, "level=True is not one of 1, 2, 3"),
        ({"app": ["com.a"]}, "app=['com.a'] must be a string"),
        ({"apps": 1}, "apps=1 must be a list of packages"),
        ({"apps": [""]}, "apps=('',) must be a list of packages"),
        ({"solution": None}, "a solution must be a list of moves"),
        ({"solution": [10**5000]}, "the solution has <int>, which is not a move"),
        ({"probes": [1]}, "probes a dictionary of probes by name"),
        ({"probes": {1: setting("global", "x")}}, "probes has the name 1, which must be a string"),
        ({"tags": 5}, "tags=5 must be a list of words"),
        ({"needs": None}, "needs=None must be a list of words"),
        ({"source": 5}, "source=5 must be a string"),
        ({"prepare": 10**5000}, "prepare=<int> must be a function"),
        ({"user": False}, "user=False must be a string, answers by words of the question"),
        ({"user": {"colour": 7}}, "user={'colour': 7} must be a string, answers by words"),
        ({"success_after_error": "no"}, "success_after_error='no' must be True or False"),
        ({"stop_on_success": 1}, "stop_on_success=1 must be True or False"),
        ({"apps": "com.a"}, "apps='com.a' must be a list of packages"),
        ({"solution": [open_app]}, "which is not a move such as tap(…)"),
        ({"probes": {"a": "select 1"}}, "probes['a']='select 1' is not a probe such as sqlite(…)"),
    ],
)
def test_a_field_that_is_invalid_is_reported_where_the_task_stands(
    fields: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(TaskError, match=re.escape(complaint)):
        task(**{"goal": "Do it.", **fields})


def test_a_task_is_a_marker_with_its_fields() -> None:
    decorator: Any = task("Do it.", level=2)
    mark = decorator.mark
    assert (mark.name, mark.args, mark.kwargs) == (
        "mobile_task",
        (),
        {"goal": "Do it.", "level": 2},
    )


@pytest.mark.parametrize(
    ("fields", "packages"),
    [
        ({}, ()),
        ({"app": "a"}, ("a",)),
        ({"apps": ["b", "a"]}, ("b", "a")),
        ({"app": "a", "apps": ["b", "a", "b"]}, ("a", "b")),
    ],
)
def test_packages_are_all_apps_once_the_first_one_first(
    fields: dict[str, Any], packages: tuple[str, ...]
) -> None:
    assert Task("Do it.", **fields).packages == packages


@pytest.mark.parametrize(
    ("fields", "shortest"),
    [
        ({}, None),
        ({"golden_steps": 5}, 5),
        ({"solution": SOLUTION}, 2),
        ({"solution": SOLUTION, "golden_steps": 5}, 5),
        ({"solution": [answer("b")]}, None),
    ],
)
def test_golden_steps_are_given_or_counted(fields: dict[str, Any], shortest: int | None) -> None:
    assert Task("Do it.", **fields).shortest == shortest


@pytest.mark.parametrize(
    ("fields", "factor", "limit"),
    [
        ({}, 2.0, DEFAULT_STEP_LIMIT),
        ({"golden_steps": 5}, 2.0, 10),
        ({"golden_steps": 5}, 1.5, 8),
        ({"golden_steps": 50}, 1.1, 55),
        ({"golden_steps": 3}, 1e-9, 1),
        ({"solution": SOLUTION}, 3.0, 6),
        ({"golden_steps": 5, "step_limit": 7}, 2.0, 7),
    ],
)
def test_the_step_limit_is_given_or_follows_from_the_golden_steps(
    fields: dict[str, Any], factor: float, limit: int
) -> None:
    assert Task("Do it.", **fields).limit(factor) == limit


@pytest.mark.parametrize("factor", [1e308, float("inf"), float("nan"), 10.0**6, 10**400])
def test_an_excessive_step_factor_is_reported(factor: float) -> None:
    with pytest.raises(
        TaskError, match=r"2 golden steps times a step factor of .* lower mobile_step"
    ):
        Task("Do it.", golden_steps=2).limit(factor)
    assert Task("Do it.", golden_steps=2, step_limit=3).limit(factor) == 3


@given(st.integers(1, 1000), st.floats(0.01, 100))
def test_a_step_limit_lets_the_golden_steps_through_where_the_factor_does(
    golden: int, factor: float
) -> None:
    limit = Task("Do it.", golden_steps=golden).limit(factor)
    assert limit >= 1
    assert -1e-5 <= limit - golden * factor <= 1


def test_a_goal_speaks_of_parameters_and_of_the_phones_clock() -> None:
    goal = Task("Wake me at {hour} on {tomorrow:%A}, {now}.")
    filled = fill(goal.goal, goal.values({"hour": 7, "now": "please"}, NOW))
    assert filled == "Wake me at 7 on Tuesday, please."


def test_a_task_may_have_probes() -> None:
    probe = setting("global", "airplane_mode_on")
    assert Task("Do it.", probes={"plane": probe}).probes == {"plane": probe}
