"""Tests of comparisons in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.text.comparison import (
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
    after = [replace(task, cost_usd=0.019) for task in after]
    prints = {"agent": "2", "prompts": "2", "apps": "1", "checks": "2"}
    return compare(
        recorded(before, id="base", agent="appagent", fingerprints=PRINTS),
        recorded(after, id="run", agent="t3a", fingerprints=prints, **about),
    )


def test_difference_fits_on_one_line() -> None:
    assert comparison_line(example(), "t3a") == (
        "t3a  +50.0 points (95 %: +24.2 to +75.8)   gained 8  lost 0  flaky 10   steps -1.0   "
        "price -$0.011 a task   differs in: agent, prompts, checks"
    )


def test_crashes_of_apps_are_listed_if_any() -> None:
    comparison = example()
    crashes = {"baseline": 0.0, "run": 0.5, "difference": 0.5, "interval": [0.1, 0.9]}
    told = {**comparison, "crashes": {**crashes, "p_value": 0.01, "tasks": 9}}
    assert "   crashes +0.5 a task   " in comparison_line(told)
    assert "| crashes of apps an episode | 0 | 0.5 | +0.5 | +0.1 to +0.9 | 0.01 |" in (
        comparison_markdown(told)
    )
    none = {**told, "crashes": {**told["crashes"], "run": 0.0, "difference": 0.0}}
    older = {name: value for name, value in comparison.items() if name != "crashes"}
    for quiet in (none, older):
        assert "crashes" not in comparison_line(quiet)
        assert "crashes" not in "\n".join(comparison_markdown(quiet))


def test_single_tasks_and_remarks_follow() -> None:
    lines = comparison_details(example())
    assert lines[0] == "gained (8), now pass in most epochs, and did not before:"
    assert lines[1] == "  t0  1/3 → 3/3"
    assert "missing (1), only in the baseline, or decided only there:" in lines
    assert "  tasks/clock/old" in lines
    assert lines[-1] == (
        "warning: not the same in both runs: checks (checks also differ if other tasks were "
        "chosen); a difference may come from that"
    )


def test_long_lists_are_truncated_and_without_decided_tasks_there_is_no_number() -> None:
    both = recorded(entries(many(30, "P"))), recorded(entries(many(30, "F")))
    assert "  and 20 more: see --format=json" in comparison_details(compare(*both))
    both = recorded(entries({"a": "P"})), recorded(entries({"a": "E"}))
    told = "n/a: no task was decided in both runs   gained 0"
    assert comparison_line(compare(*both)).startswith(told)


def test_remarks_describe_the_limits_of_the_numbers() -> None:
    base = recorded(entries({"a": "P", "b": "P"}), id="one")
    cut = recorded(entries({"a": "F", "b": "n"}), ended=False, id="two")
    said = remarks(compare(base, cut))
    assert said[:2] == [
        "note: the run has not ended, or was cut off: this is what it has so far",
        "note: the run has decided 1 of 2 episodes of common tasks",
    ]
    assert "gained and lost tasks may be chance" in said[2]
    assert "note: this is the same run twice" in remarks(compare(base, base))


def test_markdown_has_a_table_and_collapsible_lists() -> None:
    text = "\n".join(comparison_markdown(example()))
    assert text.startswith("### t3a against appagent\n\n| ")
    assert "| success rate | 33.3% | 83.3% | +50.0 points | +24.2 to +75.8 |" in text
    assert "| steps an episode | 5 | 4 | -1 | -1 to -1 | n/a |" in text
    assert "<summary>gained (8): now pass in most epochs, and did not before</summary>" in text
    assert "- t0 1/3 → 3/3" in text


def test_markdown_escapes_hostile_names() -> None:
    evil = "tasks/<img src=x>|`a`[b](http://c) @all\x1b[0m"
    both = recorded([entry(evil, 0, "P")]), recorded([entry(evil, 0, "F")], agent="**bold**")
    text = "\n".join(comparison_markdown(compare(*both)))
    assert r"\<img src=x\>\|\`a\`\[b\](http\://c) \@all\\x1b\[0m" in text
    assert r"### \*\*bold\*\* against" in text


def test_settings_that_differ_from_the_preset_are_named() -> None:
    settings = {"seed": {"value": 30, "source": ""}}
    published = {"preset": "paper", "options": {}, "settings": settings}
    seeds = {"mobile-seed": {"value": "0", "source": "default"}}
    found = remarks(example(published=published, options=seeds))
    assert "note: the run differs from its preset in: seed 0 for 30" in found
    assert not [each for each in found if "the baseline differs from its preset" in each]
