"""Tests of AITW's rule: taps by distance or enlarged box, swipes by axis, the rest by type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Bounds, check
from pytest_mobileagent.action import Finish, Impossible, Key, Open, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.errors import TaskError

SIZE = (1000, 2000)
GOLDEN = Tap(500, 1000)
# Enlarged 2.4 times, its corners are (130, 860) and (370, 1340).
BOX = Bounds(200, 1000, 300, 1200)


@pytest.mark.parametrize(
    ("predicted", "exact"),
    [
        (Tap(500, 1000), True),
        (Tap(640, 1000), True),  # 0.14 of the width
        (Tap(641, 1000), False),
        (Tap(500, 1280), True),  # 0.14 of the height, which is more pixels
        (Tap(500, 1281), False),
        (Tap(584, 1224), True),  # 0.084 and 0.112: a distance of 0.14
        (Tap(585, 1224), False),
        (LongPress(500, 1000), True),
        (Swipe(500, 1000, 460, 1000), True),  # 0.04 is too short for a swipe.
        (Swipe(500, 1000, 459, 1000), False),
        (Scroll("up"), False),
    ],
)
def test_taps_are_the_same_within_0_14_of_the_screen(predicted, exact):
    match = check.aitw(predicted, GOLDEN, size=SIZE)
    assert (match.type, match.exact) == (True, exact)


@pytest.mark.parametrize(
    ("predicted", "exact"),
    [
        ((130, 860), True),  # The corners belong to the enlarged box.
        ((370, 1340), True),
        ((129, 1339), False),
        ((370, 1341), False),
    ],
)
def test_taps_are_the_same_in_one_box_of_2_4_times_its_size(predicted, exact):
    golden = check.Golden(Tap(365, 865), SIZE, (Bounds(0, 0, 9, 9), BOX))
    far = check.Golden(Tap(369, 1335) if predicted[1] < 1000 else Tap(131, 865), SIZE, golden.boxes)
    assert check.aitw(Tap(*predicted), far).exact == exact


def test_both_taps_must_be_in_the_same_box():
    golden = check.Golden(
        Tap(100, 100), SIZE, (Bounds(90, 90, 110, 110), Bounds(490, 90, 510, 110))
    )
    assert not check.aitw(Tap(500, 100), golden)


def test_a_box_that_grows_beyond_the_edge_is_moved_inwards():
    golden = check.Golden(Tap(0, 50), SIZE, (Bounds(0, 0, 100, 100),))
    assert check.aitw(Tap(240, 50), golden)  # 2.4 times the width, measured from the edge
    assert not check.aitw(Tap(241, 50), golden)


@pytest.mark.parametrize(
    ("predicted", "golden", "exact"),
    [
        # The direction along the axis is ignored.
        (Swipe(500, 1500, 500, 500), Swipe(500, 500, 500, 1500), True),
        (Scroll("up"), Swipe(500, 500, 500, 1500), True),
        (Scroll("left"), Scroll("right"), True),
        (Scroll("left"), Scroll("up"), False),
        (Swipe(0, 0, 300, 600), Scroll("up"), True),  # 0.3 and 0.3 count as vertical.
        (Swipe(0, 0, 301, 600), Scroll("up"), False),
    ],
)
def test_swipes_are_the_same_along_one_axis(predicted, golden, exact):
    assert check.aitw(predicted, golden, size=SIZE) == check.Match(type=True, exact=exact)


@pytest.mark.parametrize(
    ("predicted", "golden", "right"),
    [
        (Type("Oslo"), Type("Bergen"), True),  # The text is ignored.
        (Key("back"), Key("back"), True),
        (Key("back"), Key("home"), False),
        (Finish("yes"), Finish(), True),
        (Impossible(), Finish(), False),
        (Wait(), Finish(), False),
        (Key("volume_up"), Key("home"), False),
        (DoubleTap(500, 1000), GOLDEN, False),
        (Raw("input tap 500 1000"), GOLDEN, False),
        (None, GOLDEN, False),
    ],
)
def test_other_actions_match_if_their_types_are_equal(predicted, golden, right):
    assert check.aitw(predicted, golden, size=SIZE) == check.Match(type=right, exact=right)


@pytest.mark.parametrize("golden", [Wait(), Open("com.shop"), Key("menu"), Raw("x")])
def test_an_action_unknown_to_aitw_cannot_be_golden(golden):
    with pytest.raises(TaskError, match="AITW has no action like"):
        check.aitw(Tap(1, 1), golden, size=SIZE)


X, Y = st.integers(0, 999), st.integers(0, 1999)
GESTURES = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"])),
)
BOXES = st.lists(st.builds(Bounds, X, Y, X, Y), max_size=4).map(tuple)


@given(GESTURES, GESTURES, BOXES)
def test_the_order_does_not_matter(one, other, boxes):
    forth = check.aitw(one, check.Golden(other, SIZE, boxes))
    assert forth == check.aitw(other, check.Golden(one, SIZE, boxes))


@given(GESTURES)
def test_a_gesture_is_the_same_as_itself(gesture):
    assert check.aitw(gesture, gesture, size=SIZE)
