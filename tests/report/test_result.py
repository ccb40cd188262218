"""Tests of what is derived from an episode and its verdict."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_mobileagent import Case, ModelCall, Step, Task, Termination
from pytest_mobileagent.action import Ask, Finish, Impossible, Type, Wait
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.episode.event import Crash
from pytest_mobileagent.jsonable import to_line, to_wire
from pytest_mobileagent.report.entry import Entry
from pytest_mobileagent.report.result import (
    Result,
    invalid,
    measures,
    no_effect,
    progress,
    repeated,
    unfocused,
)
from pytest_mobileagent.verdict import Verdict

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
        (None, REPORTED, None, None),
        (None, LIMITED, None, None),
    ],
)
def test_premature_and_overdue_reports(make_episode, success, termination, premature, overdue):
    measured = measures(make_episode(Tap(1, 1), termination=termination), success, 1)
    assert (measured["premature"], measured["overdue"]) == (premature, overdue)
    assert measured["termination"] == termination.value


def test_crashes_are_unknown_without_a_log(make_episode):
    crash = Crash("native crash", "com.example.water", "SIGSEGV")
    episode = make_episode(Tap(1, 1), Tap(1, 1))
    crashed = [replace(step, crashes=(crash,)) for step in episode.steps]
    assert measures(episode, None, None)["crashes"] is None
    assert measures(replace(episode, is_logged=True), None, None)["crashes"] == 0
    # Crashes that were seen before the log became unreadable still count.
    assert measures(replace(episode, steps=tuple(crashed)), None, None)["crashes"] == 2


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
def test_step_ratio_needs_success_and_golden_steps(make_episode, actions, golden, success, ratio):
    assert measures(make_episode(*actions), success, golden)["step_ratio"] == ratio


def test_costs_and_seconds_come_from_the_episode(make_episode, make_screen):
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


def test_judge_costs_have_their_own_role(make_episode):
    asked = (ModelCall("m", input_tokens=10, price_usd=0.5), ModelCall("n", "planner"))
    episode = make_episode(Tap(1, 1), unused=asked)
    call = ModelCall("j", "judge", input_tokens=7, price_usd=0.25)
    verdicts = [Verdict(True, "judges", calls=(call,)), Verdict(False, "judge", calls=(call,))]
    case = Case(Task("Do it."), "id", "suite", "nodeid")
    judged = Result(case, "passed", episode=episode, verdict=verdicts[0], beside=verdicts[1])
    wire = judged.entry()
    costs = {role: spent.cost_usd for role, spent in (wire.roles or {}).items()}
    assert costs == {"actor": 0.5, "planner": None, "judge": 0.5}
    assert (wire.cost_usd, wire.input_tokens) == (0.5, 10)
    assert wire.judged == {"passed": False, "reason": ""}


def test_result_is_plain_data(make_episode):
    case = Case(Task("Do it.", app="com.app", tags=("smoke",)), "id", "suite", "nodeid")
    verdict = Verdict(True, reason="half \ud83d", first_step=1, partial_credit=0.5)
    episode = make_episode(Tap(1, 1), termination=REPORTED)
    wire = Result(case, "passed", reason=verdict.reason, episode=episode, verdict=verdict).entry()
    assert Entry.from_json(json.loads(to_line(wire))) == Entry.from_json(to_wire(wire))
    assert type(wire.termination) is str
    assert (to_wire(wire)["reason"], wire.success, wire.partial_credit) == ("half ?", True, 0.5)
    assert (wire.app, wire.tags, wire.first_success_step) == ("com.app", ["smoke"], 1)
    undone = Result(case, "not run", fault="infrastructure").entry()
    assert (undone.steps, undone.termination, undone.cost_usd, undone.success) == (None,) * 4
    assert measures(None, None, None) == {}


A, B = Tap(1, 1), Tap(2, 2)


def test_step_without_effect_changes_neither_tree_nor_screenshot(make_episode, make_screen):
    one, other = make_screen("one"), make_screen("other")
    episode = make_episode(A, A, B, screens=(one, one, other, one))
    assert no_effect(episode) == [True, False, False]


def test_waiting_asking_and_reporting_cannot_lack_an_effect(make_episode, make_screen):
    same = make_screen("same")
    episode = make_episode(Wait(1), Ask("?"), [A, Finish()], screens=(same,) * 4)
    assert no_effect(episode) == [False, False, False]  # Nothing is observed after a report.
    assert repeated(make_episode(Wait(1), Wait(1), screens=(same,) * 3)) == [False, False]


def test_repeated_step_is_recognised_after_any_number_of_steps(make_episode, make_screen):
    one, other = make_screen("one"), make_screen("other")
    episode = make_episode(A, A, [A, B], A, screens=(one, other, one, one, other))
    assert repeated(episode) == [False, False, False, True]


FIELD = {"text": "", "class": "android.widget.EditText"}
LIST = {"text": "", "class": "android.widget.ListView", "focused": "true"}
KEYS = {"text": "q", "package": "com.android.inputmethod.latin"}


def test_typing_before_a_field_has_the_focus_is_unfocused(make_episode, make_screen):
    plain, listed, typed = make_screen(FIELD), make_screen(LIST, FIELD), Type("Oslo")
    focused, keys = make_screen({**FIELD, "focused": "true"}), make_screen(FIELD, KEYS)
    cases = [
        (typed, (plain, plain), True),
        (typed, (listed, plain), True),  # A list has the focus, and accepts no text.
        ([typed, A], (plain, plain), True),
        ([Wait(1), typed], (plain, plain), True),
        (typed, (focused, plain), False),
        (typed, (keys, plain), False),
        # The app may have used the first key to start a search, for example.
        (typed, (plain, focused), False),
        ([A, typed], (plain, plain), False),  # The tap may have moved the focus.
        (Type("Oslo", at=(1, 1)), (plain, plain), False),
        (typed, (make_screen(), make_screen()), False),  # Nothing is known about these screens.
        (A, (plain, plain), False),
    ]
    for actions, screens, expected in cases:
        episode = make_episode(actions, screens=screens)
        assert unfocused(episode) == [expected], (actions, screens)
        assert measures(episode, False, None)["unfocused_steps"] == expected


def test_a_failed_action_is_invalid_and_neither_of_the_others(make_episode, make_screen):
    same = make_screen("same")
    beyond = Step(same, (Tap(9999, 1),), notice="beyond the screen", undone=1)
    mute = Step(same, notice="no action could be found in your reply")
    episode = make_episode(screens=(same,), steps=(beyond, beyond, mute))
    assert invalid(episode) == 3
    assert no_effect(episode) == repeated(episode) == [False] * 3
    measured = measures(episode, False, None)
    assert measured["invalid_actions"] == 3


def test_latency_includes_agent_and_phone(make_episode, make_screen):
    step = Step(make_screen("a"), (A, B), seconds_thinking=3.0, seconds_acting=1.0)
    episode = make_episode(screens=(make_screen("a"),), steps=(step, step), seconds=60.0)
    assert measures(episode, True, None)["latency"] == 2.0  # Our own 52 seconds do not count.
    assert measures(make_episode(Finish()), True, None)["latency"] is None


def test_progress_counts_sub_goals_met_on_the_way():
    def subgoal(weight: float, held: bool, first: int | None) -> dict[str, object]:
        return {"name": "a", "weight": weight, "held": held, "first_step": first}

    lost, never, kept = subgoal(2, False, 3), subgoal(1, False, None), subgoal(1, True, None)
    assert progress([lost, never, kept]) == 0.75
    assert progress([]) is progress(None) is None
