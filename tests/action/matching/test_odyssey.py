"""Tests of GUI-Odyssey's rule: a box or a distance of 0.14, directions, and similar texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Bounds, check
from pytest_mobileagent.action import Finish, Key, Open, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.errors import TaskError

SIZE = (1000, 1000)
BOX = Bounds(700, 700, 800, 900)


@pytest.mark.parametrize("press", [Tap, LongPress])
@pytest.mark.parametrize(
    ("x", "y", "exact"),
    [
        (640, 500, True),
        (641, 500, False),
        (584, 612, True),  # 0.084 and 0.112: a distance of 0.14
        (585, 612, False),
        (700, 700, True),  # The edges belong to the box, which is not enlarged.
        (800, 900, True),
        (801, 900, False),
        (699, 900, False),
    ],
)
def test_taps_are_right_in_the_box_or_within_0_14(press, x, y, exact):
    golden = check.Golden(press(500, 500), SIZE, (BOX,))
    assert check.odyssey(press(x, y), golden) == check.Match(type=True, exact=exact)


@pytest.mark.parametrize(
    ("predicted", "golden", "type_", "exact"),
    [
        (Type(" Oslo "), Type("Oslo S"), True, True),
        (Type("abXX"), Type("abcd"), True, True),  # two edits for four letters
        (Type("aXXX"), Type("abcd"), True, False),
        (Type("OSLO"), Type("oslo"), True, False),  # Case matters.
        (Scroll("up"), Scroll("up"), True, True),
        (Scroll("up"), Swipe(500, 100, 500, 900), True, False),
        (Key("back"), Key("home"), False, False),
        (Key("overview"), Key("overview"), True, True),
        (Finish("x"), Finish(), True, True),
        (LongPress(5, 5), Tap(5, 5), False, False),
        (None, Tap(5, 5), False, False),
    ],
)
def test_other_actions_are_compared_by_their_content(predicted, golden, type_, exact):
    match = check.odyssey(predicted, golden, size=SIZE)
    assert (match.type, match.exact) == (type_, exact)


def test_the_released_code_reads_texts_up_to_a_colon():
    predicted, golden = Type("Time: 7:30 in the morning"), Type("Time: tomorrow evening")
    assert check.odyssey(predicted, golden, size=SIZE, quirks=True)
    assert not check.odyssey(predicted, golden, size=SIZE)


def test_agentcpm_takes_the_golden_key_of_the_apps_in_use_for_home_as_released():
    def match(name, *, quirks):
        return check.odyssey(
            Key(name), Key("overview"), size=SIZE, scorer="agentcpm", quirks=quirks
        ).exact

    assert [match("overview", quirks=q) for q in (False, True)] == [True, False]
    assert [match("home", quirks=q) for q in (False, True)] == [False, True]


def test_apps_are_opened_by_taps_there():
    assert not check.odyssey(Open("Maps"), Tap(1, 1), size=SIZE)
    with pytest.raises(TaskError, match="GUI-Odyssey has no action like Open"):
        check.odyssey(Tap(1, 1), Open("Maps"), size=SIZE)


POINTS = st.tuples(st.integers(0, 999), st.integers(0, 999))


@given(POINTS, POINTS)
def test_without_a_box_the_order_does_not_matter(one, other):
    forth = check.odyssey(Tap(*one), Tap(*other), size=SIZE)
    assert forth == check.odyssey(Tap(*other), Tap(*one), size=SIZE)
    assert (
        forth.exact
        == check.androidcontrol(Tap(*one), Tap(*other), size=SIZE, scorer="os-atlas").exact
        or 139 < ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5 < 141
    )


@given(st.text(), st.text())
def test_texts_are_alike_both_ways(one, other):
    forth = check.odyssey(Type(one), Type(other), size=SIZE)
    assert forth == check.odyssey(Type(other), Type(one), size=SIZE)
