"""Tests of tasks that are expected but that the run lacks, and of samples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.report.gate.decide import GateDecision, decide
from pytest_mobileagent.report.gate.missing import is_same_selection, mostly_skipped, sample_of
from pytest_mobileagent.report.gate.rule import InterimAnalyses
from pytest_mobileagent.report.gate.spec import Bound, Gate
from tests.report.gate.entries import entries, many

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry

GATE = Gate((Bound("success_rate", min=0.5),))
AGAINST = Gate((Bound("success_rate", baseline=True),))
ONCE = InterimAnalyses((2,))


def skipped(name: str, app: str | None, why: str | None = "app") -> list[Entry]:
    return [replace(each, skipped_for=why) for each in entries({name: "ss"}, app=app)]


def test_tasks_without_their_app_are_inconclusive():
    run = [
        *entries(many(4, "PP")),
        *skipped("maps", "com.example.maps"),
        *skipped("route", "com.example.maps"),
        *skipped("mail", None),
    ]
    decision = decide(GATE, run, None, ONCE, 0)
    assert decision.status == 8
    assert decision.line == (
        "INCONCLUSIVE: 3 tasks were skipped for want of apps: com.example.maps (maps, route), an "
        "app (mail); install them, or set allow_skipped = true in the gate's file"
    )


def test_tasks_without_a_listener_leave_a_gate_open_unless_it_allows_that():
    run = entries(many(4, "PP")) + skipped("events", None, "listener")
    decision = decide(GATE, run, None, ONCE, 0)
    assert decision.status == 8
    assert "1 task was skipped for want of what devices lack: listener (events)" in decision.line
    assert decide(Gate(GATE.bounds, allow_skipped=True), run, None, ONCE, 0).status == 0


@pytest.mark.parametrize("allow", [False, True])
def test_tasks_without_a_recorded_episode_leave_a_gate_open(allow):
    run = entries(many(4, "PP")) + skipped("timer", None, "record") + skipped("old", None, "record")
    decision = decide(Gate(GATE.bounds, allow_skipped=allow), run, None, ONCE, 0)
    assert decision.status == 8
    assert decision.line == (
        "INCONCLUSIVE: 2 tasks have no recorded episode: timer, old; finish that run with "
        "--mobile-resume first"
    )


@pytest.mark.parametrize("metric", ["errors", "premature", "skipped"])
def test_a_number_over_no_episode_passes_no_gate(metric):
    gate = Gate((Bound(metric, max=2, suite="clock"),), allow_skipped=True)
    run = skipped("maps", "com.example.maps")
    others = entries(many(4, "PP"), suite="notes")
    decision = decide(gate, [*run, *others], None, ONCE, 0)
    assert decision.status == 8
    assert decision.line.endswith("but no episode was run: every task was skipped")
    decision = decide(gate, others, run, ONCE, 0)  # only the baseline has the suite
    assert decision.status == 8
    assert decision.line.endswith("but no episode was run: this run has no such task")


@pytest.mark.parametrize("why", ["solution", "test", None])
def test_tasks_skipped_for_another_reason_are_left_out(why):
    run = entries(many(4, "PP")) + skipped("maps", "com.example.maps", why)
    assert decide(GATE, run, None, ONCE, 0).status == 0
    assert decide(GATE, entries(many(4, "PP") | {"old": "s"}), None, ONCE, 0).status == 0


def test_a_violated_bound_fails_anyway():
    run = entries(many(4, "FF")) + skipped("maps", "com.example.maps")
    assert decide(GATE, run, None, ONCE, 0).status == 1


def test_long_list_of_tasks_is_truncated():
    run = entries(many(4, "PP"))
    run += [each for n in range(8) for each in skipped(f"m{n}", "com.example.maps")]
    assert (
        "an app: com.example.maps (m0, m1, m2, m3, m4, and 3 more); install"
        in decide(GATE, run, None, ONCE, 0).line
    )


WHOLE = many(100, "PP")
MISSING = (
    "INCONCLUSIVE: 20 of the baseline's 100 tasks are missing (20 not selected: t80, t81, t82, t83,"
    " t84, and 15 more): run them, or take a baseline of the same selection; of the others: "
    "success_rate +0.0 points"
)


def against(
    tasks: list[Entry], *, same_selection: bool = False, allow: bool = False
) -> GateDecision:
    gate = Gate(AGAINST.bounds, allow_skipped=allow)
    return decide(gate, tasks, entries(WHOLE), ONCE, 0, same_selection=same_selection)


def test_run_without_some_baseline_tasks_does_not_pass():
    decision = against(entries(many(80, "PP")))
    assert decision.line.startswith(MISSING)
    assert decision.status == 8
    assert against(entries(many(99, "PP"))).line.startswith(
        "INCONCLUSIVE: 1 of the baseline's 100 tasks is missing (1 not selected: t99): run"
    )


def test_tasks_removed_under_the_same_selection_are_not_missing():
    assert against(entries(many(80, "PP")), same_selection=True).status == 0


def test_skipped_tasks_are_missing_under_any_selection():
    run = entries(many(80, "PP") | {f"tasks/clock/t{n}": "ss" for n in range(80, 100)})
    for same_selection in (False, True):
        decision = against(run, same_selection=same_selection)
        assert "20 of the baseline's 100 tasks are missing (20 skipped: t80" in decision.line
        assert decision.status == 8


def test_allowing_skipped_tasks_excludes_them_from_the_baseline():
    run = [*entries(many(99, "PP")), *skipped("tasks/clock/t99", "com.example.maps")]
    assert against(run).status == 8
    assert against(run, allow=True).status == 0


def test_tasks_that_the_baseline_never_decided_are_not_missed():
    before = entries(many(99, "PP") | {"broken": "EE", "skipped": "ss"})
    assert decide(AGAINST, entries(many(99, "PP")), before, ONCE, 0).status == 0
    assert against(entries(many(80, "FF"))).status == 1, "missing tasks hide no FAIL"


def test_only_tasks_of_the_bound_can_be_missing():
    bound = Bound("success_rate", baseline=True, suite="clock")
    notes = [replace(each, suite="notes") for each in entries({"a": "PP"})]
    decision = decide(Gate((bound,)), entries(WHOLE), entries(WHOLE) + notes, ONCE, 0)
    assert decision.status == 0


PATHS = {"paths": ["tasks"]}
LAST_FAILED = {**PATHS, "--last-failed": True}


@pytest.mark.parametrize(
    ("run", "baseline", "same_selection"),
    [
        ({"selection": PATHS}, {"selection": PATHS}, True),
        ({"selection": PATHS}, {"selection": {**PATHS, "-k": "easy"}}, False),
        ({"selection": PATHS, "shard": "1/2"}, {"selection": PATHS}, False),
        ({"selection": LAST_FAILED}, {"selection": LAST_FAILED}, False),  # each had its own cache
        (
            {"selection": PATHS, "merged_from": ["a", "b"], "missing_shards": ["2/3"]},
            {"selection": PATHS, "merged_from": ["a", "b"]},
            False,
        ),
        ({"selection": PATHS, "shard": None}, {"selection": PATHS, "merged_from": ["a"]}, False),
        ({}, {}, False),  # written by an older version
    ],
)
def test_runs_are_selected_alike_if_their_options_are_equal(run, baseline, same_selection):
    assert is_same_selection(run, baseline) is same_selection


UNCLEAR = entries({f"tasks/clock/t{n}": "RR" for n in range(40)}, unclear=True)


def test_unclear_answers_count_as_failed_on_both_sides():
    """A vague agent must not leave a gate open, and a vague baseline must not fail a clear one."""
    assert decide(GATE, UNCLEAR, None, ONCE, 0).line == "FAIL: success_rate 0 (at least 0.5)"
    clear = entries(many(40, "PP"))
    assert decide(AGAINST, UNCLEAR, clear, ONCE, 0).status == 1
    assert decide(AGAINST, clear, UNCLEAR, ONCE, 0).status == 0
    assert decide(Gate((), ("tasks/clock/t1",)), UNCLEAR, None, ONCE, 0).status == 1
    decision = decide(Gate((Bound("unclear", max=10),)), UNCLEAR, None, ONCE, 0)
    assert decision.line.startswith("FAIL: unclear 80 (at most 10)")


DOCTOR = ["mobileagent", "doctor", "--tasks", "tasks/my shop"]
ONLY = "only 38 of 301 selected tasks can"
KNOWN = "as far as is known before a phone is used"


def counts(*numbers):
    return dict(zip(("tasks", "selected", "can_run", "will_be_skipped"), numbers, strict=True))


@pytest.mark.parametrize(
    ("drawn", "lines"),
    [
        (counts(6, 300, 300, 0), []),
        ({}, []),  # a run without a sample, or of an older version
        (
            counts(6, 301, 38, 0),
            [f"sample: drawn from the 38 of 301 tasks that can run here, {KNOWN}"],
        ),
        (
            counts(100, 301, 38, 62),
            [f"sample: 62 of its 100 tasks cannot run here: {ONLY}, {KNOWN}"],
        ),
        (
            counts(1, 2, 0, 1),
            [f"sample: 1 of its 1 task cannot run here: none of 2 selected tasks can, {KNOWN}"],
        ),
    ],
)
def test_a_sample_says_what_it_was_drawn_from(drawn, lines):
    assert sample_of(drawn) == lines


def skipped_because(result, name, why="web", **fields):
    return result(None, id=name, outcome="skipped", skipped_for=why, **fields)


def test_more_than_half_of_the_tasks_skipped_names_the_command_that_says_why(result):
    results = [
        skipped_because(result, "one"),
        skipped_because(result, "two", "app"),
        result(True, id="three"),
    ]
    (line,) = mostly_skipped(results, DOCTOR)
    assert line.startswith("most tasks were skipped: 2 of 3; what the devices lack: ")
    assert line.endswith("mobileagent doctor --tasks 'tasks/my shop'")
    assert not mostly_skipped([*results, result(False, id="four")], DOCTOR), "half is not most"
    assert not mostly_skipped([], DOCTOR)


def test_tasks_are_counted_rather_than_their_epochs(result):
    epochs = [skipped_because(result, "one", epoch=epoch) for epoch in range(5)]
    assert not mostly_skipped([*epochs, result(True, id="two")], DOCTOR)
    some = [skipped_because(result, "one"), result(True, id="one", epoch=1)]
    assert not mostly_skipped(some, DOCTOR), "a task that ran once was not skipped"


@pytest.mark.parametrize("why", ["test", "record"])
def test_the_command_is_not_named_for_skips_that_no_device_explains(result, why):
    (line,) = mostly_skipped([skipped_because(result, "one", why)], DOCTOR)
    assert line == "most tasks were skipped: 1 of 1"
