"""Tests of AndroidControl's rules, as implemented by its three published scorers."""

import pytest

from pytest_mobileagent import Bounds, check
from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.errors import TaskError

SIZE = (1000, 2000)
GOLDEN = Tap(500, 1000)
BOX = Bounds(250, 1000, 750, 1500)  # enlarged 1.2 times, its corners are (200, 950) and (800, 1550)


def test_the_same_tap_is_right_by_aitw_and_by_os_atlas_but_not_by_others():
    tap = Tap(600, 1000)  # a tenth of the screen away
    assert check.aitw(tap, GOLDEN, size=SIZE)
    assert check.odyssey(tap, GOLDEN, size=SIZE)
    assert check.androidcontrol(tap, GOLDEN, size=SIZE, scorer="os-atlas")
    assert not check.androidcontrol(tap, GOLDEN, size=SIZE)
    assert not check.androidcontrol(tap, GOLDEN, size=SIZE, scorer="agentcpm")


@pytest.mark.parametrize("press", [Tap, LongPress])
@pytest.mark.parametrize(
    ("x", "y", "exact"),
    [
        (40, 0, True),  # 0.04 of the width
        (41, 0, False),
        (0, 80, True),  # 0.04 of the height
        (0, 81, False),
        (200, 950, True),  # The corners belong to the enlarged box.
        (800, 1550, True),
        (199, 950, False),
        (800, 1551, False),
    ],
)
def test_qwen_accepts_boxes_of_1_2_times_their_size_and_0_04_of_the_screen(press, x, y, exact):
    golden = check.Golden(press(0, 0), SIZE, (Bounds(0, 0, 10, 10), BOX))
    assert check.androidcontrol(press(x, y), golden) == check.Match(type=True, exact=exact)


def test_at_the_very_threshold_the_arithmetic_is_that_of_the_source():
    assert check.androidcontrol(Tap(460, 1000), GOLDEN, size=SIZE)  # 0.5 - 0.46 <= 0.04
    assert not check.androidcontrol(Tap(540, 1000), GOLDEN, size=SIZE)  # 0.54 - 0.5 > 0.04


@pytest.mark.parametrize(
    ("predicted", "golden", "type_", "exact"),
    [
        (LongPress(500, 1000), GOLDEN, False, False),
        (Type(" OSLO s"), Type("oslo"), True, True),
        (Type("Osl"), Type("Oslo"), True, True),
        (Type("Bergen"), Type("Oslo"), True, False),
        (Type(""), Type("Oslo"), True, True),  # The empty text is a part of every text.
        (Open("zoho"), Open("Zoho Meeting"), True, True),
        (Open("pCloud"), Open("Zoho Meeting"), True, False),
        (Scroll("up"), Swipe(0, 0, 100, 0), True, True),  # The direction is ignored.
        (Tap(1, 1), Scroll("up"), False, False),
        (Wait(5), Wait(1), True, True),
        (Key("back"), Key("back"), True, True),
        (Key("home"), Key("back"), True, False),
        (Finish("42"), Finish(), True, True),
        (Impossible(), Finish(), False, False),
        (None, GOLDEN, False, False),
    ],
)
def test_qwen_compares_texts_keys_and_types(predicted, golden, type_, exact):
    match = check.androidcontrol(predicted, golden, size=SIZE)
    assert (match.type, match.exact) == (type_, exact)


@pytest.mark.parametrize(
    ("tap", "boxes", "type_", "exact"),
    [
        (Tap(800, 1100), (BOX,), True, True),
        (Tap(801, 1220), (BOX,), True, False),
        (Tap(250, 1100), (), False, False),  # The icon is not on the screen.
    ],
)
def test_qwen_accepts_a_tap_on_the_icon_of_an_app_that_is_to_be_opened(tap, boxes, type_, exact):
    match = check.androidcontrol(tap, check.Golden(Open("Maps"), SIZE, boxes))
    assert (match.type, match.exact) == (type_, exact)


def boxes_at(*places):
    """Return boxes of 20 by 20 pixels around these points."""
    return tuple(Bounds(x - 10, y - 10, x + 10, y + 10) for x, y in places)


@pytest.mark.parametrize(
    ("x", "y", "exact"),
    [
        (460, 1000, True),
        (459, 1000, False),
        (740, 1012, True),  # in the fifth nearest box, enlarged 1.2 times
        (740, 1013, False),
        (800, 1000, False),  # in the sixth nearest box
    ],
)
def test_agentcpm_accepts_the_five_boxes_nearest_to_the_golden_point(x, y, exact):
    near = [(500, 1000), (560, 1000), (620, 1000), (680, 1000), (740, 1000), (800, 1000)]
    golden = check.Golden(GOLDEN, SIZE, boxes_at(*reversed(near)))
    assert check.androidcontrol(Tap(x, y), golden, scorer="agentcpm").exact == exact


@pytest.mark.parametrize(
    ("x", "y", "exact"),
    [
        (640, 1000, True),  # 0.14 of the screen
        (641, 1000, False),
        (380, 1500, True),  # in the box that contains the golden point
        (560, 1700, False),  # in the other box
    ],
)
def test_agentcpm_accepts_only_boxes_around_the_golden_point_elsewhere(x, y, exact):
    boxes = (Bounds(400, 900, 600, 1500), Bounds(550, 1600, 650, 1800))
    golden = check.Golden(GOLDEN, SIZE, boxes)
    assert check.cagui(Tap(x, y), golden).exact == exact
    assert check.aitz(Tap(x, y), golden, scorer="agentcpm").exact == exact
    assert check.odyssey(Tap(x, y), golden, scorer="agentcpm").exact == exact


@pytest.mark.parametrize(
    ("predicted", "golden", "type_", "exact"),
    [
        (Scroll("up"), Swipe(500, 1500, 500, 500), True, True),
        (Scroll("down"), Swipe(500, 1500, 500, 500), True, False),
        (Swipe(0, 0, 100, 200), Scroll("down"), True, True),  # 0.1 and 0.1 count as vertical.
        (Swipe(0, 0, 101, 200), Scroll("down"), True, False),
        (Tap(500, 1000), Swipe(500, 1000, 460, 1000), True, True),  # 0.04 is too short for a swipe.
        (Tap(500, 1000), Swipe(500, 1000, 459, 1000), False, False),
        (Wait(), Finish(), True, True),  # Both are of the type "stop".
        (Ask("which?"), Impossible(), True, True),
        (Finish(), Wait(), True, True),
        (Type("OSLO"), Type("Oslo S"), True, True),
        (Key("enter"), Key("back"), True, False),
        (Open("Maps"), Tap(1, 1), False, False),
    ],
)
def test_agentcpm_compares_directions_texts_and_types(predicted, golden, type_, exact):
    match = check.androidcontrol(predicted, golden, size=SIZE, scorer="agentcpm")
    assert (match.type, match.exact) == (type_, exact)


def test_agentcpm_leaves_out_apps_that_are_to_be_opened():
    match = check.androidcontrol(Tap(1, 1), Open("Maps"), size=SIZE, scorer="agentcpm")
    assert match
    assert not match.counts


def test_agentcpm_takes_golden_long_presses_for_taps_as_released():
    golden = LongPress(500, 1000)
    for predicted, quirks in ((LongPress(500, 1000), False), (Tap(500, 1000), True)):
        match = check.androidcontrol(predicted, golden, size=SIZE, scorer="agentcpm", quirks=quirks)
        assert match
        other = check.androidcontrol(
            predicted, golden, size=SIZE, scorer="agentcpm", quirks=not quirks
        )
        assert not other.type


@pytest.mark.parametrize(
    ("predicted", "golden", "type_", "exact"),
    [
        (Tap(640, 1000), GOLDEN, True, True),  # 140 thousandths of the screen
        (Tap(641, 1000), GOLDEN, True, False),
        (LongPress(500, 1280), LongPress(500, 1000), True, True),
        (LongPress(500, 1281), LongPress(500, 1000), True, False),
        (LongPress(500, 1000), GOLDEN, False, False),
        (Type("oslo airport"), Type("Oslo S"), True, True),  # The first word decides.
        (Type("Oslo S"), Type("Oslo"), True, False),  # Its bracket follows its last word.
        (Type("OSLO"), Type("Oslo"), True, True),
        (Open("Zoho Mail"), Open("Zoho Meeting"), True, True),
        (Scroll("up"), Scroll("down"), True, False),
        (Scroll("up"), Swipe(500, 1500, 500, 500), True, True),
        (Key("home"), Key("back"), False, False),  # Each key is a type of its own.
        (Wait(), Wait(2), True, True),
    ],
)
def test_os_atlas_compares_words_and_0_14_of_the_screen(predicted, golden, type_, exact):
    match = check.androidcontrol(predicted, golden, size=SIZE, scorer="os-atlas")
    assert (match.type, match.exact) == (type_, exact)


@pytest.mark.parametrize("scorer", ["qwen2.5-vl", "agentcpm", "os-atlas"])
def test_an_action_unknown_to_a_scorer_cannot_be_golden(scorer):
    with pytest.raises(TaskError, match="has no action like DoubleTap"):
        check.androidcontrol(Tap(1, 1), DoubleTap(1, 1), size=SIZE, scorer=scorer)
