"""Tests of which actions are valid on a screen, and of the reasons for refusing others."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action import (
    ACTIONS,
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    Open,
    Type,
    Wait,
    check,
)
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap

SIZE = (100, 200)


class OwnTap(Tap):
    """An action type defined by an agent, which records cannot name."""


@pytest.mark.parametrize(
    "action",
    [
        Tap(0, 0),
        Tap(99, 199),
        LongPress(5, 5, 0),
        LongPress(5, 5, 60),
        DoubleTap(99, 0),
        Swipe(0, 0, 99, 199, 0.5),
        Scroll("up"),
        Scroll("left", at=(99, 199)),
        Type(""),
        Type("a" * 100_000),
        Type("ok 👍", at=(0, 0), clear=True, enter=True),
        Key("back"),
        Open("com.android.settings"),
        Wait(0),
        Ask("Which one?"),
        Finish(),
        Finish("42"),
        Impossible("no network"),
    ],
    ids=lambda value: repr(value)[:80],
)
def test_valid_actions_are_accepted(action: Action) -> None:
    assert check(action, SIZE) is action


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        (None, "None is not an action (it is of type NoneType)"),
        ("tap", "'tap' is not an action (it is of type str)"),
        ({"action": "tap"}, "is not an action (it is of type dict)"),
        (Tap, "is not an action (it is of type type)"),
        (OwnTap(1, 1), "is not an action (it is of type OwnTap)"),
        (Tap("a", 1), "Tap(x='a', y=1): coordinates must be whole pixels"),  # type: ignore[arg-type]
        (Tap(1.0, 1), "coordinates must be whole pixels"),  # type: ignore[arg-type]
        (Tap(True, 1), "coordinates must be whole pixels"),
        (Tap(math.nan, 1), "coordinates must be whole pixels"),  # type: ignore[arg-type]
        (Tap(100, 5), "(100, 5) is outside the screen, which is 100x200"),
        (Tap(5, 200), "outside"),
        (Tap(-1, 5), "outside"),
        (LongPress(5, 5, math.nan), "seconds must be a number from 0 to 60"),
        (LongPress(5, 5, -1), "seconds"),
        (DoubleTap(5, 1000), "outside"),
        (Swipe(5, 5, 5, -1), "(5, -1) is outside"),
        (Swipe(500, 5, 5, 5), "(500, 5) is outside"),
        (Swipe(5, 5, 5, 5, math.inf), "seconds"),
        (Scroll("upwards"), "'upwards' is not one of up, down, left, right"),  # type: ignore[arg-type]
        (Scroll("up", at=(5, 500)), "outside"),
        (Scroll("up", at=5), "`at` must be a pair of pixels"),  # type: ignore[arg-type]
        (Type("a", at=(1, 2, 3)), "`at` must be a pair of pixels"),  # type: ignore[arg-type]
        (Type("a", at=("1", "2")), "whole pixels"),  # type: ignore[arg-type]
        (Type(7), "the text must be a string, not int"),  # type: ignore[arg-type]
        (Type("a\0b"), "the text must not contain NUL"),
        (Type("a\ud83d"), "a lone surrogate"),
        (Type("a", clear="no"), "`clear` and `enter` must be True or False"),  # type: ignore[arg-type]
        (Type("a" * 100_001), "the text of Type has 100001 characters; the maximum is 100000"),
        (Finish("a" * 100_001), "the text of Finish has 100001 characters"),
        (Key("Back"), "did you mean 'back'?"),  # type: ignore[arg-type]
        (Key(None), "None is not one of"),  # type: ignore[arg-type]
        (Open(None), "the text must be a string, not NoneType"),  # type: ignore[arg-type]
        (Wait(61), "from 0 to 60"),
        (Wait("1"), "seconds must be a number"),  # type: ignore[arg-type]
        (Wait(True), "seconds must be a number"),
        (Ask(None), "the text must be a string"),  # type: ignore[arg-type]
        (Finish(42), "the text must be a string, not int"),  # type: ignore[arg-type]
        (Finish("\udc00"), "a lone surrogate"),
        (Impossible(None), "the text must be a string"),  # type: ignore[arg-type]
    ],
    ids=lambda value: repr(value)[:80],
)
def test_invalid_actions_are_refused_with_the_reason(action: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        check(action, SIZE)


ANYTHING = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.tuples(st.integers(-5, 250), st.integers(-5, 250))
    | st.lists(st.integers(), max_size=3)
)


@given(st.sampled_from(ACTIONS), st.lists(ANYTHING, max_size=5))
def test_any_value_in_any_field_is_accepted_or_refused(kind: Any, values: list[Any]) -> None:
    try:
        action = kind(*values)
    except TypeError:  # too few or too many values
        return
    try:
        check(action, SIZE)
    except ValueError:
        return
    repr(action).encode()  # The text of a valid action can be encoded as UTF-8.
