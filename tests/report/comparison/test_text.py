"""A comparison in words."""

from __future__ import annotations

from typing import Any

from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.comparison.text import (
    comparison_details,
    comparison_line,
    comparison_markdown,
    remarks,
)
from tests.report.gate.entries import entries, entry, many, recorded

PRINTS = {"agent": "1", "prompts": "1", "apps": "1", "checks": "1"}


def example(**about: Any) -> dict[str, Any]:
    before = entries(many(10, "PFF") | {"tasks/clock/old": "PPP"}, steps=5, cost_usd=0.03)
    after = entries(many(8, "PPP") | {"tasks/clock/t8": "FFF", "tasks/clock/t9": "PFF"}, steps=4)
    for task in after:
        task["cost_usd"] = 0.019
    prints = {"agent": "2", "prompts": "2", "apps": "1", "checks": "2"}
    return compare(
        recorded(before, id="base", agent="appagent", fingerprints=PRINTS),
        recorded(after, id="run", agent="t3a", fingerprints=prints, **about),
    )


def test_a_difference_is_one_line() -> None:
    assert comparison_line(example(), "t3a") == (
        "t3a  +50.0 points (95 %: +24.2 to +75.8)   gained 8  lost 0  flaky 10   steps -1.0   "
        "price -$0.011 a task   differs in: agent, prompts, checks"
    )


def test_single_tasks_follow_and_what_one_has_to_know() -> None:
    lines = comparison_details(example())
    assert lines[0] == "gained (8), pass now in most epochs, and did not:"
    assert lines[1] == "  t0  1/3 → 3/3"
    assert "missing (1), only in the baseline, or decided only there:" in lines
    assert "  tasks/clock/old" in lines
    assert lines[-1] == (
        "warning: not the same in both runs: checks (checks differ also where other tasks were "
        "chosen); a difference may come from that"
    )


def test_long_lists_are_cut() -> None:
    both = recorded(entries(many(30, "P"))), recorded(entries(many(30, "F")))
    assert "  and 20 more: see --format=json" in comparison_details(compare(*both))


def test_remarks_say_what_the_numbers_rest_on() -> None:
    base = recorded(entries({"a": "P", "b": "P"}), id="one")
    cut = recorded(entries({"a": "F", "b": "n"}), ended=False, id="two")
    said = remarks(compare(base, cut))
    assert said[:2] == [
        "note: the run has not ended, or was cut off: this is what it has so far",
        "note: the run has decided 1 of 2 episodes of common tasks",
    ]
    assert "gained and lost tasks may be chance" in said[2]
    assert "note: this is the same run twice" in remarks(compare(base, base))


def test_nothing_decided_is_no_number() -> None:
    both = recorded(entries({"a": "P"})), recorded(entries({"a": "E"}))
    assert comparison_line(compare(*both)).startswith(
        "n/a: no task was decided in both runs   gained 0"
    )


def test_markdown_has_a_table_and_folded_lists() -> None:
    text = "\n".join(comparison_markdown(example()))
    assert text.startswith("### t3a against appagent\n\n| ")
    assert "| success rate | 33.3% | 83.3% | +50.0 points | +24.2 to +75.8 |" in text
    assert "| steps an episode | 5 | 4 | -1 | -1 to -1 | n/a |" in text
    assert "<summary>gained (8): pass now in most epochs, and did not</summary>" in text
    assert "- t0 1/3 → 3/3" in text


def test_markdown_shows_hostile_names_as_they_are() -> None:
    evil = "tasks/<img src=x>|`a`[b](http://c) @all\x1b[0m"
    both = recorded([entry(evil, 0, "P")]), recorded([entry(evil, 0, "F")], agent="**bold**")
    text = "\n".join(comparison_markdown(compare(*both)))
    assert r"\<img src=x\>\|\`a\`\[b\](http\://c) \@all\\x1b\[0m" in text
    assert r"### \*\*bold\*\* against" in text
