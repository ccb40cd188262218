"""Tests of the causes of failures, which summarise many failures in few groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Case, Finish, Tap, Task, Termination
from pytest_mobileagent.episode.event import Crash
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.report.text.cause import without_names
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

CASE = Case(Task("Do it."), "t")
CLOSEST = "nothing on the screen of com.android.clock has text='7:00'; closest: <Text '8:00'>"


def cause(told: Result) -> str | None:
    return told.to_wire()["cause"]


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
def test_numbers_names_and_quoted_texts_are_left_out(text: str, words: str) -> None:
    assert without_names(text) == words


@given(st.text())
def test_any_text_comes_to_one_line(text: str) -> None:
    words = without_names(text)
    assert words == " ".join(words.split())
    assert without_names(words) == words


def test_an_error_of_the_agent_says_more_than_what_the_check_missed(make_episode: Any) -> None:
    error = "the agent failed at step 3: it raised ValueError: I cannot say Key(name='enter')"
    failed = make_episode(Tap(1, 1), termination=Termination.AGENT_ERROR, error=error)
    told = result(reason=f"{error}; AssertionError: assert 1 == 2", episode=failed)
    assert cause(told) == "ValueError: I cannot say Key(name=…)"


def test_a_crash_of_an_app_comes_first(make_episode: Any) -> None:
    crash = Crash("crash", "com.example.water", "TypeError: no 'int'", "water.py:3")
    episode = make_episode(Tap(1, 1), termination=Termination.STEP_LIMIT)
    crashed = replace(episode, steps=(replace(episode.steps[0], crashes=(crash,)),))
    assert cause(result(episode=crashed)) == "crash of com.example.water: TypeError: no …"


def test_otherwise_the_cause_is_the_ending_and_the_closest_miss(make_episode: Any) -> None:
    episode = make_episode(Tap(1, 1), Finish(), termination=Termination.SELF_REPORTED)
    missed = {"sought": "episode.screen.find(text='7:00')", "closest": [CLOSEST]}
    assert cause(
        result(reason="AssertionError: assert None", evidence=missed, episode=episode)
    ) == ("self-reported: nothing on the screen of … has text=…")
    compared = result(reason="AssertionError: assert [1] == [2]", episode=episode)
    assert cause(compared) == "self-reported: … == …"
    stuck = replace(
        episode,
        steps=(replace(episode.steps[0], notice="(530, 1190) is not on the screen"),),
        termination=Termination.STEP_LIMIT,
    )
    assert cause(result(evidence=missed, episode=stuck)) == ("step limit: (…) is not on the screen")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            lambda: result("error", "x", fault="infrastructure", infrastructure=("a 1", "b 2")),
            "infrastructure: b …",
        ),
        (lambda: result("error", "KeyError: 'name'", fault="task"), "task: KeyError: …"),
        (lambda: result("error"), "error"),
        (lambda: result(reason="left out by hand"), "left out by hand"),
        (lambda: result("passed"), None),
        (lambda: result("skipped", "no app"), None),
    ],
    ids=["infrastructure", "task", "error", "without an episode", "passed", "skipped"],
)
def test_an_undecided_case_names_the_fault(told: Callable[[], Result], words: str | None) -> None:
    assert told().to_wire()["cause"] == words


def test_long_causes_are_cut() -> None:
    assert len(cause(result(reason="word " * 100)) or "") == 140
