"""Grouping a program's acts into steps, and converting acts to actions."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action import Key, Open, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.program.commands import (
    PASTE,
    SELECT_ALL,
    TO_THE_END,
    TO_THE_START,
    Act,
    Clear,
    Command,
    Erase,
    Pointer,
)
from pytest_mobileagent.program.commands.steps import Mark, continues, grouped, merged, settled

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
        ("clalac", [[2, 4]]),  # looks between two calls have no effect
        ("ccac", [[2]]),  # a call without acts is not a step
        ("caccac", [[1], [4]]),
        ("aac", [[0], [1]]),  # no calls enclose them
        ("laac", [[1, 2]]),  # a look takes the place of a call
        ("caal", [[1, 2]]),
        ("laal", [[1, 2]]),
        ("alaala", [[0], [2, 3], [5]]),
        ("caala", [[1, 2], [4]]),
        ("caa", [[1], [2]]),
        ("caalac", [[1, 2, 4]]),  # the later call joined them into one decision
        ("(aala)", [[1, 2, 4]]),
        ("(aa", [[1, 2]]),
        ("(acac a)", [[1], [3], [5]]),
        ("a(a)a", [[0], [2], [4]]),
        ("(a)a a(a)", [[1], [3, 4], [6]]),
        ("ammm", [[0, 1, 2, 3]]),
        ("amam", [[0, 1], [2, 3]]),
        ("alm", [[0, 2]]),  # continues across a look
        ("lalmal", [[1, 3], [4]]),
        ("acm", [[0], [2]]),  # but not across a call
        ("m", [[0]]),
    ],
)
def test_acts_are_grouped_into_steps(letters, steps):
    assert grouped(marks(letters)) == steps


@pytest.mark.parametrize(
    ("letters", "count"),
    [
        ("", 0),
        ("a", 0),  # the act may continue
        ("aa", 1),
        ("aal", 1),
        ("lal", 1),
        ("lala", 3),
        ("lalaa", 3),
        ("alml", 0),
        ("almla", 4),
        ("caala", 1),  # a call would join them into one step
        ("caac", 4),
        ("ca(", 3),
        ("(aa", 1),
        ("(aa)", 4),
    ],
)
def test_final_steps_are_settled(letters, count):
    assert settled(marks(letters)) == count


@given(MARKS, MARKS)
def test_settled_steps_never_change(first, then):
    count = settled(first)
    sure = grouped(first[:count])
    assert grouped(first)[: len(sure)] == sure
    assert grouped([*first, *then])[: len(sure)] == sure
    assert all(at >= count for step in grouped([*first, *then])[len(sure) :] for at in step)


@given(MARKS)
def test_every_act_is_in_one_step_in_order(given_marks):
    steps = grouped(given_marks)
    acts = [at for at, mark in enumerate(given_marks) if mark in {"act", "more"}]
    assert [at for step in steps for at in step] == acts
    assert all(steps)


@given(MARKS)
def test_number_of_settled_steps_never_falls(given_marks):
    counts = [settled(given_marks[:end]) for end in range(len(given_marks) + 1)]
    assert counts == sorted(counts)


ENTER, DELETE = Key("enter"), Key("delete")
SCRCPY = Raw("localabstract:scrcpy: binary control")


def timed(*acts: Act, pause: float = 0.1) -> list[tuple[Act, float]]:
    return [(act, 50 + place * pause) for place, act in enumerate(acts)]


@pytest.mark.parametrize(
    ("acts", "actions"),
    [
        ((), ()),
        ((Type("a"), Type("b"), Type(" "), Type("c")), (Type("ab c"),)),
        ((Type("a"), ENTER, Type("b")), (Type("a"), ENTER, Type("b"))),
        ((Tap(1, 2), Type("a")), (Tap(1, 2), Type("a"))),
        ((Clear(), Type("a"), Type("b")), (Type("ab", clear=True),)),
        ((Clear(),), (Type("", clear=True),)),
        ((Clear(), Clear(), Erase()), (Type("", clear=True),)),
        ((Erase(), Erase()), (DELETE, DELETE)),
        ((Erase(5),), (Type("", clear=True),)),
        ((*[Erase()] * 50, Type("x")), (Type("x", clear=True),)),
        ((Erase(2), Type("x")), (DELETE, DELETE, Type("x"))),
        ((Type("ab"), Erase(), Type("c")), (Type("ab"), DELETE, Type("c"))),
        ((Type("ab"), Clear(), Type("c")), (Type("ab"), Type("c", clear=True))),
        ((SELECT_ALL, Erase()), (Type("", clear=True),)),
        ((SELECT_ALL, Type("x")), (Type("x", clear=True),)),
        ((SELECT_ALL,), (SELECT_ALL,)),
        ((TO_THE_END, *[Erase()] * 9, Type("x")), (Type("x", clear=True),)),
        ((TO_THE_END, Erase()), (TO_THE_END, DELETE)),
        ((TO_THE_START, *[Erase()] * 9), (Type("", clear=True),)),
        ((Raw("clipboard: hi"), PASTE), (Type("hi"),)),
        ((Clear(), Raw("clipboard: hi"), PASTE), (Type("hi", clear=True),)),
        ((Raw("clipboard: hi"),), (Raw("clipboard: hi"),)),
        ((PASTE,), (PASTE,)),
        ((Tap(1, 2), Tap(3, 4)), (DoubleTap(1, 2),)),
        ((Tap(1, 2), Tap(1, 2), Tap(1, 2)), (DoubleTap(1, 2), Tap(1, 2))),
        ((Tap(1, 2), Tap(30, 2)), (Tap(1, 2), Tap(30, 2))),
        ((Tap(1, 2), Wait(1.0), Tap(1, 2)), (Tap(1, 2), Wait(1.0), Tap(1, 2))),
        ((Pointer("down", 5, 6), Pointer("up", 6, 6)), (Tap(5, 6),)),
        (
            (Pointer("down", 5, 6), Pointer("move", 5, 300), Pointer("up", 5, 600)),
            (Swipe(5, 6, 5, 600, 0.2),),
        ),
        ((Pointer("down", 5, 6),), (Raw("touch: down 5,6"),)),
        ((Pointer("down", 5, 6), Pointer("cancel", 5, 6)), (Raw("touch: down 5,6, cancel 5,6"),)),
        (
            (
                Pointer("down", 0, 0),
                Pointer("move", 500, 0),
                Pointer("move", 500, 500),
                Pointer("up", 0, 500),
            ),
            (Raw("touch: down 0,0, move 500,0, move 500,500, up 0,500"),),
        ),
        (
            (
                Pointer("down", 1, 1),
                Pointer("up", 1, 1),
                Pointer("down", 9, 9),
                Pointer("up", 9, 9),
            ),
            (DoubleTap(1, 1),),
        ),
        ((Pointer("down", 1, 1), Pointer("up", 1, 1), Tap(2, 2)), (DoubleTap(1, 1),)),
        (
            (Tap(1, 1), Pointer("down", 1, 1), Pointer("up", 1, 90)),
            (Tap(1, 1), Swipe(1, 1, 1, 90, 0.1)),
        ),
        ((Tap(1, 1), Pointer("down", 90, 90), Pointer("up", 90, 90)), (Tap(1, 1), Tap(90, 90))),
        ((Tap(1, 1), Pointer("down", 1, 1)), (Tap(1, 1), Raw("touch: down 1,1"))),
        (
            (Raw("sendevent a"), Raw("sendevent b"), Raw("x")),
            (Raw("sendevent a and 1 more"), Raw("x")),
        ),
        ((SCRCPY, SCRCPY), (SCRCPY,)),
        ((Open("a"), Open("a")), (Open("a"), Open("a"))),
    ],
)
def test_acts_become_actions(acts, actions):
    assert merged(timed(*acts)) == actions


def test_slow_taps_are_two_actions():
    assert merged(timed(Tap(1, 2), Tap(1, 2), pause=0.4)) == (Tap(1, 2), Tap(1, 2))


def test_resting_finger_is_a_long_press():
    acts = timed(Pointer("down", 5, 6), Pointer("up", 8, 6), pause=0.75)
    assert merged(acts) == (LongPress(5, 6, 0.75),)


@pytest.mark.parametrize(
    ("before", "then", "pause", "goes_on"),
    [
        ((), (Type("a"),), 0.1, False),
        ((Type("a"),), (), 0.1, False),
        ((Type("a"),), (Type("b"),), 5.0, True),
        ((Type("a"),), (ENTER,), 0.1, False),
        ((Tap(1, 2),), (Type("a"),), 0.1, False),
        ((Clear(),), (Type("a"),), 1.0, True),
        ((Erase(),), (Erase(),), 0.1, True),
        ((Erase(),), (Type("a"),), 0.1, False),
        ((Erase(9),), (Type("a"),), 0.1, True),
        ((Type("a"),), (Erase(),), 0.1, False),
        ((SELECT_ALL,), (Erase(),), 0.1, True),
        ((Raw("clipboard: a"),), (PASTE,), 0.1, True),
        ((Pointer("down", 1, 1),), (Pointer("move", 2, 2),), 9.0, True),
        ((Pointer("move", 1, 1),), (Pointer("up", 2, 2),), 9.0, True),
        ((Pointer("up", 1, 1),), (Pointer("down", 2, 2),), 0.1, False),
        ((Pointer("down", 1, 1), Pointer("up", 1, 1)), (Pointer("down", 1, 1),), 0.1, True),
        ((Pointer("down", 1, 1), Pointer("up", 1, 90)), (Pointer("down", 1, 90),), 0.1, False),
        ((Tap(1, 2),), (Tap(1, 2),), 0.1, True),
        ((Tap(1, 2),), (Tap(1, 2),), 0.4, False),
        ((Tap(1, 2), Tap(1, 2)), (Tap(1, 2),), 0.1, False),
        ((Type("a"),), (Type("b"), Tap(1, 2)), 0.1, False),  # the tap is a separate action
        ((Raw("sendevent a"),), (Raw("sendevent b"),), 0.1, True),
        ((Raw("sendevent a"),), (Raw("sendevent b"),), 2.0, False),
        ((SCRCPY,), (SCRCPY,), 0.1, True),
        ((Raw("x"),), (Raw("x"),), 0.1, False),
    ],
)
def test_continued_acts_are_recognised(before, then, pause, goes_on):
    acts = timed(*before)
    at = 50 + 0.1 * (len(before) - 1) + pause
    assert continues(acts, Command("x", then), at) is goes_on


ACTS = st.lists(
    st.tuples(
        st.one_of(
            st.builds(Type, st.text("ab", min_size=1, max_size=2)),
            st.builds(Erase, st.integers(1, 6)),
            st.builds(Pointer, st.sampled_from(["down", "move", "up", "cancel"]),
                      st.integers(0, 99), st.integers(0, 99)),
            st.builds(Tap, st.integers(0, 50), st.just(0)),
            st.sampled_from([Clear(), SELECT_ALL, TO_THE_END, PASTE, ENTER, SCRCPY,
                             Raw("clipboard: c"), Raw("sendevent 1"), Raw("x")]),
        ),
        st.floats(0, 0.5),
    ),
    max_size=20,
)  # fmt: skip


@given(ACTS)
def test_no_typed_text_is_lost(steps):
    acts = [(act, float(place)) for place, (act, _) in enumerate(steps)]
    typed = "".join(act.text for act, _ in acts if isinstance(act, Type))
    pasted = [
        one for one, other in itertools.pairwise(acts)
        if one[0] == Raw("clipboard: c") and other[0] == PASTE
    ]  # fmt: skip
    told = "".join(action.text for action in merged(acts) if isinstance(action, Type))
    assert told.replace("c", "") == typed
    assert told.count("c") == len(pasted)


@given(ACTS)
def test_a_continued_act_adds_no_action_except_a_key(steps):
    at = 0.0
    acts: list[tuple[Act, float]] = []
    for act, pause in steps:
        at += pause
        if continues(acts, Command("x", (act,)), at) and not isinstance(act, Erase | Pointer):
            assert len(merged([*acts, (act, at)])) <= len(merged(acts))
        acts.append((act, at))
