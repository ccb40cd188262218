"""Which results of an earlier run are reused, scored again or run anew, and the reasons given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_mobileagent.plugin.reuse.reusing import ReuseDecision, decisions, in_words
from pytest_mobileagent.report.entry import Entry

PRINTS = {"agent": "a", "models": "m", "device": "d", "plugin": "1", "checks": "c", "tasks": "t"}
PARTS = {"goal": "g", "seed": "s", "check": "k"}
DONE = Entry(id="a", outcome="passed", success=True, episode="episodes/a.0")


def plan(parts: Any = PARTS, prints: Any = PRINTS, **head: Any) -> dict[str, Any]:
    return {"run": {"fingerprints": prints, **head}, "digests": {"a": parts}}


def decided(old: Any, new: Any, task: Any = DONE) -> tuple[str, str]:
    (decision,) = decisions(old, new, {} if task is None else {"a": task}).values()
    return decision.what, decision.why


@pytest.mark.parametrize("outcome", ["passed", "failed", "review"])
def test_unchanged_decided_results_are_reused(outcome):
    assert decided(plan(), plan(), replace(DONE, outcome=outcome)) == ("reused", "")


def test_combined_fingerprint_of_other_tasks_is_ignored():
    other = {**PRINTS, "checks": "x", "tasks": "y", "limits": "z"}
    assert decided(plan(), plan(prints=other)) == ("reused", "")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"goal": "x"}, "goal changed"),
        ({"seed": "x", "check": "x"}, "seed changed"),
        ({"new part": "x"}, "new part changed"),
    ],
)
def test_changed_task_runs_again(changed, why):
    assert decided(plan(), plan(PARTS | changed)) == ("run", why)


def test_changed_check_only_needs_rescoring():
    assert decided(plan(), plan(PARTS | {"check": "x"})) == ("scored again", "check changed")


@pytest.mark.parametrize("name", ["agent", "models", "device", "plugin"])
def test_a_change_that_affects_all_tasks_runs_all(name):
    assert decided(plan(), plan(prints=PRINTS | {name: "x"})) == ("run", f"{name} changed")


UNDECIDED = ("error", "skipped", "not run", "xfailed", "xpassed")


@pytest.mark.parametrize(
    ("before", "why"),
    [
        *((replace(DONE, outcome=outcome), f"{outcome} before") for outcome in UNDECIDED),
        (replace(DONE, episode=None), "without an episode"),
        (None, "new"),
    ],
)
def test_tasks_that_are_new_or_undecided_are_run(before, why):
    assert decided(plan(), plan(), before) == ("run", why)


@pytest.mark.parametrize("old", [{}, {"run": {}}, {"digests": []}, plan([]), plan(None)])
def test_results_without_digests_run_again(old):
    assert decided(old, plan()) == ("run", "no digest kept")


@pytest.mark.parametrize(
    ("differs", "what"),
    [
        ([], ("reused", "")),
        (["checks"], ("scored again", "check changed")),
        (["agent"], ("run", "agent changed")),
        (["tasks", "checks"], ("run", "tasks changed")),
    ],
)
def test_results_of_run_resumed_with_changes_are_not_reused(differs, what):
    resumed = [{"when": "now", "differs_in": []}, {"when": "later", "differs_in": differs}]
    assert decided(plan(resumed=resumed), plan()) == what


def test_the_numbers_and_reasons_are_reported():
    decisions = [
        *[ReuseDecision("reused")] * 80,
        *[ReuseDecision("run", "new")] * 18,
        *[ReuseDecision("scored again", "check changed")] * 5,
        *[ReuseDecision("run", "goal changed")] * 5,
    ]
    assert in_words(decisions) == (
        "108 tasks: 80 reused, 5 scored again (check changed), 23 run (18 new, 5 goal changed)"
    )


def test_empty_counts_are_not_printed():
    assert in_words([ReuseDecision("reused")]) == "1 task: 1 reused"
    assert in_words([ReuseDecision("run", "agent changed")] * 2) == (
        "2 tasks: 0 reused, 2 run (agent changed)"
    )
