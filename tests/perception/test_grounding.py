"""Tests of finding text in a picture by its lines, and of regions named in words."""

import pytest
from PIL import Image

from pytest_mobileagent.perception.grounding import (
    Seen,
    find_text,
    lies_in,
    paragraphs,
    rounded,
    say_exactly,
    surroundings,
    widened,
)
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.ocr import TextBox

SIZE = (1080, 2400)


def box(text, left=100, top=100, right=300, bottom=140):
    return TextBox(text, Bounds(left, top, right, bottom), 0.9)


def test_texts_that_are_just_the_same_are_all_found():
    boxes = [box("Wi-Fi"), box("Wi-Fi", top=500, bottom=540), box("Wi-Fi settings")]
    assert find_text(boxes, "Wi-Fi", SIZE) == [boxes[0].bounds, boxes[1].bounds]
    assert find_text([box("AirplaneMode（on）")], "Airplane Mode (on)", SIZE)
    assert say_exactly([box("AirplaneMode")], "Airplane Mode")


@pytest.mark.parametrize(
    ("text", "sought", "found"),
    [
        ("Setings", "Settings", True),  # 7 of 8 characters
        ("Sings", "Settings", False),  # 5 of 8 characters
        ("Notifications", "Notification sounds", True),  # 12 of 18 characters
        ("Sound", "Notification sounds", False),
        ("Add to the list", "Add the first item to my list of things", False),  # too short
        ("Add the item", "Add the first item to the list", True),  # 10 of 24: 42 %
        ("Add the first", "Add the first item to the list", True),
    ],
)
def test_otherwise_the_most_similar_text_counts(text, sought, found):
    boxes = [box("Wi-Fi"), box(text, top=500, bottom=540)]
    assert bool(find_text(boxes, sought, SIZE)) is found


def test_a_large_box_is_not_a_label():
    assert find_text([box("Wi-Fi", 0, 0, 1080, 1200)], "Wi-Fi", SIZE) != []
    large, label = box("Wi-Fi", 0, 0, 1080, 1200), box("Wi-Fi")
    assert find_text([large, label], "Wi-Fi", SIZE) == [label.bounds]


@pytest.mark.parametrize("text", ["", " ", "x" * 100_000])
def test_nothing_is_found_where_there_is_nothing(text):
    assert find_text([], text, SIZE) == []
    assert find_text([box("Save")], text, SIZE) == []


def test_lines_below_each_other_are_a_paragraph():
    lines = [
        box("is a paragraph.", 102, 145, 400, 185),
        box("This", 100, 100, 300, 140),
        box("Apart", 500, 100, 700, 140),
        box("Far below", 100, 300, 300, 340),
        box("A headline", 100, 345, 300, 400),
    ]
    assert paragraphs(lines) == [
        Seen("This\nis a paragraph.", Bounds(100, 100, 400, 185)),
        Seen("Apart", Bounds(500, 100, 700, 140)),
        Seen("Far below", Bounds(100, 300, 300, 340)),
        Seen("A headline", Bounds(100, 345, 300, 400)),
    ]


@pytest.mark.parametrize(
    ("place", "inside"),
    [
        ("top", True),
        ("right", True),
        ("top right", True),
        ("top-right", True),
        ("bottom", False),
        ("left", False),
        ("center", True),
        ("somewhere", True),
        ("", True),
    ],
)
def test_a_place_is_a_half_or_a_quarter_of_the_picture(place, inside):
    assert lies_in(Bounds(900, 100, 960, 160), place, SIZE) is inside


def test_an_element_across_the_middle_is_in_no_half():
    middle, places = Bounds(500, 1100, 600, 1300), ("top", "bottom", "left", "right", "center")
    assert [lies_in(middle, place, SIZE) for place in places] == [False] * 4 + [True]


def test_a_point_has_two_decimals_of_the_screen():
    assert rounded(537.4, 1203.0, SIZE) == (540, 1200)
    assert rounded(1079.9, 2399.9, SIZE) == (1079, 2399)
    assert rounded(0, 0, SIZE) == (0, 0)


def test_surroundings_of_a_place_are_cut_out():
    picture = Image.new("RGB", SIZE, "white")
    cut = surroundings(picture, Bounds(500, 1000, 600, 1040))
    assert cut.size == (700, 840)
    assert cut.getpixel((293, 410)) == (255, 0, 0)
    assert picture.getpixel((493, 1010)) == (255, 255, 255)
    assert widened(Bounds(5, 5, 1075, 50), SIZE) == Bounds(0, 0, 1080, 60)
