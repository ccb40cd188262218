from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Case, Finish, Impossible, ModelCall, Step, Tap, Task, Termination
from pytest_mobileagent.report.result import Result, measures
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action, Episode, Screen

REPORTED, LIMITED = Termination.SELF_REPORTED, Termination.STEP_LIMIT


@pytest.mark.parametrize(
    ("success", "termination", "premature", "overdue"),
    [
        (True, REPORTED, False, False),
        (False, REPORTED, True, False),
        (False, Termination.GAVE_UP, False, False),
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
    measured = measures(make_episode(Tap(1, 1), termination=termination), success, 1)
    assert (measured["premature"], measured["overdue"]) == (premature, overdue)
    assert measured["termination"] == termination.value


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
        ([Tap(1, 1)], 10**400, True, 0.0),
    ],
)
def test_the_step_ratio_is_of_successes_with_known_golden_steps(
    make_episode: Callable[..., Episode],
    actions: list[Action],
    golden: int | None,
    success: bool | None,
    ratio: float | None,
) -> None:
    assert measures(make_episode(*actions), success, golden)["step_ratio"] == ratio


def test_costs_and_seconds_are_the_episodes(
    make_episode: Callable[..., Episode], make_screen: Callable[..., Screen]
) -> None:
    screen = make_screen()
    actor = ModelCall("m", input_tokens=10, output_tokens=1, price_usd=0.5)
    planner = ModelCall("n", "planner", input_tokens=5)
    steps = (
        Step(screen, (Tap(1, 1), Tap(2, 2)), calls=(actor, planner), seconds_thinking=0.5),
        Step(screen, (Tap(1, 1),), calls=(actor,), seconds_acting=0.25),
        Step(screen, (Finish("42"),)),
    )
    measured = measures(make_episode(screens=(screen,), steps=steps, seconds=3.00049), True, None)
    names = ("steps", "actions", "answer", "calls", "seconds", "seconds_per_step")
    assert [measured[name] for name in names] == [2, 3, "42", 3, 3.0, 1.5]
    assert (measured["thinking_seconds"], measured["acting_seconds"]) == (0.5, 0.25)
    assert (measured["input_tokens"], measured["output_tokens"]) == (25, 2)
    assert (measured["cost_usd"], measured["unpriced_calls"]) == (1.0, 1)
    assert measured["cached_tokens"] is None
    done = make_episode(Finish(), seconds=3.0)
    assert measures(done, True, None)["seconds_per_step"] is None
    assert measures(done, True, None)["cost_usd"] is None


def test_judges_cost_as_a_role_of_their_own(make_episode: Callable[..., Episode]) -> None:
    asked = (ModelCall("m", input_tokens=10, price_usd=0.5), ModelCall("n", "planner"))
    episode = make_episode(Tap(1, 1), unused=asked)
    call = ModelCall("j", "judge", input_tokens=7, price_usd=0.25)
    verdicts = [Verdict(True, "judges", calls=(call,)), Verdict(False, "judge", calls=(call,))]
    case = Case(Task("Do it."), "id", "suite", "nodeid")
    judged = Result(case, "passed", episode=episode, verdict=verdicts[0], beside=verdicts[1])
    wire = judged.to_wire()
    assert {role: spent["cost_usd"] for role, spent in (wire["roles"] or {}).items()} == {
        "actor": 0.5,
        "planner": None,
        "judge": 0.5,
    }
    assert (wire["cost_usd"], wire["input_tokens"]) == (0.5, 10)
    assert wire["judged"] == {"passed": False, "reason": ""}


def test_a_result_is_plain_data(make_episode: Callable[..., Episode]) -> None:
    case = Case(Task("Do it.", app="com.app", tags=("smoke",)), "id", "suite", "nodeid")
    verdict = Verdict(True, reason="half \ud83d", first_step=1, partial_credit=0.5)
    episode = make_episode(Tap(1, 1), termination=REPORTED)
    wire = Result(case, "passed", reason=verdict.reason, episode=episode, verdict=verdict).to_wire()
    assert json.loads(json.dumps(wire)) == wire
    assert type(wire["termination"]) is str
    assert (wire["reason"], wire["success"], wire["partial_credit"]) == ("half ?", True, 0.5)
    assert (wire["app"], wire["tags"], wire["first_success_step"]) == ("com.app", ["smoke"], 1)


def test_without_an_episode_all_measures_are_unknown() -> None:
    wire = Result(Case(Task("Do it."), "id"), "not run", fault="infrastructure").to_wire()
    measured = measures(None, None, None)
    assert set(measured.values()) == {None}
    assert {**wire, **measured} == wire
    assert (wire["success"], wire["fault"]) == (None, "infrastructure")
