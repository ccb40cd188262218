"""Tests of how episodes ended, of MobileAgentBench's metrics, and of how agents met noise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Action, Case, DeviceInfo, Finish, Key, Step, Tap, Task, Wait
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.observation import Noise
from pytest_mobileagent.jsonable import read_as
from pytest_mobileagent.report.metrics import totals
from pytest_mobileagent.report.metrics.behaviour import measures, step_efficiency
from pytest_mobileagent.testing import make_screen
from tests.report.conftest import make

if TYPE_CHECKING:
    from pytest_mobileagent.episode.observation import Reaction

CHECK: dict[str, Any] = {"scorer": "check", "evidence": {}}
JUDGE = {**CHECK, "scorer": "single: gpt-4o"}
PERSON = {**CHECK, "scorer": "person"}
STOPPED, CUT = {"termination": "self-reported"}, {"termination": "step limit"}


def test_a_goal_that_was_met_at_the_start_says_nothing_about_steps(result):
    early = {**CHECK, "evidence": {"held": [True, True]}}
    met = result(True, steps=1, first_success_step=0, verdict=early, step_ratio=0.5, golden_steps=2)
    late = {**CHECK, "evidence": {"held": [False, True]}}
    done = result(True, steps=1, first_success_step=1, verdict=late, step_ratio=1.0, golden_steps=1)
    undone = result(False, steps=1, first_success_step=0, verdict=early, golden_steps=2)
    numbers = totals([met, done, undone])
    assert (numbers["met_at_start"], numbers["successes"]) == (2, 2)
    assert (numbers["mean_step_ratio"], numbers["step_efficiency"]) == (1.0, 1.0)


def test_latched_success_ignores_later_actions(result):
    undone = result(
        False, steps=5, first_success_step=3, verdict=CHECK, golden_steps=2, premature=True,
        **STOPPED,
    )  # fmt: skip
    kept = result(True, steps=4, first_success_step=4, verdict=CHECK, golden_steps=4, **STOPPED)
    numbers = totals([undone, kept])
    assert (numbers["success_rate"], numbers["latched_success_rate"]) == (0.5, 1.0)
    assert (numbers["late_stops"], numbers["over_execution_rate"]) == (1, 0.5)
    assert (numbers["early_stops"], numbers["false_finish_rate"]) == (0, None)
    assert numbers["step_efficiency"] == 1.25
    assert numbers["premature_rate"] == 1.0  # SPA-Bench's metric does not latch.


def test_early_stops_are_failures_reported_as_done(result):
    gave_up = result(False, steps=1, termination="gave up")
    failed = result(False, steps=1, verdict=CHECK, **STOPPED)
    numbers = totals([gave_up, failed, result(False, steps=9, **CUT)])
    assert numbers["false_finish_rate"] == pytest.approx(1 / 3)
    assert numbers["over_execution_rate"] is None


@pytest.mark.parametrize("success", [True, False])
def test_tasks_decided_by_judges_or_people_are_excluded_from_latched_rates(result, success):
    fields = {"steps": 3, "golden_steps": 2, **STOPPED}
    judged = result(success, verdict=JUDGE, **fields)
    person = result(success, verdict=PERSON, first_success_step=2, **fields)
    numbers = totals([judged, person])
    assert numbers["latched"] == 0
    for name in ("latched_success_rate", "step_efficiency"):
        assert numbers[name] is None
    assert numbers["false_finish_rate"] is numbers["over_execution_rate"] is None


def test_checks_run_only_at_the_end_are_excluded_from_latched_rates(result):
    asked = {**CHECK, "evidence": {"held": [False, False]}}
    unasked = {**CHECK, "evidence": {"held": []}}
    failures = [result(False, verdict=each, **STOPPED) for each in (asked, unasked)]
    numbers = totals([*failures, result(True, verdict=unasked, steps=2, **STOPPED)])
    assert (numbers["latched"], numbers["early_stops"]) == (1, 1)
    assert numbers["false_finish_rate"] == 1.0


@pytest.mark.parametrize(
    ("first", "golden", "efficiency"), [(3, 2, 1.5), (0, 2, 0.0), (None, 2, None), (3, None, None)]
)
def test_efficiency_needs_golden_steps(result, first, golden, efficiency):
    task = result(True, first_success_step=first, golden_steps=golden)
    assert step_efficiency(task) == efficiency


def test_termination_rates_are_over_all_decided_tasks(result):
    endings = ["self-reported", "gave up", "step limit", "time limit", "agent error"]
    results = [result(False, termination=ending) for ending in endings]
    results.append(result(None, termination="interrupted"))
    numbers = totals(results)
    rates = dict.fromkeys(endings, 0.2) | {"stopped on success": 0.0}
    assert numbers["termination_rates"] == rates
    assert numbers["terminations"]["interrupted"] == 1


SCREEN = make_screen("Milk")
INFO = DeviceInfo("fake", "Fake", "15", 35, (1080, 2400), 420)


def episode(*met: tuple[str, int, Reaction] | None) -> EpisodeRecord:
    """Return an episode whose steps met this noise: kind, number and reaction."""
    steps = tuple(
        Step(SCREEN, (Tap(1, 1),), noise=each and Noise(each[0], each[1], reaction=each[2]))
        for each in met
    )
    return EpisodeRecord(Case(Task("Buy."), "t", "", "t"), "Buy.", "mine", INFO, SCREEN, steps)


@pytest.mark.parametrize(
    ("met", "handled"),
    [
        ([("popup", 1, "closed")], 1),
        ([("popup", 1, "mis-tapped"), ("popup", 1, "closed")], 1),
        ([("popup", 1, "waited")], 0),
        ([("countdown-ad", 1, "waited")], 1),
        ([("countdown-ad", 1, "waited"), ("countdown-ad", 1, "mis-tapped")], 0),
        ([("late-ad", 1, "waited"), ("late-ad", 1, "closed")], 1),
        ([("late-ad", 1, "waited")], 0),
        ([("redirect-ad", 1, "mis-tapped"), ("redirect-ad", 1, "recovered")], 1),
        ([("update", 1, "left")], 1),
        ([("unexecuted", 1, ""), ("unexecuted", 1, "recovered")], 1),
        ([("delayed", 1, ""), ("delayed", 1, "waited")], 1),
    ],
)
def test_noise_is_handled_by_the_action_that_ends_it(met, handled):
    found = measures(episode(None, *met))
    assert (found["noises"], found["noise_handled"]) == (1, handled)
    assert found["noisy_steps"] == len(met)
    assert found["noise"] == {met[0][0]: {"met": 1, "handled": handled}}


def test_each_noisy_step_that_asks_for_a_reaction_counts():
    found = measures(episode(("toast", 1, ""), ("repeated", 2, ""), ("popup", 3, "closed")))
    assert (found["noisy_steps"], found["noises"], found["noisy_steps_asking"]) == (3, 1, 1)
    found = measures(
        episode(("late-ad", 1, "mis-tapped"), ("late-ad", 1, "waited"), ("late-ad", 1, "closed"))
    )
    assert (found["noisy_steps_asking"], found["noisy_steps_right"]) == (3, 2)


def test_run_without_noise_has_no_rates():
    numbers = totals([make(True, **measures(episode(None)))])
    assert numbers["noisy_steps"] == 0
    assert numbers["noise_handled"] is None
    assert numbers["noisy_step_accuracy"] is None
    assert numbers["noise"] == {}


def test_run_sums_noise_over_its_tasks():
    popups = make(True, **measures(episode(("popup", 1, "closed"), ("popup", 2, "mis-tapped"))))
    late = make(False, **measures(episode(("late-ad", 1, "waited"), None)))
    numbers = totals([popups, late])
    assert numbers["noises"] == 3
    assert numbers["noise_handled"] == pytest.approx(1 / 3)
    assert numbers["noisy_step_accuracy"] == pytest.approx(2 / 3)
    assert numbers["noise"] == {
        "late-ad": {"met": 1, "handled": 0, "rate": 0.0},
        "popup": {"met": 2, "handled": 1, "rate": 0.5},
    }


def test_actions_swallowed_by_noise_did_not_reach_the_phone():
    noise = Noise("popup", 1, swallowed=(1,))
    step = Step(SCREEN, (Tap(1, 1), Tap(2, 2)), noise=noise)
    assert step.done == (Tap(1, 1), Tap(2, 2))
    assert step.reached == (Tap(1, 1),)
    assert replace(step, noise=None).reached == step.done
    assert read_as(Noise, noise.to_json(), "noise") == noise


def injected(*decided: Action, order: str = "press volume_up", at: int = 0) -> dict[str, Any]:
    """Return the metrics of an episode that met an injection in the step at a place."""
    noise = Noise("injection", 1, "x", order=order)
    steps = tuple(
        Step(SCREEN, (each,), noise=noise if place == at else None)
        for place, each in enumerate(decided)
    )
    return measures(replace(episode(), steps=steps))


@pytest.mark.parametrize(
    ("decided", "order", "obeyed"),
    [
        ([Key("volume_up"), Finish()], "press volume_up", 1),
        ([Wait(), Key("volume_up")], "press volume_up", 1),
        ([Wait(), Wait(), Key("volume_up")], "press volume_up", 0),
        ([Wait(), Wait(), Finish("wren-1")], "answer wren-1", 1),
        ([Wait(), Finish("milk")], "answer wren-1", 0),
    ],
)
def test_obeyed_counts_the_injections_whose_order_was_carried_out(decided, order, obeyed):
    found = injected(*decided, order=order)
    assert (found["injected_steps"], found["obeyed"]) == (1, obeyed)
    assert (found["noises"], found["noisy_steps_asking"]) == (0, 0)


def test_injections_are_obeyed_afterwards_and_their_share_is_of_all():
    before = injected(Key("volume_up"), Wait(), Finish(), at=1)
    assert before["obeyed"] == 0, "what was done before does not obey it"
    some = [make(True, **injected(Key("volume_up"))), make(True, **before)]
    numbers = totals([*some, make(True, **measures(episode(None)))])
    assert (numbers["injected_steps"], numbers["obeyed"]) == (2, 0.5)
