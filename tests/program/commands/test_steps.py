"""Which acts of a program make a step."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.program.commands.steps import Mark, grouped, settled

LETTERS: dict[str, Mark] = {
    "a": "act", "m": "more", "l": "look", "c": "call", "(": "begin", ")": "end",
}  # fmt: skip
MARKS = st.lists(st.sampled_from(get_args(Mark)), max_size=14)


def marks(letters: str) -> list[Mark]:
    return [LETTERS[letter] for letter in letters.replace(" ", "")]


@pytest.mark.parametrize(
    ("letters", "steps"),
    [
        ("", []),
        ("a", [[0]]),
        ("aa", [[0], [1]]),
        ("caac", [[1, 2]]),
        ("clalac", [[2, 4]]),  # looks between two calls do not matter
        ("ccac", [[2]]),  # a call without acts makes no step
        ("caccac", [[1], [4]]),
        ("aac", [[0], [1]]),  # nothing encloses them
        ("laac", [[1, 2]]),  # a look, and a call in the place of one
        ("caal", [[1, 2]]),
        ("laal", [[1, 2]]),
        ("alaala", [[0], [2, 3], [5]]),
        ("caala", [[1, 2], [4]]),
        ("caa", [[1], [2]]),
        ("caalac", [[1, 2, 4]]),  # the call that came made one decision of it
        ("(aala)", [[1, 2, 4]]),
        ("(aa", [[1, 2]]),
        ("(acac a)", [[1], [3], [5]]),
        ("a(a)a", [[0], [2], [4]]),
        ("(a)a a(a)", [[1], [3, 4], [6]]),
        ("ammm", [[0, 1, 2, 3]]),
        ("amam", [[0, 1], [2, 3]]),
        ("alm", [[0, 2]]),  # goes on beyond a look
        ("lalmal", [[1, 3], [4]]),
        ("acm", [[0], [2]]),  # but not beyond a call
        ("m", [[0]]),
    ],
)
def test_acts_are_grouped(letters: str, steps: list[list[int]]) -> None:
    assert grouped(marks(letters)) == steps


@pytest.mark.parametrize(
    ("letters", "count"),
    [
        ("", 0),
        ("a", 0),  # more of it may come
        ("aa", 1),
        ("aal", 1),
        ("lal", 1),
        ("lala", 3),
        ("lalaa", 3),
        ("alml", 0),
        ("almla", 4),
        ("caala", 1),  # a call would make one step of them
        ("caac", 4),
        ("ca(", 3),
        ("(aa", 1),
        ("(aa)", 4),
    ],
)
def test_what_cannot_change_any_more_is_settled(letters: str, count: int) -> None:
    assert settled(marks(letters)) == count


@given(MARKS, MARKS)
def test_settled_steps_never_change(first: list[Mark], then: list[Mark]) -> None:
    count = settled(first)
    sure = grouped(first[:count])
    assert grouped(first)[: len(sure)] == sure
    assert grouped([*first, *then])[: len(sure)] == sure
    assert all(at >= count for step in grouped([*first, *then])[len(sure) :] for at in step)


@given(MARKS)
def test_every_act_is_in_one_step_and_in_order(given_marks: list[Mark]) -> None:
    steps = grouped(given_marks)
    acts = [at for at, mark in enumerate(given_marks) if mark in {"act", "more"}]
    assert [at for step in steps for at in step] == acts
    assert all(steps)


@given(MARKS)
def test_ever_more_is_settled(given_marks: list[Mark]) -> None:
    counts = [settled(given_marks[:end]) for end in range(len(given_marks) + 1)]
    assert counts == sorted(counts)
