"""Tests of finding the cause of breakage from all attempts in a run's report.json."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent._task import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.metrics.doubtful import broke, marked, policy
from pytest_mobileagent.report.result import Result

PLAYED, DEVICE, WORKER, AGENT = "played", "device broke", "worker died", "agent killed"
OTHER, CUT_OFF = "other", "cut off"
BROKEN = {DEVICE, WORKER, AGENT, CUT_OFF}


class Recording:
    """A run as in report.json: one attempt after another, 10 s each."""

    def __init__(self):
        self.now = 1_000_000.0
        self.tasks = {}

    def tried(self, name, *ends, place="virtual", run="one", at=None, **fields):
        attempts = []
        for end in ends:
            started = self.now if at is None else at
            self.now = max(self.now, started + 10.0)
            attempt = {"place": place, "worker": "main", "started": started, "end": end}
            attempt |= {"ended": None if end == CUT_OFF else started + 10.0, "run": run}
            attempts.append(attempt | {"alone": False, "together": False, "began": True} | fields)
        decided = ends[-1] == PLAYED
        task = self.tasks.setdefault(name, Result(Case(Task("Do it."), name)).entry())
        self.tasks[name] = replace(
            task,
            attempts=[*task.attempts, *attempts],
            outcome="passed" if decided else "error",
            success=True if decided else None,
            fault=None if decided else "infrastructure",
            reason="" if decided else "infrastructure: it smokes",
        )
        return self

    def well(self, *names, **fields):
        for name in names:
            self.tried(name, PLAYED, **fields)
        return self

    def marked(self, how="error"):
        return marked(list(self.tasks.values()), how)

    @property
    def suspects(self):
        return {task.id for task in self.marked() if task.suspect}


@pytest.fixture
def run() -> Recording:
    return Recording().well("a", "b", "c", "d")


@pytest.mark.parametrize("end", [DEVICE, WORKER, AGENT])
@pytest.mark.parametrize("count", [1, 2])
def test_case_that_breaks_everything_is_a_suspect(run, end, count):
    run.tried("bad", *[end] * count).well("e", "f")
    assert run.suspects == {"bad"}
    (bad,) = (task for task in run.marked() if task.suspect)
    what = {DEVICE: "phone", WORKER: "worker", AGENT: "agent's process"}[end]
    plural = "s" * (count > 1)
    assert broke(bad) == f"broke its {what} in {count} of {count} attempt{plural}"


def test_a_suspect_may_break_the_phone_or_the_worker(run):
    run.tried("bad", DEVICE, AGENT, WORKER)
    (bad,) = (task for task in run.marked() if task.suspect)
    assert broke(bad) == "broke its phone or agent's process or worker in 3 of 3 attempts"


def test_other_causes_and_a_completed_retry_make_no_suspect(run):
    run.tried("retried", DEVICE, PLAYED)
    run.tried("slow to start", DEVICE, DEVICE, began=False)
    run.tried("half", DEVICE).tried("half", DEVICE, began=False)
    run.tried("judged", DEVICE, DEVICE)
    run.tasks["judged"] = replace(run.tasks["judged"], fault="judge")
    run.tried("no provider", OTHER, OTHER).well("e", "f")
    assert run.suspects == set()


def test_there_are_no_suspects_if_no_other_case_succeeded():
    alone = Recording().tried("bad", DEVICE, DEVICE)
    assert alone.suspects == set()
    all_bad = Recording()
    for name in "abcde":
        all_bad.tried(name, DEVICE, DEVICE)
    assert all_bad.suspects == set()


def test_others_must_succeed_on_the_same_devices_of_the_same_run(run):
    assert run.tried("bad", DEVICE, DEVICE, place="R5CT10ABCDE").suspects == set()
    run.well("e", place="R5CT10ABCDE", run="two")
    assert run.suspects == set()
    run.well("f", place="R5CT10ABCDE")
    assert run.suspects == {"bad"}


def test_machine_that_dies_midway_produces_no_suspects(run):
    for name in ("e", "f", "g", "h", "i"):
        run.tried(name, DEVICE, DEVICE)
    assert run.suspects == set()


def test_all_cases_that_break_between_successful_ones_are_suspects(run):
    for bad, well in (("e", "f"), ("g", "h"), ("i", "j"), ("k", "l")):
        run.tried(bad, DEVICE, DEVICE).well(well)
    assert run.suspects == {"e", "g", "i", "k"}


def test_flaky_machine_produces_no_suspects():
    """Half of all attempts break, regardless of the case."""
    run = Recording()
    for name in ("a", "b", "c", "d"):
        run.tried(name, DEVICE, PLAYED)
    assert run.well("e", "f").tried("unlucky", DEVICE, DEVICE).well("g").suspects == set()


def test_occasional_breaks_elsewhere_hide_no_suspect(run):
    run.tried("e", DEVICE, PLAYED).tried("bad", DEVICE, DEVICE).well(*"fghijkl")
    assert run.suspects == {"bad"}


def test_a_case_lost_with_others_is_judged_by_its_other_attempts(run):
    run.tried("neighbour", DEVICE, at=run.now + 0.0, together=True)
    run.tried("bad", DEVICE, at=run.now - 10, together=True)
    run.tried("bad", DEVICE, alone=True).well("neighbour", alone=True)
    assert run.suspects == {"bad"}
    (bad,) = (task for task in run.marked() if task.suspect)
    assert broke(bad) == "broke its phone in 1 of 1 attempt"


def test_simultaneous_breaks_have_the_same_cause(run):
    """As when the whole machine stalls, or a USB hub is unplugged."""
    run.tried("e", DEVICE, at=run.now, worker="gw0")
    run.tried("f", DEVICE, at=run.now - 9.5, worker="gw1")
    run.well("g", "h")
    assert run.suspects == set()


def test_one_cut_off_of_the_run_proves_nothing_but_two_do(run):
    assert run.tried("bad", CUT_OFF).suspects == set()
    assert run.tried("bad", CUT_OFF).suspects == {"bad"}


def test_cut_offs_prove_nothing_if_several_cases_were_running(run):
    for _ in range(2):
        run.tried("e", CUT_OFF, worker="gw0").tried("f", CUT_OFF, worker="gw1")
    assert run.suspects == set()


def test_suspects_are_only_marked_by_default_but_may_count_as_failures(run):
    run.tried("bad", DEVICE, DEVICE)
    assert run.marked()[-1] == replace(run.tasks["bad"], suspect=True)
    bad = run.marked("fail")[-1]
    assert (bad.outcome, bad.success, bad.fault) == ("failed", False, "agent")
    assert "broke its phone in 2 of 2 attempts: infrastructure: it smokes" in bad.reason
    for how, decided, rate in (("error", 4, 1.0), ("fail", 5, 0.8)):
        summary = summarise(run.marked(how))
        assert (summary["suspects"], summary["successes"], summary["decided"]) == (1, 4, decided)
        assert (summary["success_rate"], summary["success_rate_with_suspects"]) == (rate, 0.8)


@pytest.mark.parametrize("how", ["error", "fail"])
@pytest.mark.parametrize("before", ["error", "fail"])
def test_marking_again_does_not_depend_on_earlier_marks(run, how, before):
    run.tried("bad", DEVICE, DEVICE)
    assert marked(run.marked(before), how) == run.marked(how)


def test_a_mark_is_removed_if_others_break_there_too(run):
    run.tried("bad", DEVICE, DEVICE)
    tasks = run.marked("fail")
    run.tasks = {task.id: task for task in tasks}
    for name in "abcd":
        run.tried(name, DEVICE, DEVICE, PLAYED)
    assert [task.outcome for task in run.marked("fail")] == ["passed"] * 4 + ["error"]
    assert run.marked("fail")[-1].reason == "infrastructure: it smokes"


def test_decision_of_a_person_is_kept_and_notes_of_a_newer_version_are_left_out(run):
    run.tried("bad", DEVICE, DEVICE)
    run.tasks["bad"].attempts.append({"end": "beamed up"})
    assert run.suspects == {"bad"}
    bad = replace(run.marked("fail")[-1], outcome="passed", success=True, as_run={})
    assert marked([*list(run.tasks.values())[:4], bad], "error")[-1] == bad


@pytest.mark.parametrize(
    ("about", "how"),
    [
        ({}, "error"),
        ({"suspects": "fail"}, "fail"),
        ({"suspects": "fail", "resumed": [{"suspects": "error"}]}, "error"),
        ({"suspects": "error", "resumed": [{}, {"suspects": "fail"}, {}]}, "fail"),
        ({"suspects": ["?"], "resumed": "?"}, "error"),
    ],
)
def test_the_last_session_decides_how_suspects_count(about, how):
    assert policy(about) == how
