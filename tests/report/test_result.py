from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Finish, Impossible, Step, Tap, Termination, Usage
from pytest_mobileagent.episode import TaskRecord
from pytest_mobileagent.report.result import Result, measures

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action, Episode, Screen

REPORTED, LIMITED = Termination.SELF_REPORTED, Termination.STEP_LIMIT


@pytest.mark.parametrize(
    ("success", "termination", "premature", "overdue"),
    [
        (True, REPORTED, False, False),
        (False, REPORTED, True, False),
        (True, LIMITED, False, True),
        (False, LIMITED, False, False),
        (False, Termination.AGENT_ERROR, False, False),
        (False, Termination.TIME_LIMIT, False, False),
        (None, REPORTED, None, None),
        (None, LIMITED, None, None),
    ],
)
def test_who_stopped_too_early_and_who_too_late(
    make_episode: Callable[..., Episode],
    success: bool | None,
    termination: Termination,
    premature: bool | None,
    overdue: bool | None,
) -> None:
    measured = measures(make_episode(Tap(1, 1), termination=termination), success)
    assert (measured["premature"], measured["overdue"]) == (premature, overdue)
    assert (measured["success"], measured["termination"]) == (success, termination.value)


@pytest.mark.parametrize(
    ("actions", "golden", "success", "ratio"),
    [
        ([Tap(1, 1)] * 6, 4, True, 1.5),
        ([Tap(1, 1)] * 2, 4, True, 0.5),
        ([Tap(1, 1)] * 4 + [Finish()], 4, True, 1.0),
        ([Impossible()], 4, True, 0.0),
        ([Tap(1, 1)] * 6, 4, False, None),
        ([Tap(1, 1)] * 6, 4, None, None),
        ([Tap(1, 1)] * 6, None, True, None),
    ],
)
def test_the_step_ratio_is_of_successes_with_known_golden_steps(
    make_episode: Callable[..., Episode],
    actions: list[Action],
    golden: int | None,
    success: bool | None,
    ratio: float | None,
) -> None:
    episode = make_episode(*actions, task=TaskRecord("t", "Do it.", golden_steps=golden))
    measured = measures(episode, success)
    assert (measured["step_ratio"], measured["golden_steps"]) == (ratio, golden)


def test_costs_and_seconds_are_the_episodes(
    make_episode: Callable[..., Episode], make_screen: Callable[..., Screen]
) -> None:
    screen = make_screen()
    steps = (
        Step(screen, Tap(1, 1), usage=Usage(10, 1, 0.5)),
        Step(screen, Tap(1, 1), usage=Usage(5, 2, 0.25)),
        Step(screen, Finish()),
    )
    measured = measures(make_episode(screens=(screen,), steps=steps, seconds=3.00049), True)
    names = ("steps", "seconds", "seconds_per_step", "input_tokens", "output_tokens", "cost_usd")
    assert [measured[name] for name in names] == [2, 3.0, 1.5, 15, 3, 0.75]
    assert measures(make_episode(Finish(), seconds=3.0), True)["seconds_per_step"] is None


def test_a_result_is_plain_data(make_episode: Callable[..., Episode]) -> None:
    measured: dict[str, Any] = measures(make_episode(Tap(1, 1), termination=REPORTED), True)
    wire = Result("id", "nodeid", reason="half \ud83d", **measured).to_wire()
    assert json.loads(json.dumps(wire)) == wire
    assert type(wire["termination"]) is str
    assert wire["reason"] == "half ?"
