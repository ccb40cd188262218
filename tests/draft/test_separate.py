"""Tests of whether a draft separates success from failure, and of the messages about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mobileagent.draft.sandbox import PrefixAnswer
from pytest_mobileagent.draft.separate import Separation
from pytest_mobileagent.verdict import Verdict


def separation(holds, passed=None, first_step=None, broke=False):
    """Return a function's answers at each prefix but the first: "+" if it holds, "-" if not."""
    answers = tuple(PrefixAnswer(mark == "+", "" if mark == "+" else "assert x") for mark in holds)
    if broke:
        answers = (*answers[:-1], PrefixAnswer(holds=False, reason="TypeError: y", broke=True))
    verdict = None if passed is None else Verdict(passed, first_step=first_step)
    return Separation(Path("run/x.0"), tuple(range(len(holds))), answers, verdict)


@pytest.mark.parametrize(
    ("holds", "passed", "right", "told"),
    [
        ("--++", True, True, "right: holds after step 2-3 of 3 (goal met)"),
        ("--++", None, True, "separates: holds after step 2-3 of 3 (nobody has decided)"),
        ("-+-+", True, True, "right: holds after step 1, 3 of 3 (goal met)"),
        ("++++", True, False, "WRONG: holds after step 0-3 of 3: even before anything was done"),
        ("++++", None, False, "USELESS: holds after step 0-3 of 3: even before anything was done"),
        ("+", True, False, "WRONG: holds after step 0 of 0: even before anything was done"),
        ("----", True, False, "WRONG: holds at no step of 3: it does not recognise success"),
        ("-++-", True, False, "WRONG: holds after step 1-2 of 3, but not at the end"),
        ("----", False, True, "right: holds at no step of 3 (goal not met)"),
        ("-++-", False, True, "right: holds after step 1-2 of 3, but not at the end"),
        ("---+", False, False, "WRONG: holds after step 3 of 3: it does not recognise failure"),
        ("++++", False, False, "WRONG: holds after step 0-3 of 3: it accepts any state"),
    ],
)
def test_a_draft_is_judged_by_known_episodes(holds, passed, right, told):
    found = separation(holds, passed)
    assert found.is_right is right
    assert next(found.lines()).startswith(told)


@pytest.mark.parametrize("passed", [True, False, None])
def test_a_draft_that_breaks_at_the_end_is_right_about_nothing(passed):
    found = separation("---", passed, broke=True)
    assert not found.is_right
    first, second = found.lines()
    assert "at the end it breaks" in first
    assert second == "  TypeError: y"


def test_the_reason_stands_below_what_is_wrong():
    assert list(separation("--", True).lines())[1:] == ["  assert x"]
    assert list(separation("-+", True).lines())[1:] == []


def test_a_recorded_check_that_held_at_another_step_is_pointed_out():
    (_, remark) = separation("-+++", True, first_step=3).lines()
    assert remark == "  the recorded check first held after step 3"
    assert len(list(separation("-+++", True, first_step=1).lines())) == 1


def test_the_report_of_being_done_counts_as_no_step():
    answers = tuple(PrefixAnswer(mark == "+") for mark in "--+")
    assert Separation(Path(), (0, 1, 1), answers).held == "1"
