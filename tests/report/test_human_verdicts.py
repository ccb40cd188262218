"""Tests of people's verdicts in the report: an entry is rewritten, and restored if withdrawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.report.human_verdicts import (
    apply_verdict,
    apply_verdicts,
    as_run,
    decidable,
    was_undecided,
)
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.verdict import Verdict, of_person

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry


PASS, FAIL = of_person(True, "ann", "the lamp is on"), of_person(False, "bob")
EPISODE = {"episode": "episodes/t.0", "steps": 6, "golden_steps": 4}
DONE = {**EPISODE, "termination": "self-reported"}


def entry(result: Any, outcome: str, success: bool | None, **fields: Any) -> Entry:
    return result(success, outcome=outcome, **{**DONE, **fields})


# The run's outcome, success and fault; the person's verdict; the resulting outcome and fault.
TABLE: dict[str, tuple[tuple[str, bool | None, str | None], Verdict, tuple[str, str | None]]] = {
    "review, passed": (("review", None, None), PASS, ("passed", None)),
    "review, failed": (("review", None, None), FAIL, ("failed", "agent")),
    "a check's failure": (("failed", False, "agent"), PASS, ("passed", None)),
    "a check's success": (("passed", True, None), FAIL, ("failed", "agent")),
    "agreed": (("passed", True, None), PASS, ("passed", None)),
    "xfail, met": (("xfailed", False, None), PASS, ("xpassed", None)),
    "xfail, not met": (("xpassed", True, None), FAIL, ("xfailed", None)),
    "strict xfail, met": (("failed", True, "agent"), PASS, ("failed", "agent")),
    "strict xfail, not met": (("failed", True, "agent"), FAIL, ("xfailed", None)),
    "a judge was down": (("error", None, "judge"), PASS, ("passed", None)),
}


@pytest.mark.parametrize(("run", "verdict", "decided"), TABLE.values(), ids=TABLE)
def test_person_decides(result, run, verdict, decided):
    before = entry(result, run[0], run[1], fault=run[2], reason="the run's own", tags=["lamps"])
    after = apply_verdict(before, verdict)
    assert (after.outcome, after.fault, after.success) == (*decided, verdict.passed)
    assert after.verdict is not None
    assert after.verdict["scorer"] == "person"
    assert (after.as_run or {})["reason"] == "the run's own"
    assert apply_verdict(after, verdict) == after
    assert apply_verdict(apply_verdict(after, FAIL), PASS) == apply_verdict(before, PASS)
    for back in (None, Verdict(False), Verdict(None, "judges")):
        assert apply_verdict(after, back) == before


ENDS = {
    "self-reported, passed": ("self-reported", PASS, (1.5, False, False)),
    "self-reported, failed": ("self-reported", FAIL, (None, True, False)),
    "step limit, passed": ("step limit", PASS, (1.5, False, True)),
    "step limit, failed": ("step limit", FAIL, (None, False, False)),
    "gave up": ("gave up", FAIL, (None, False, False)),
}


@pytest.mark.parametrize(("ended", "verdict", "numbers"), ENDS.values(), ids=ENDS)
def test_consequences_of_a_verdict_follow_from_a_persons_too(result, ended, verdict, numbers):
    after = apply_verdict(entry(result, "review", None, termination=ended), verdict)
    assert (after.step_ratio, after.premature, after.overdue) == numbers


def test_first_success_step_is_kept_only_if_the_person_agrees(result):
    found: dict[str, Any] = {"step_efficiency": 2.0, "progress": 1.0}
    before = entry(result, "passed", True, first_success_step=4, partial_credit=1.0, **found)
    agreed, not_so = apply_verdict(before, PASS), apply_verdict(before, FAIL)
    assert (agreed.first_success_step, agreed.partial_credit) == (4, 1.0)
    assert (not_so.first_success_step, not_so.partial_credit) == (None, None)
    assert replace(agreed, **found) == agreed
    assert not_so.step_efficiency is not_so.progress is None
    assert as_run(not_so) == before


def test_reason_names_the_person_and_the_note(result):
    before = entry(result, "review", None)
    assert apply_verdict(before, PASS).reason == "passed by ann: the lamp is on"
    assert apply_verdict(before, FAIL).reason == "failed by bob"
    assert apply_verdict(before, Verdict(True, "person")).reason == "passed by a person"
    assert was_undecided(apply_verdict(before, PASS))
    assert not was_undecided(apply_verdict(entry(result, "failed", False), PASS))


@pytest.mark.parametrize(
    "fields",
    [
        {"outcome": "error", "fault": "budget"},
        {"outcome": "skipped"},
        {"outcome": "review", "episode": None},
        {"outcome": "of a newer version"},
    ],
)
def test_an_incomplete_episode_cannot_be_decided(result, fields):
    before = result(None, **{**DONE, **fields})
    assert apply_verdict(before, PASS) == before
    assert not decidable(before)
    assert not was_undecided(before)


def test_summary_is_recomputed_and_unknown_fields_are_kept(result):
    tasks: list[Any] = [
        entry(result, "review", None, id=name, suite="lamps", nodeid=name, extra={"mood": "bright"})
        for name in "abc"
    ]
    report = document({"id": "r"}, {task.nodeid: task for task in tasks})
    report = {**report, "schema_version": 2.5, "gate": {"status": 0}}
    report["summary"]["weather"] = "fine"
    verdicts = {"a": PASS, "b": FAIL}
    after = apply_verdicts(report, lambda task: verdicts.get(task.id))
    summary = after["summary"]
    assert (summary["successes"], summary["decided"], summary["review"]) == (1, 2, 1)
    assert summary["suites"]["lamps"]["success_rate"] == 0.5
    kept = after["gate"], after["schema_version"], summary["weather"]
    assert kept == ({"status": 0}, 2.5, "fine")
    assert [task.extra for task in after["tasks"]] == [{"mood": "bright"}] * 3
    assert apply_verdicts(after, lambda _: None) == report
