"""Commands that the harness's own driver sends for an action are parsed as the same action."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action import Action, Key, KeyName, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap, scroll_path
from pytest_mobileagent.device.drivers.adb.gestures import script
from pytest_mobileagent.program.commands.sockets import read_service
from pytest_mobileagent.program.commands.steps import merged

SIZE = (1080, 2400)
XS, YS = st.integers(0, SIZE[0] - 1), st.integers(0, SIZE[1] - 1)
SDKS = st.sampled_from([28, 33, 35])
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1
) | st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1)  # fmt: skip


def done(action: Action, sdk: int = 33) -> tuple[Action, ...]:
    command = read_service(f"shell:{script(action, SIZE, sdk)}")
    assert not command.looks
    assert not command.refused
    return merged([(act, 0.0) for act in command.acts])


@given(
    st.builds(Tap, XS, YS)
    | st.builds(DoubleTap, XS, YS)
    | st.builds(LongPress, XS, YS, st.sampled_from([0.5, 1.0, 2.25]))
    | st.builds(Swipe, XS, st.integers(0, 900), XS, st.integers(1000, 2399), st.just(0.75))
    | st.builds(Key, st.sampled_from([name for name in get_args(KeyName) if name != "delete"]))
    | st.builds(Open, st.from_regex(r"[a-z]{1,9}(\.[a-z]{1,9}){1,3}", fullmatch=True))
)
def test_action_round_trips(action):
    assert done(action) == (action,)


def test_delete_key_round_trips():
    assert done(Key("delete")) == (Key("delete"),)


@given(TEXTS, st.booleans(), SDKS)
def test_text_round_trips(text, clear, sdk):
    assert done(Type(text, clear=clear), sdk) == (Type(text, clear=clear),)


@pytest.mark.parametrize(
    ("touch", "actions"),
    [
        ("DOWN 5 6; sleep 0.6; input motionevent UP 5 6", (LongPress(5, 6, 0.6),)),
        ("DOWN 5 6; sleep 0.1; input motionevent UP 5 6", (Tap(5, 6),)),
        (
            (
                "DOWN 5 6; sleep 0.2; input motionevent MOVE 5 300; sleep 5.000; "
                "input motionevent UP 5 600; sleep 1; input tap 5 600"
            ),
            (Swipe(5, 6, 5, 600, 5.2), Wait(1.0), Tap(5, 600)),
        ),
    ],
)
def test_touch_in_one_script_lasts_as_long_as_its_sleep(touch, actions):
    command = read_service(f"shell:input motionevent {touch}")
    assert merged([(act, 0.0) for act in command.acts]) == actions


@given(XS, YS, SDKS)
def test_text_for_a_field_round_trips_in_parts(x, y, sdk):
    typed = done(Type("a\tb\nc", (x, y), clear=True, enter=True), sdk)
    assert typed == (
        Tap(x, y),
        Type("a", clear=True),
        Key("tab"),
        Type("b"),
        Key("enter"),
        Type("c"),
        Key("enter"),
    )


@given(st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]), st.tuples(XS, YS)))
def test_scroll_round_trips_as_a_swipe(scroll):
    (x1, y1), (x2, y2) = scroll_path(scroll, SIZE)
    assert done(scroll) == (Swipe(x1, y1, x2, y2, 1.0),)
