"""Tests of AITZ's rule: predicted boxes enlarged 1.2 times, and similar texts."""

import pytest

from pytest_mobileagent import Bounds, check
from pytest_mobileagent.action import Finish, Impossible, Key, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.errors import TaskError

SIZE = (1000, 2000)
BOX = Bounds(200, 1000, 300, 1200)  # enlarged 1.2 times, its corners are (190, 980) and (310, 1220)


@pytest.mark.parametrize(
    ("golden", "exact"),
    [((190, 980), True), ((310, 1220), True), ((189, 1100), False), ((250, 1221), False)],
)
def test_the_golden_point_must_be_in_the_predicted_box_grown_by_1_2(golden, exact):
    match = check.aitz(Tap(250, 1100), Tap(*golden), size=SIZE, box=BOX)
    assert match == check.Match(type=True, exact=exact)


@pytest.mark.parametrize(
    ("predicted", "exact"),
    [
        (Bounds(100, 100, 200, 149), False),  # 49 of the golden box's 100 pixels of height
        (Bounds(100, 100, 200, 150), False),  # exactly half is not enough
        (Bounds(100, 100, 200, 151), True),
    ],
)
def test_a_tap_also_matches_if_golden_and_predicted_box_overlap_by_more_than_half(predicted, exact):
    golden = check.Golden(Tap(150, 195), SIZE, (Bounds(100, 100, 200, 200),))
    assert check.aitz(Tap(150, 120), golden, box=predicted).exact == exact


def test_without_a_predicted_box_it_is_the_smallest_golden_one_around_the_tap():
    row, icon = Bounds(0, 1000, 1000, 1200), Bounds(20, 1020, 180, 1180)
    golden = check.Golden(Tap(500, 1100), SIZE, (row, icon))
    assert check.aitz(Tap(900, 1190), golden)
    assert not check.aitz(Tap(100, 1100), golden)
    assert not check.aitz(Tap(500, 1300), golden)


def test_the_released_code_compares_taps_with_the_upper_left_corner():
    assert not check.aitz(Tap(250, 1100), Tap(250, 1100), size=SIZE, box=BOX, quirks=True)
    corner = Bounds(0, 0, 10, 10)
    assert check.aitz(Tap(5, 5), Tap(250, 1100), size=SIZE, box=corner, quirks=True)


@pytest.mark.parametrize(
    ("predicted", "golden", "type_", "exact"),
    [
        (Scroll("up"), Swipe(500, 1500, 500, 500), True, True),
        (Scroll("down"), Swipe(500, 1500, 500, 500), True, False),
        (Scroll("down"), Swipe(0, 0, 100, 181), True, True),  # 0.0905 and 0.1: still vertical
        (Scroll("down"), Swipe(0, 0, 100, 179), True, False),
        (Type("Oslo S"), Type("Oslo"), True, True),
        (Type("oslo"), Type("Oslo"), True, False),  # Case matters: the similarity is 0.75.
        (Type("abcdX"), Type("abcdY"), True, False),  # A similarity of 0.8 is not enough.
        (Type("abcdeX"), Type("abcdeY"), True, True),
        (Key("back"), Key("home"), True, False),
        (Finish(), Impossible(), True, True),
        (LongPress(1, 1), Tap(1, 1), False, False),
        (Wait(), Finish(), False, False),
        (None, Tap(1, 1), False, False),
    ],
)
def test_other_actions_are_compared_by_their_content(predicted, golden, type_, exact):
    match = check.aitz(predicted, golden, size=SIZE)
    assert (match.type, match.exact) == (type_, exact)


@pytest.mark.parametrize("rule", [check.aitz, check.odyssey, check.mobile_bench])
def test_an_unknown_scorer_is_named_in_the_error(rule):
    with pytest.raises(TaskError, match=r"no scorer 'qwen' \(available: "):
        rule(Tap(1, 1), Tap(1, 1), size=SIZE, scorer="qwen")
