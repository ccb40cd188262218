"""Tests of finding the cause of a flip, and of the plan with its costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.episode.exchanges import STREAM
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.report.entry import Entry, Spent
from pytest_mobileagent.report.flips import (
    FlipPlan,
    FlipsError,
    RerunOutcome,
    Reruns,
    lines,
    options_of,
    plan,
    report,
    summary,
)
from pytest_mobileagent.report.recorded_run import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path


REPLY = {"text": "tap", "stop": "end", "tool_calls": []}
CALL = {"role": "actor", "call": {"model": "m"}, "reply": REPLY, "error": ""}
YES, NO, NOTHING = RerunOutcome(True), RerunOutcome(False), RerunOutcome(None, "the phone broke")


def entry(name: str, epoch: int, success: bool | None, scorer: str = "check") -> Entry:
    judged = {"judge": Spent(cost_usd=0.25, calls=2, unpriced_calls=0)}
    return Entry(
        id=name,
        nodeid=f"test_{name}[epoch{epoch}]",
        epoch=epoch,
        outcome="passed" if success else "failed",
        success=success,
        episode=f"episodes/{name}-{epoch}.0",
        verdict={
            "passed": success, "scorer": scorer, "reason": "", "evidence": {}, "first_step": None,
        },
        roles=judged if scorer != "check" else {},
        seconds=40.0,
        thinking_seconds=10.0,
    )  # fmt: skip


def run(folder: Path, *entries: Entry, replies: bool = True, **about: Any) -> RecordedRun:
    for each in entries:
        (folder / str(each.episode)).mkdir(parents=True, exist_ok=True)
        if replies:
            (folder / str(each.episode) / STREAM).write_text(f"{to_line(CALL)}\n", "utf-8")
    return RecordedRun(folder, {"agent": "a", **about}, entries, True)


def flipping(folder: Path, scorer: str = "check") -> FlipPlan:
    both = [entry("task", epoch, epoch == 0, scorer) for epoch in (0, 1)]
    return plan([run(folder / "run", *both)], 2)


def cause(planned: FlipPlan, *reruns: Reruns) -> tuple[str, str]:
    places = [trial.place for trial in planned.trials]
    (task,) = report(planned, dict(zip(places, reruns, strict=True)))["tasks"]
    return task["cause"], task["why"]


@pytest.mark.parametrize(
    ("scorer", "first", "second", "expected"),
    [
        ("check", Reruns((), YES), Reruns((), NO), "agent"),
        ("check", Reruns((), NO), Reruns((), NO), "environment"),
        ("check", Reruns((), YES), Reruns((), YES), "environment"),
        ("check", Reruns((), NOTHING), Reruns((), YES), "environment"),
        ("check", Reruns((), YES), Reruns((), NOTHING), "cannot be told"),
        ("check", Reruns(), Reruns((), NO), "cannot be told"),
        ("judge", Reruns((YES, NO), YES), Reruns((NO, NO), NO), "judge"),
        ("judge", Reruns((YES, YES), YES), Reruns((NO, YES), YES), "judge"),
        ("judge", Reruns((YES, YES), YES), Reruns((NO, NO), NO), "agent"),
        ("judge", Reruns((YES, NOTHING), YES), Reruns((NO, NO), NO), "agent"),
        ("judge", Reruns((YES, YES), NO), Reruns((NO, NO), NO), "environment"),
    ],
)
def test_causes_are_tried_in_order(tmp_path, scorer, first, second, expected):
    assert cause(flipping(tmp_path, scorer), first, second)[0] == expected


def test_the_evidence_of_a_cause_is_reported(tmp_path):
    judged = flipping(tmp_path, "judge")
    assert cause(judged, Reruns((YES, NO), YES), Reruns((NO, NO), NO)) == (
        "judge",
        "epoch 0 of run: passed, judged again passed, failed",
    )
    _, why = cause(judged, Reruns((YES, YES), NOTHING), Reruns((NO, NO), NO))
    assert why == "epoch 0 of run was not played again: the phone broke"


def test_shares_are_of_the_tasks_with_a_known_cause(tmp_path):
    each = [entry(name, epoch, epoch == 0) for name in "abcd" for epoch in (0, 1)]
    planned = plan([run(tmp_path / "run", *each)], 1)
    said = {"a": (YES, NO), "b": (NO, NO), "c": (YES, NO), "d": (NOTHING, NOTHING)}
    reruns = {
        trial.place: Reruns((), said[trial.entry.id][trial.entry.epoch]) for trial in planned.trials
    }
    found = report(planned, reruns)
    assert (found["told"], found["unknown"]) == (3, 1)
    assert found["causes"]["agent"]["tasks"] == 2
    assert found["causes"]["agent"]["share"] == pytest.approx(2 / 3)
    assert found["causes"]["agent"]["interval"] == pytest.approx([0.2077, 0.9385], abs=1e-4)
    assert summary(found) == (
        "flips of verdicts: 0.0% the judge, 33.3% the environment, 66.7% the agent "
        "(K=1, 3 tasks; 1 cannot be told)"
    )
    assert "agent              2    66.7%   20.8% to 93.9%" in lines(found)
    unknown = report(flipping(tmp_path), {})
    assert unknown["causes"]["judge"] == {"tasks": 0, "share": None, "interval": None}
    assert "n/a the judge" in summary(unknown)


def test_plan_lists_reruns_and_costs(tmp_path):
    by = "with their recorded replies, without the agent's models"
    assert flipping(tmp_path, "judge").lines() == [
        "tasks whose verdict flips: 1, with 2 episodes",
        "judged again: 2 episodes, 2 times each",
        f"played again: 2 episodes, {by}: about 1.0 minutes on a phone",
        # 2 episodes, judged twice, and once when played again.
        "costs: about 12 judge calls, $1.50",
    ]


@pytest.mark.parametrize(
    ("replies", "about", "why"),
    [
        (False, {}, f"no model reply to its agent is recorded ({STREAM})"),
        (True, {"redaction": {"sha256": "0"}}, "its replies were redacted (--mobile-redact)"),
    ],
)
def test_episodes_that_cannot_be_replayed_are_named(tmp_path, replies, about, why):
    both = [entry("task", epoch, epoch == 0) for epoch in (0, 1)]
    planned = plan([run(tmp_path / "run", *both, replies=replies, **about)], 1)
    named = "test_task[epoch0], test_task[epoch1]"
    assert planned.lines()[-1] == f"cannot be played again (2), {why}: {named}"


def test_verdicts_may_differ_between_runs_of_one_agent(tmp_path):
    first, second = (run(tmp_path / name, entry("t", 0, name == "a")) for name in "ab")
    assert len(plan([first, second], 1).flips) == 1
    with pytest.raises(FlipsError, match="no task was decided twice"):
        plan([first], 1)
    other = RecordedRun(second.folder, {"agent": "b"}, second.tasks, True)
    with pytest.raises(FlipsError, match="the runs are of different agents: a, b"):
        plan([first, other], 1)


def test_reruns_use_the_options_of_the_run():
    options = {
        "agent": {"value": "a", "source": "--agent"},
        "llm-judge": {"value": "single", "source": "pyproject.toml"},
        "mobile-device": {"value": "virtual", "source": "default"},
        "mobile-judges": {"value": "openai:own", "source": "MOBILE_JUDGES"},
        "mobile-runs": {"value": "elsewhere", "source": "--mobile-runs"},
        "mobile-user": {"value": None, "source": "--mobile-user"},
    }
    assert options_of({"options": options}) == {
        "MOBILE_AGENT": "a",
        "MOBILE_LLM_JUDGE": "single",
        "MOBILE_JUDGES": "openai:own",
    }
    assert options_of({}) == {}
