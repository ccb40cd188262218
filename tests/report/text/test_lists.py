"""Tests of the terminal's lists of failures, reviews, disagreements and remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.text.lists import (
    LINE,
    disagreements,
    epochs,
    failures,
    passes,
    reasons,
    remarks,
    reviews,
)

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry


def failed(result: Any, name: str, sought: str, **fields: Any) -> Entry:
    verdict = {"passed": False, "evidence": {"sought": sought}}
    ended = {"termination": "self-reported", "steps": 5, "verdict": verdict}
    return result(False, id=f"tasks/coursera/{name}", **{**ended, **fields})


def test_failures_show_how_they_ended_and_what_was_sought(result):
    results = [
        failed(result, "downloads/one", 'episode.probe("downloads") == []'),
        failed(result, "notes", "", termination="agent error", steps=1, reason="it raised"),
        result(True, id="tasks/coursera/search"),
    ]
    assert failures(results) == [
        "failed (2):",
        '  downloads/one   self-reported after 5 steps: episode.probe("downloads") == []',
        "  notes           agent error after 1 step: it raised",
    ]


def test_first_five_of_many_failures_are_shown_or_all_on_request(result):
    results = [failed(result, f"t{n}", "x") for n in range(13)]
    lines = failures(results)
    assert lines[0] == "failed (13), the first five:"
    assert [line.split()[0] for line in lines[1:]] == ["t0", "t1", "t2", "t3", "t4"]
    assert len(failures(results, most=13)) == 14
    results += [result(True, id="tasks/coursera/done", steps=4, golden_steps=3)]
    results += [result(True, id="tasks/coursera/at_once", steps=1)]
    assert passes(results) == [
        "passed (2):", "  done      4 steps (golden steps 3)", "  at_once   1 step",
    ]  # fmt: skip


def test_epochs_and_environments_are_distinguished(result):
    results = [failed(result, "t[a/b]", "x", epoch=n, environment="105") for n in range(2)]
    names = [line.split()[0] for line in failures(results)[1:]]
    assert names == ["t[a/b][env105][epoch0]", "t[a/b][env105][epoch1]"]


def test_texts_of_agents_and_apps_take_one_line_without_controls(result):
    lines = failures([failed(result, "t\x1b[2J", "a\nb\x1b]0;title\x07 " + "c" * 200)])
    assert len(lines) == 2
    assert "\x1b" not in lines[1]
    assert len(lines[1]) == LINE
    assert lines[1].endswith("…")


def test_unmetered_programs_and_models_that_judge_themselves_are_mentioned(result):
    unseen, seen = result(True, metered=False), result(True, metered=True)
    (line,) = remarks([unseen, unseen, seen], {})
    assert line == (
        "unmetered: 2 tasks acted without a model call that was seen; "
        "their tokens and price are unknown (docs/programs.md)"
    )
    verdict = {"passed": True, "evidence": {"own_models": ["openai:gpt-4o"]}}
    assert remarks([result(True, verdict=verdict)] * 2, {}) == [
        "openai:gpt-4o judged 2 tasks in which it was the agent's own model"
    ]


def test_cases_for_review_are_listed_with_the_reason(result):
    disputed = result(None, id="a/evening", outcome="review", reason="the judges disagree")
    assert reviews([disputed, result(True, id="a/b")]) == [
        "for review (1):",
        "  evening   the judges disagree",
        "decide it: python -m pytest_mobileagent review",
    ]
    (*_, decide) = reviews([disputed], may_settle=True)
    assert "(or name a third model in --mobile-judges, which then decides)" in decide
    assert reviews([]) == []


def test_two_judges_share_the_line(result):
    said = [f'{name}: {word}, "{"because " * 40}"' for name, word in (("a", "done"), ("b", "not"))]
    (_, line, _) = reviews([result(None, id="t", outcome="review", reason="   ".join(said))])
    assert len(line) <= LINE
    assert line.startswith('  t   a: done, "because')
    assert '…   b: not, "because' in line


def test_check_and_judge_are_compared(result):
    said = {"passed": False, "reason": "a: not done   b: not done"}
    differs = result(True, id="a/one", judged=said)
    results = [differs, result(False, id="a/two", judged=said), result(True, id="a/three")]
    assert disagreements(results) == [
        "check and judge differ (1 of 2):",
        "  one   check: done   a: not done   b: not done",
    ]
    assert disagreements(results[1:]) == []


def test_equal_reasons_are_grouped(result):
    given = ["no app com.a"] * 2 + ["no app com.b"]
    results = [result(None, outcome="skipped", reason=reason) for reason in given]
    results += [result(None, outcome="not run", reason=str(n)) for n in range(8)]
    assert reasons("skipped", results) == ["skipped (2): no app com.a", "skipped (1): no app com.b"]
    assert reasons("not run", results)[-1] == "not run for 3 more reasons: see report.json"
    assert reasons("not run", results[:-2])[-1] == "not run for 1 more reason: see report.json"


def test_tasks_that_began_without_a_snapshot_are_reported_with_the_reasons(result):
    cleared = {"kind": "cleared", "snapshot": None, "cleared": ["a"], "reason": "no snapshots"}
    restored = {"kind": "snapshot", "snapshot": "a", "cleared": [], "reason": ""}
    results = [result(True, reset=reset) for reset in (restored, None, cleared, cleared)]
    kept = "only their own apps were cleared, everything else was left as it was"
    assert remarks(results, {}) == [f"2 tasks began without a snapshot (no snapshots): {kept}"]
    assert remarks(results[:2], {}) == []


def test_virtual_phone_numbers_carry_a_notice(result):
    (line,) = remarks([result(True)], {"virtual": True})
    assert line.startswith("Virtual phones test the harness")
    (line,) = remarks([result(True)], {"virtual": False, "recorded_pages": True})
    assert line.startswith("Recorded pages show only the ways")
    assert remarks([result(True)], {}) == []


def test_epochs_show_which_tasks_are_flaky(result):
    outcomes = {"tasks/clock/stable": [True, True], "tasks/clock/never": [False, False]}
    outcomes |= {f"tasks/clock/flaky{n}": [True, False] for n in range(6)}
    results = [
        result(success, id=name, epoch=epoch)
        for name, successes in outcomes.items()
        for epoch, success in enumerate(successes)
    ]
    assert epochs(summarise(results)) == [
        "over their epochs: stable pass 1, flaky 6, stable fail 1:",
        *(f"  flaky{n} 1/2" for n in range(5)),
        "  … and 1 more",
    ]
    stable = [each for each in results if "flaky" not in each.id]
    assert epochs(summarise(stable)) == ["over their epochs: stable pass 1, flaky 0, stable fail 1"]
    assert epochs(summarise([result(True)])) == []


def test_goals_that_were_met_before_the_agent_began_are_named(result):
    verdict = {"scorer": "check", "evidence": {"held": [True]}}
    early = [result(True, id=f"tasks/a/{name}", verdict=verdict) for name in "bcdefgh"]
    late = result(True, id="tasks/a/late", verdict={**verdict, "evidence": {"held": [False]}})
    assert remarks([early[0], late], {}) == ["1 goal was met before the agent began: b"]
    assert remarks([*early, late], {}) == [
        "7 goals were met before the agent began: b, c, d, e, f and 2 more"
    ]
