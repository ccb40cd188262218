"""Tests of Mobile-Bench-v2's rules: the paper's and the released code's."""

import pytest

from pytest_mobileagent import Bounds, Finish, Key, Scroll, Swipe, Tap, Type, Wait, check

SIZE = (720, 1280)
AREA = Bounds(100, 200, 300, 400)


@pytest.mark.parametrize(
    ("golden", "paper", "code"),
    [
        ((101, 201), True, False),
        ((100, 300), False, False),  # on the edge
        ((299, 399), True, True),
        ((300, 399), False, False),
        ((200, 300), True, False),  # The code compares y with the right edge, 300, as well.
        ((200, 301), True, True),
        ((200, 400), False, False),
    ],
)
def test_the_golden_point_must_be_inside_the_chosen_area(golden, paper, code):
    def match(scorer):
        return check.mobile_bench(Tap(200, 300), Tap(*golden), size=SIZE, box=AREA, scorer=scorer)

    assert match("paper") == check.Match(type=True, exact=paper)
    assert match("code") == check.Match(type=True, exact=code)


def test_without_an_area_it_is_the_smallest_golden_box_around_the_tap():
    golden = check.Golden(Tap(150, 250), SIZE, (AREA, Bounds(250, 350, 300, 400)))
    assert check.mobile_bench(Tap(120, 390), golden)
    assert not check.mobile_bench(Tap(260, 360), golden)
    assert not check.mobile_bench(Tap(500, 500), golden)
    assert check.mobile_bench(Tap(5, 5), Tap(5, 5), size=SIZE)
    assert not check.mobile_bench(Tap(5, 6), Tap(5, 5), size=SIZE)


@pytest.mark.parametrize(
    ("predicted", "golden", "exact"),
    [
        (Scroll("up"), Swipe(200, 390, 200, 210), True),
        (Scroll("down"), Swipe(200, 390, 200, 210), False),
        (Scroll("up"), Swipe(200, 400, 200, 210), False),  # one end is on the edge
        (Scroll("right"), Swipe(110, 300, 290, 301), True),
    ],
)
def test_scrolls_need_both_ends_in_the_area_and_the_direction(predicted, golden, exact):
    match = check.mobile_bench(predicted, golden, size=SIZE, box=AREA)
    assert match == check.Match(type=True, exact=exact)
    assert not check.mobile_bench(predicted, golden, size=SIZE, box=AREA, scorer="code")


def test_scrolls_without_any_box_need_the_direction():
    assert check.mobile_bench(Scroll("up"), Scroll("up"), size=SIZE)
    assert not check.mobile_bench(Scroll("up"), Scroll("left"), size=SIZE)


@pytest.mark.parametrize(
    ("predicted", "golden", "paper", "code"),
    [
        ("abcd", "abcd", True, True),
        ("dcba", "abcd", True, True),  # in any order
        ("abxy", "abcd", True, False),  # F1 is exactly 0.5.
        ("axyz", "abcd", False, False),
        ("aaaa", "ab", False, False),  # one of four and one of two: 0.33
        ("", "ab", False, False),
        ("ab (cdefgh)", "ab cdefgh", True, False),  # The code reads only "ab ".
        ("hello", "无人应答", False, True),
        ("aaaabbbb", "aaaacccc", True, False),
        # Exactly 0.5, which floats make smaller.
        ("x" * 6 + "y" * 5, "x" * 6 + "z" * 7, True, False),
        ("x" * 4 + "y", "x" * 4 + "z" * 7, True, True),  # exactly 0.5, which floats make larger
    ],
)
def test_texts_are_compared_by_their_characters(predicted, golden, paper, code):
    def match(scorer):
        return check.mobile_bench(Type(predicted), Type(golden), size=SIZE, scorer=scorer)

    assert match("paper") == check.Match(type=True, exact=paper)
    assert match("code") == check.Match(type=True, exact=code)


@pytest.mark.parametrize(
    ("predicted", "golden", "type_", "exact"),
    [
        (Key("back"), Key("back"), True, True),
        (Key("back"), Key("home"), True, False),
        (Finish(), Finish(), True, True),
        (Wait(), Tap(1, 1), False, False),
        (None, Tap(1, 1), False, False),
    ],
)
def test_actions_that_the_paper_does_not_mention_must_be_equal(predicted, golden, type_, exact):
    match = check.mobile_bench(predicted, golden, size=SIZE)
    assert (match.type, match.exact) == (type_, exact)


def test_the_code_finds_a_type_anywhere_in_the_words():
    match = check.mobile_bench(Type("click here"), Tap(1, 1), size=SIZE, scorer="code")
    assert match == check.Match(type=True, exact=False)
    assert not check.mobile_bench(Key("back"), Key("back"), size=SIZE, scorer="code").type
