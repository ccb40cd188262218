"""Tests of a gate's verdict on a run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.report.gate.decide import (
    GateDecision,
    decide,
    decision_lines,
    decision_markdown,
)
from pytest_mobileagent.report.gate.rule import InterimAnalyses, interim_analyses
from pytest_mobileagent.report.gate.spec import Bound, Gate
from tests.report.gate.entries import decided, entries, many

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry

AGAINST = Bound("success_rate", baseline=True)
ONCE = InterimAnalyses((3,))
ANALYSES = interim_analyses(3, 10)


def said(decision: GateDecision) -> tuple[str, int]:
    assert decision.line.startswith(f"{decision.verdict}: ")
    return decision.line, decision.status


def test_unchanged_run_passes() -> None:
    run = many(80, "PPP") | {"tasks/notes/new": "PFP"}
    line = "PASS: success_rate +0.0 points (95 %: -3.1 or more), 81 tasks, 3 epochs"
    assert said(decided(AGAINST, run, run)) == (line, 0)


def test_worse_run_fails_and_names_lost_tasks() -> None:
    before = many(12, "PPP")
    after = many(6, "FFF") | {f"tasks/clock/t{n}": "PPF" for n in range(6, 12)}
    decision = decided(AGAINST, after, before)
    assert decision.status == 1
    assert decision.line.startswith(
        "FAIL: success_rate -66.7 points (98.75 %: -48.9 or less): on these tasks, chance p < 0.001"
    )
    named = "t0, t1, t2, t3, t4, …"
    assert decision.line.endswith(f"; 6 of 12 tasks lost (3/3 → 0/3 each): {named}")


def test_certain_loss_of_two_tasks_fails() -> None:
    """It is certain about these tasks, although two of twenty say little about tasks like them."""
    before = many(20, "P" * 10)
    after = before | many(2, "F" * 10)
    line, status = said(decided(AGAINST, after, before))
    assert line == (
        "FAIL: success_rate -10.0 points (98.75 %: -7.9 or less): on these tasks, chance p < 0.001;"
        " 2 of 20 tasks lost (10/10 → 0/10 each): t0, t1"
    )
    assert status == 1
    assert said(decided(replace(AGAINST, scope="tasks like these"), after, before))[1] == 8


def test_single_tasks_may_be_limited_beside_the_mean() -> None:
    before = many(100, "P" * 10)
    one, two, maybe = (before | many(n, "F" * 10) for n in (1, 2, 0))
    maybe |= many(1, "F" * 6 + "P" * 4)
    limited = replace(AGAINST, max_lost=0)
    assert decided(AGAINST, one, before).status != 1
    assert decided(limited, two, before).line == (
        "FAIL: 2 of 100 tasks lost (10/10 → 0/10 each): on these tasks, chance p < 0.001; not more "
        "than 0 may be lost: t0, t1"
    )
    assert decided(limited, one, before).line.endswith("may be lost: t0 10/10 → 0/10")
    assert decided(replace(AGAINST, max_lost=1), one, before).status == 0
    assert decided(limited, maybe, before).status == 8
    assert decided(AGAINST, maybe, before).status == decided(limited, before, before).status == 0


def test_inconclusive_run_says_what_would_decide_it() -> None:
    before = many(60, "PPF")
    after = before | many(7, "PFF")
    line, status = said(decided(AGAINST, after, before))
    assert line.startswith("INCONCLUSIVE: success_rate -3.9 points (95 %: -")
    assert " or more; 98.75 %: +" in line
    assert re.search(r" or less\) after 3 epochs; .*about \d+ tasks like them would$", line)
    assert status == 8


def test_more_epochs_of_a_lost_task_decide_nothing() -> None:
    gate = replace(AGAINST, scope="tasks like these")
    for epochs in ("PPP", "PPPPPPPPPP"):
        after = many(20, epochs) | {"tasks/clock/t0": epochs.replace("P", "F")}
        line, _ = said(decided(gate, after, many(20, epochs)))
        assert line.endswith(
            "; more epochs of these tasks would not decide, about 329 tasks like them would"
        )


def test_one_epoch_does_not_distinguish_lost_tasks_from_chance() -> None:
    line, _ = said(decided(AGAINST, many(20, "P") | {"tasks/clock/t0": "F"}, many(20, "P")))
    assert line.endswith("; with one epoch, lost tasks may be chance: run several epochs of both")


def test_few_tasks_decide_nothing_about_tasks_like_these_and_never_pass() -> None:
    like_these = replace(AGAINST, scope="tasks like these")
    for gate, after in ((like_these, "FFF"), (AGAINST, "PPP")):
        line, status = said(decided(gate, many(7, after), many(7, "PPP")))
        what = "PASS" if gate is AGAINST else "verdict"
        assert line.endswith(f"after 3 epochs; 7 tasks in both runs, and a {what} needs 8")
        assert status == 8


def test_errors_leave_the_mean_and_both_denominators_are_printed() -> None:
    before, after = many(99, "PPP"), many(99, "PPP") | {"tasks/clock/t0": "PPE"}
    decision = decided(AGAINST, after, before)
    assert decision.line == (
        "PASS: success_rate +0.0 points (95 %: -3.2 or more), 99 tasks, 3 epochs; "
        "296 of 297 episodes decided, 297 of 297 of the baseline's"
    )


def test_too_many_errors_give_no_verdict_on_the_agent() -> None:
    after = many(20, "PPP") | many(7, "PPE")
    line = "12 % of the episodes are missing: infrastructure broke 7 times; fix it, then "
    assert said(decided(AGAINST, after, many(20, "PPP"))) == (
        f"INCONCLUSIVE: {line}--mobile-resume",
        9,
    )
    assert decided(Bound("success_rate", min=0.1), after).status == 9


@pytest.mark.parametrize("bound", [AGAINST, Bound("success_rate", min=0.1)], ids=str)
def test_errors_in_a_suite_are_too_many_for_its_bound(bound: Bound) -> None:
    others = [replace(task, suite="notes") for task in entries({f"n{n}": "PPP" for n in range(50)})]
    run = entries(many(20, "PPP") | many(7, "PPE")) + others
    before = entries(many(20, "PPP")) + others
    decision = decide(Gate((replace(bound, suite="clock"),)), run, before, ONCE, 0)
    assert said(decision)[0].startswith("INCONCLUSIVE: 12 % of the episodes are missing")
    assert decision.status == 9


def test_undecided_cases_are_not_infrastructure_failures() -> None:
    after = many(20, "PPP") | many(6, "PRR") | {"tasks/clock/t0": "PPE"}
    line, status = said(decided(AGAINST, after, many(20, "PPP")))
    assert line.startswith("INCONCLUSIVE: 18 % of the episodes are missing: a person must decide")
    assert "10 times (`python -m pytest_mobileagent review`, then `compare`), infra" in line
    assert line.endswith("infrastructure broke 1 time (fix it, then --mobile-resume)")
    assert status == 8
    half = many(20, "PPP") | many(6, "PRE")
    assert decided(AGAINST, half, many(20, "PPP")).status == 8


def test_incomplete_baseline_is_inconclusive() -> None:
    line, status = said(decided(AGAINST, many(20, "PPP"), many(20, "PPP") | many(9, "PPE")))
    assert line.startswith("INCONCLUSIVE: 15 % of the baseline's episodes are missing")
    assert status == 8


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        # It fails even if all missing episodes had passed, whether they are 6 % or 40 % of all.
        (many(50, "PP"), many(50, "FF") | many(6, "FE"), 1),
        (many(50, "PP"), many(50, "FF") | many(40, "FE"), 1),
        # Missing episodes alone cause no FAIL.
        (many(40, "PPPP"), many(40, "PPPP") | many(8, "FFFF"), 1),
        (many(40, "PPPP"), many(40, "PPPP") | many(8, "FEEE"), 9),
        # Those of the baseline count as failed before a FAIL.
        (many(40, "PPPP"), many(40, "PPPP") | many(12, "FFPP"), 1),
        (many(40, "PPPP") | many(12, "RPPP"), many(40, "PPPP") | many(12, "FFPP"), 8),
    ],
)
def test_a_fail_holds_whatever_is_missing(
    before: dict[str, str], after: dict[str, str], status: int
) -> None:
    assert decided(AGAINST, after, before).status == status


@pytest.mark.parametrize("before", ["P", "R"])
def test_pass_must_hold_if_missing_episodes_count_against_it(before: str) -> None:
    """Two identical runs; 3 % of the episodes of one or both of them are for review."""
    for tasks, status in ((40, 8), (300, 0)):
        runs = [many(tasks, "PPP") | many(tasks // 10, "PP" + letter) for letter in ("R", before)]
        decision = decided(AGAINST, *runs)
        assert decision.status == status
    assert (
        "but what is missing may change that: 3.3 % of the"
        in decided(AGAINST, many(60, "PPP") | many(6, "PPR"), many(60, "PPP")).line
    )


def test_broken_tasks_and_suspect_episodes_are_missing() -> None:
    before = entries(many(60, "PPP"))
    kinds: list[tuple[dict[str, Any], str]] = [
        ({"outcome": "error", "fault": "task"}, "a task was broken 9 times; fix it, then --mobile"),
        ({"outcome": "error", "fault": "budget"}, "a budget was spent 9 times; raise it, then --"),
        ({"suspect": True}, "an episode is suspect 9 times; `python -m pytest_mobileagent review`"),
    ]
    for fields, cause in kinds:
        after: list[Any] = [
            replace(task, **({"success": None, **fields} if n % 20 == 0 else {}))
            for n, task in enumerate(before)
        ]
        decision = decide(Gate((AGAINST,)), after, before, ONCE, 0)
        assert decision.status == 8
        assert "5.0 % of the episodes are missing: " in decision.line
        assert cause in decision.line


@pytest.mark.parametrize(
    ("letters", "advice"),
    [
        ("E", "infrastructure broke 6 times; fix it, then --mobile-resume"),
        ("n", "not run 6 times; --mobile-resume runs them"),
        ("J", "a judge broke 6 times; fix it, then --mobile-rescore"),
        ("R", "a person must decide 6 times; `python -m pytest_mobileagent review`, then `comp"),
    ],
)
def test_resuming_is_suggested_only_where_possible(letters: str, advice: str) -> None:
    line = decided(Bound("success_rate", min=0.1), many(6, "P" + letters)).line
    assert advice in line
    assert ("--mobile-resume" in line) is (letters in "En")


def test_only_common_tasks_are_compared() -> None:
    after = many(80, "PPP") | {"tasks/new/a": "FFF"}
    decision = decided(AGAINST, after, many(80, "PPP"))
    assert (decision.verdict, decision.bounds[0].numbers["tasks"]) == ("PASS", 80)
    line, _ = said(decided(AGAINST, {"a": "P"}, {"b": "P"}))
    assert line == "INCONCLUSIVE: success_rate: no task is in this run and in the baseline"


@pytest.mark.parametrize(
    ("gate", "error"),
    [
        (Gate((), ("tasks/clock/t11",)), "no task 'tasks/clock/t11': did you mean tasks/clock/t1"),
        (Gate((Bound("tasks", max=1, suite="clok"),)), "no suite 'clok': did you mean clock"),
        (Gate((Bound("tasks", max=1, tag="slow"),)), "no task has the tag 'slow': there are none"),
        (Gate((AGAINST,)), "a bound against the baseline, but no baseline is given"),
    ],
)
def test_a_gate_with_unknown_names_is_an_error(gate: Gate, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        decided(gate, many(3, "P"))


def test_baseline_verdict_is_final_while_other_bounds_are_evaluated_again() -> None:
    cost = Bound("cost_usd", max=1.0)
    gate = Gate((AGAINST, cost))
    before = entries(many(100, "PPPPP"))
    first = decide(gate, entries(many(100, "PPP"), cost_usd=0.002), before, ANALYSES, 0)
    assert [finding.verdict for finding in first.bounds] == ["PASS", "PASS"]
    after = entries(many(100, "FFFFF"), cost_usd=0.02)
    second = decide(gate, after, before, ANALYSES, 1, before=first)
    assert [finding.verdict for finding in second.bounds] == ["PASS", "FAIL"]
    assert [finding.analysis for finding in second.bounds] == [0, 1]


def open_bounds(tasks: dict[str, str], analysis: int, *bounds: Bound) -> tuple[Bound, ...]:
    before = entries(many(20, "PPF"))
    return decide(Gate(bounds or (AGAINST,)), entries(tasks), before, ANALYSES, analysis).open


def test_more_epochs_run_only_if_they_may_decide() -> None:
    unclear = many(20, "PPF") | many(3, "PFF")
    assert open_bounds(unclear, 0) == (AGAINST,)
    assert open_bounds(unclear, 2) == ()  # This is the last interim analysis.
    assert open_bounds(many(20, "FFF"), 0) == ()  # The bound has failed.
    assert open_bounds(many(20, "PEE"), 0) == ()  # More epochs would break, too.
    # Not a bound against the baseline.
    assert open_bounds(unclear, 0, Bound("cost_usd", max=1)) == ()


def test_only_tasks_of_open_bounds_continue() -> None:
    clock, slow = (
        Bound("success_rate", baseline=True, suite="clock"),
        Bound("success_rate", baseline=True, tag="slow"),
    )
    run = entries(many(20, "PPF") | many(3, "PFF"))
    notes: list[Entry] = entries({f"n{n}": "PPP" for n in range(100)}, tags=["slow"])
    notes = [replace(task, suite="notes") for task in notes]
    before = entries(many(20, "PPF")) + notes
    decision = decide(Gate((clock, slow)), run + notes, before, ANALYSES, 0)
    assert decision.open == (clock,)
    assert decision.wants(run[0])
    assert decision.wants(Case(Task("Do it."), "t", "clock"))
    assert not decision.wants(Case(Task("Do it.", tags=("slow",)), "t", "notes"))


def test_several_bounds_share_the_level_and_the_line_has_the_number_of_the_analysis() -> None:
    run = entries(many(100, "PPP"))
    second = Bound("success_rate", baseline=True, suite="clock")
    decision = decide(Gate((AGAINST, second)), run, run, ANALYSES, 0)
    one = decide(Gate((AGAINST,)), run, run, ANALYSES, 0)
    levels = [finding.numbers["fail_level"] for finding in (*decision.bounds, *one.bounds)]
    assert levels[0] == levels[1] == levels[2] / 2
    assert decision.line.endswith("100 tasks, 3 epochs (analysis 1 of 3)")


def test_decision_is_plain_data() -> None:
    run = many(100, "PPP")
    plain = decided(Gate((AGAINST, Bound("tasks", min=1)), ("tasks/clock/t1",)), run, run).to_wire()
    assert json.loads(json.dumps(plain)) == plain
    assert {name: plain[name] for name in ("status", "verdict", "look", "epochs")} == {
        "status": 0, "verdict": "PASS", "look": 1, "epochs": 3,
    }  # fmt: skip
    assert [each["verdict"] for each in plain["bounds"]] == ["PASS"] * 3


GATE = Gate((Bound("success_rate", min=0.5), Bound("episodes", max=1)))
DECISION = decide(GATE, entries({"a|b": "PP"}), None, InterimAnalyses((2,)), 0).to_wire()


def test_terminal_shows_the_verdict_and_each_bound_once() -> None:
    assert decision_lines(DECISION) == [
        "gate FAIL: episodes 2 (at most 1)",
        "  PASS         success_rate 1 (at least 0.5)",
    ]
    one = decide(Gate(GATE.bounds[:1]), entries({"a": "P"}), None, InterimAnalyses((1,)), 0)
    assert decision_lines(one.to_wire()) == ["gate PASS: success_rate 1 (at least 0.5)"]


def test_terminal_says_once_what_several_bounds_lack_and_in_short_lines() -> None:
    lacks = f"25 % of the episodes are missing: {'not run, ' * 20}so; fix it"
    bounds = [{"verdict": "INCONCLUSIVE", "words": words} for words in (lacks, f"{lacks}; more")]
    lines = decision_lines({"verdict": "INCONCLUSIVE", "line": "", "bounds": bounds})
    assert lines[0].startswith("gate INCONCLUSIVE: 25 % of the episodes are missing: not run, ")
    assert lines[-1] == "  INCONCLUSIVE more"
    assert max(map(len, lines)) <= 120
    assert sum("25 %" in line for line in lines) == 1


def test_markdown_starts_with_the_verdict_and_escapes_hostile_names() -> None:
    lines = decision_markdown(DECISION)
    assert lines[0] == "## ❌ Gate: FAIL"
    assert "| ✅ PASS | success_rate 1 (at least 0.5) |" in lines
    gate, run = Gate((), ("a|<b>",)), entries({"a|<b>": "F"})
    lines = decision_markdown(decide(gate, run, None, InterimAnalyses((1,)), 0).to_wire())
    assert r"FAIL: must pass: a\|\<b\> passed 0 of 1 epoch" in lines
