"""Tests of the lines that explain a failure: what came closest, sub-goals, crashes, causes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Case, Finish, Open, Tap, Task, Termination
from pytest_mobileagent.episode.event import Crash
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.report.text.narration import (
    crash,
    deep_link,
    failure,
    missed,
    nearest,
    progress,
    telling_step,
    without_names,
)
from pytest_mobileagent.verdict import Verdict


def made(name: str, held: bool, first: int | None, weight: float = 1) -> dict[str, Any]:
    return {"name": name, "weight": weight, "held": held, "first_step": first, "reason": ""}


@pytest.mark.parametrize(
    ("subgoals", "words"),
    [
        ([], ""),
        ([made("shoes", True, 6, 2), made("paid", False, None)],
         "2/3  shoes: at step 6   paid: never"),
        ([made("a", False, 3), made("b", True, None)],
         "1/2  a: at step 3, but not at the end   b: held"),
        ([made("a", True, 0, 0.5), made("b\nc", False, 0, 0.25)],
         "0.5/0.75  a: at the start   b c: at the start, but not at the end"),
    ],
)  # fmt: skip
def test_progress_shows_share_and_steps_of_sub_goals(subgoals, words):
    assert progress(subgoals) == words


def test_failure_has_at_most_eleven_lines(make_episode, tmp_path):
    many = [made(f"goal {number} {200 * 'x'}", False, None) for number in range(50)]
    episode = make_episode(
        *[Tap(1, 1)] * 9, Open("a\nb"), error="raised\nfar below", folder=tmp_path
    )
    lines = failure(
        episode, "a\nb", "file:1", "c\nd\ne", "; never", subgoals=many, screen="5.png", page="p#e"
    )
    assert len(lines) == 9
    assert lines[3].startswith("sub-goals 0/50  goal 0")
    assert all(len(line) < 700 for line in lines)


def test_the_first_crash_of_an_app_is_reported_and_how_many_followed(make_episode):
    first = Crash("crash", "com.example.water", "TypeError: no\nnumber", "water/main.py:26")
    silent = Crash("not responding", "com.example.water", "Input dispatching timed out")
    episode = make_episode(Tap(1, 1), Tap(2, 2), Tap(3, 3))
    assert crash(episode) == ""
    before, crashed, after = episode.steps
    steps = (before, replace(crashed, crashes=(first, silent)), replace(after, crashes=(silent,)))
    lines = failure(replace(episode, steps=steps), "", "", "", "")
    told = "crash    com.example.water: TypeError: no number, water/main.py:26, at step 2"
    assert f"{told} (and 2 more)" in lines


@pytest.mark.parametrize(
    ("actions", "met", "step"),
    [
        ([Tap(1, 1)] * 3 + [Finish()], None, 3),  # The report of success changes nothing.
        ([Tap(1, 1)] * 3 + [Finish()], 1, 2),  # A step after the goal was met undid it.
        ([Tap(1, 1)] * 3 + [Finish()], 3, 3),
        ([Finish()], None, 1),
        ([], None, None),
    ],
)
def test_the_page_opens_at_the_most_informative_step(make_episode, actions, met, step):
    assert telling_step(make_episode(*actions), met) == step


def test_link_names_the_episode_and_the_step():
    assert deep_link(Path("runs/a/report.html"), "t.0", 5) == "runs/a/report.html#e=t.0&s=5"
    assert deep_link(Path("report.html"), "t.0", None) == "report.html#e=t.0"


ROWS = "assert [{'name': 'Py...', 'week': 1}] == [{'name': 'Py...', 'week': 3}]\n\n  "


@pytest.mark.parametrize(
    ("sought", "reason", "words"),
    [
        (
            'episode.probe("downloads") == others',
            f"{ROWS}Left contains one more item: {{'name': 'Negotiation Skills', 'week': 1}}",
            "probe \"downloads\" also has ('Negotiation Skills', 1)",
        ),
        (
            'others == episode.probe("downloads")',
            f"{ROWS}Left contains 2 more items, first extra item: {{'name': 'Art'}}",
            "probe \"downloads\" lacks 2 items, the first: 'Art'",
        ),
        (  # The longer list is not just a superset: the first items differ.
            'episode.probe("downloads") == others',
            f"{ROWS}At index 0 diff: 'a' != 'b'\n  Left contains one more item: 'b'",
            "probe \"downloads\", item 0: 'a' != 'b'",
        ),
        (
            '{"name": "Art"} in episode.probe("saved")',
            "assert {'name': 'Art'} in [{'name': 'Skills'}]\n +  where [{'name': 'Skills'}] = x",
            "probe \"saved\" lacks 'Art'; it is [{'name': 'Skills'}]",
        ),
        (
            'name not in episode.probe("saved")',
            "assert 'Art' not in ['Art']",
            "probe \"saved\" has 'Art'",
        ),
        (
            '"milk" in [row["name"] for row in episode.probe("items")]',
            "assert 'milk' in ['bread', 'eggs']",
            "'milk' is not in ['bread', 'eggs']",
        ),
        ('episode.probe("dark") == "2"', "assert '1' == '2'", "probe \"dark\" is '1', not '2'"),
        ('"2" == episode.probe("dark")', "assert '2' == '1'", "probe \"dark\" is '1', not '2'"),
        # The reason contains == twice, so its sides are ambiguous.
        ("left(episode) == right", "assert 'a == b' == 'c'", ""),
        ("what(", "assert 1 == 2", ""),
        ("", "", ""),
    ],
)
def test_differences_from_the_expected_value(sought, reason, words):
    reason = f"AssertionError: {reason}" if reason else ""
    assert missed({"reason": reason, "evidence": {"sought": sought}}) == words


def test_author_message_precedes_the_closest_match():
    evidence = {"sought": "x", "closest": ["the answer does not say '6'\n  it says: '7'"]}
    closest = {"reason": "AssertionError: assert False", "evidence": evidence}
    assert missed(closest) == "the answer does not say '6'; it says: '7'"
    own = {"reason": "AssertionError: still there\nassert False", "evidence": evidence}
    assert missed(own) == "still there"
    held = {"sought": "a == b", "check_held": True}
    assert missed({"reason": "AssertionError: assert 1 == 2", "evidence": held}) == ""


LISTS = (
    "AssertionError: assert [1, 2] == []\n  \n  Left contains 2 more items, first extra item: 1\n  "
)


@pytest.mark.parametrize(
    ("reason", "evidence", "words"),
    [
        ("AssertionError: assert 3 == 2\n +  where 3 = x", {}, "3 == 2"),
        (LISTS, {}, "[1, 2] == []; Left contains 2 more items, first extra item: 1"),
        ("AssertionError: assert [1] == [2]\n  \n  At index 0 diff: 1 != 2", {},
         "[1] == [2]; At index 0 diff: 1 != 2"),
        ("SubGoalError: two did not hold: assert 3 == 2", {}, "3 == 2"),
        (LISTS, {"closest": ["a <Button>\n  ; and more", "b"]}, "a <Button>; and more"),
        (LISTS, {"closest": "a text"}, "a text"),
        (LISTS, {"closest": []}, "[1, 2] == []; Left contains 2 more items, first extra item: 1"),
        (LISTS, {"check_held": True}, ""),
    ],
)  # fmt: skip
def test_the_closest_match_is_shown_or_else_the_comparison(reason, evidence, words):
    assert nearest(reason, evidence) == words


CASE = Case(Task("Do it."), "t")
CLOSEST = "nothing on the screen of com.android.clock has text='7:00'; closest: <Text '8:00'>"


def cause(told: Result) -> str | None:
    return told.entry().cause


def result(outcome: str = "failed", reason: str = "", **fields: Any) -> Result:
    evidence = fields.pop("evidence", {})
    verdict = Verdict(False, "check", reason, evidence) if outcome == "failed" else None
    return Result(CASE, outcome, reason=reason, verdict=verdict, **fields)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I cannot say Key(name='enter')", "I cannot say Key(name=…)"),
        (CLOSEST, "nothing on the screen of … has text=…"),
        ('probe "alarms" lacks (7, 30); it is [1, 2]', "probe … lacks (…); it is …"),
        ("device emulator-5554 broke off:\nfar below", "device emulator-… broke off:"),
        ("can't tap (540, 1200): it isn't there", "can't tap (…): it isn't there"),
        ("no reply for call 3 of /home/me/replies.jsonl", "no reply for call … of …"),
        ("at 12:30 on 2026-11-24, 45 % of 1,000", "at … on … % of …"),
        ("", ""),
    ],
)
def test_numbers_names_and_quotes_are_removed(text, words):
    assert without_names(text) == words


@given(st.text())
def test_any_text_becomes_one_line(text):
    words = without_names(text)
    assert words == " ".join(words.split())
    assert without_names(words) == words


def test_crashes_and_agent_errors_take_precedence_over_the_check(make_episode):
    error = "the agent failed at step 3: it raised ValueError: I cannot say Key(name='enter')"
    failed = make_episode(Tap(1, 1), termination=Termination.AGENT_ERROR, error=error)
    told = result(reason=f"{error}; AssertionError: assert 1 == 2", episode=failed)
    assert cause(told) == "ValueError: I cannot say Key(name=…)"
    crash = Crash("crash", "com.example.water", "TypeError: no 'int'", "water.py:3")
    crashed = replace(failed, steps=(replace(failed.steps[0], crashes=(crash,)),))
    assert cause(result(episode=crashed)) == "crash of com.example.water: TypeError: no …"


def test_otherwise_the_cause_is_the_ending_and_the_closest_miss(make_episode):
    episode = make_episode(Tap(1, 1), Finish(), termination=Termination.SELF_REPORTED)
    missed = {"sought": "episode.screen.find(text='7:00')", "closest": [CLOSEST]}
    told = result(reason="AssertionError: assert None", evidence=missed, episode=episode)
    assert cause(told) == "self-reported: nothing on the screen of … has text=…"
    compared = result(reason="AssertionError: assert [1] == [2]", episode=episode)
    assert cause(compared) == "self-reported: … == …"
    steps = (replace(episode.steps[0], notice="(530, 1190) is not on the screen"),)
    stuck = replace(episode, steps=steps, termination=Termination.STEP_LIMIT)
    assert cause(result(evidence=missed, episode=stuck)) == "step limit: (…) is not on the screen"
    assert len(cause(result(reason="word " * 100)) or "") == 140


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (("error", "x", {"fault": "infrastructure", "infrastructure": ("a 1", "b 2")}),
         "infrastructure: b …"),
        (("error", "KeyError: 'name'", {"fault": "task"}), "task: KeyError: …"),
        (("error", "", {}), "error"),
        (("failed", "left out by hand", {}), "left out by hand"),
        (("passed", "", {}), None),
    ],
)  # fmt: skip
def test_an_undecided_case_names_the_fault(told, words):
    outcome, reason, fields = told
    assert cause(result(outcome, reason, **fields)) == words
