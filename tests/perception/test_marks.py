"""Tests of which elements are marked, and how they are numbered."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.perception.marks import (
    Mark,
    appagent_grid,
    appagent_marks,
    bmoca_marks,
    lettered,
    letters,
    m3a_marks,
    numbered,
    seeact_marks,
    som_marks,
)
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.testing import make_screen
from pytest_mobileagent.testing.phones import SIZE, png

CONVENTIONS = [appagent_marks, m3a_marks, seeact_marks, som_marks, bmoca_marks]


def box(x: int, y: int, **attributes: str) -> dict[str, str]:
    """Return a square of 100 pixels, centred on a point."""
    return {"text": "", "clickable": "false", **attributes} | {
        "bounds": f"[{x - 50},{y - 50}][{x + 50},{y + 50}]"
    }


def labels(marks: tuple[Mark, ...]) -> dict[str, str]:
    return {mark.label: mark.element.label for mark in marks if mark.element is not None}


def nested(inner: str, **outer: str) -> Screen:
    attributes = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in outer.items())
    xml = f'<hierarchy><node bounds="[0,0][1080,2400]" {attributes}>{inner}</node></hierarchy>'
    return Screen(xml, png(*SIZE, 255))


def test_appagent_marks_what_is_clickable_then_what_is_only_focusable():
    screen = make_screen(
        box(100, 100, text="field", focusable="true"),
        box(100, 300, text="button", clickable="true", focusable="true"),
        box(100, 500, text="words"),
    )
    assert labels(appagent_marks(screen)) == {"1": "button", "2": "field"}


@pytest.mark.parametrize(
    ("distance", "expected"), [(30, {"1": "one"}), (31, {"1": "one", "2": "two"})]
)
def test_appagent_marks_one_of_two_centres_that_are_thirty_pixels_apart(distance, expected):
    both = {"clickable": "true"}
    screen = make_screen(
        box(100, 100, text="one", **both), box(100 + distance, 100, text="two", **both)
    )
    assert labels(appagent_marks(screen)) == expected


def test_appagent_may_be_asked_for_marks_that_are_further_apart():
    screen = make_screen(
        *(box(x, 100, text=str(x), clickable="true") for x in range(100, 900, 100))
    )
    assert list(labels(appagent_marks(screen, 150)).values()) == ["100", "300", "500", "700"]


def test_a_focusable_element_near_a_dropped_clickable_one_is_marked():
    # AppAgent compares an element only with the elements that were kept.
    screen = make_screen(
        box(100, 100, text="kept", clickable="true"),
        box(125, 100, text="dropped", clickable="true"),
        box(150, 100, text="focus", focusable="true"),
    )
    assert labels(appagent_marks(screen)) == {"1": "kept", "2": "focus"}


@pytest.mark.parametrize(
    ("size", "cells", "first", "last"),
    [
        ((1080, 2400), 180, (0, 0, 120, 120), (960, 2280, 1080, 2400)),
        ((1080, 2340), 9 * 18, (0, 0, 120, 130), (960, 2210, 1080, 2340)),
        ((1080, 1920), 9 * 16, (0, 0, 120, 120), (960, 1800, 1080, 1920)),
        ((1081, 2400), 9 * 20, (0, 0, 120, 120), (960, 2280, 1080, 2400)),
    ],
)
def test_the_grids_cells_have_sides_that_divide_the_screens(size, cells, first, last):
    grid = appagent_grid(size)
    assert [mark.label for mark in grid] == [str(n) for n in range(1, cells + 1)]
    assert grid[0].bounds == first
    assert grid[-1].bounds == last
    assert all(mark.element is None for mark in grid)


def test_a_grid_is_numbered_row_by_row():
    frame = Frame((1080, 2400), marks={mark.label: mark for mark in appagent_grid((1080, 2400))})
    assert frame.mark("10").bounds == (0, 120, 120, 240)


def test_m3a_numbers_leaves_descriptions_and_scrollers_from_zero():
    inner = (
        '<node content-desc="row" bounds="[0,0][9,9]"><node text="leaf" bounds="[0,0][9,9]"/>'
        "</node>"
        '<node text="branch" bounds="[0,0][9,9]"><node text="twig" bounds="[0,0][9,9]"/></node>'
    )
    found = m3a_marks(nested(inner, scrollable="true", content_desc="list"))
    assert labels(found) == {"0": "list", "1": "row", "2": "leaf", "3": "twig"}
    assert [mark.label for mark in m3a_marks(nested(inner))] == ["0", "1", "2"]


def test_m3a_leaves_gaps_for_what_is_not_on_the_screen():
    screen = make_screen(
        {"text": "a", "bounds": "[0,0][100,100]"},
        {"text": "below", "bounds": "[0,2400][100,2500]"},
        {"text": "left", "bounds": "[-100,0][0,100]"},
        {"text": "empty", "bounds": "[50,50][50,60]"},
        {"text": "half", "bounds": "[-50,-50][1,1]"},
    )
    assert labels(m3a_marks(screen)) == {"0": "a", "4": "half"}


def test_seeact_letters_elements_that_text_distinguishes():
    screen = make_screen(
        {"text": "Save", "class": "android.widget.Button"},
        {"text": "", "class": "android.view.View"},
        {"text": "", "class": "android.widget.ImageView", "content-desc": "Logo"},
        {"text": "", "class": "android.widget.ImageView", "resource-id": "a:id/b"},
        {"text": "none", "class": ""},
    )
    assert labels(seeact_marks(screen)) == {"A": "Save", "B": "Logo", "C": ""}


def test_set_of_marks_takes_what_can_be_acted_upon():
    screen = make_screen(
        box(100, 100, text="words"),
        box(100, 300, text="click", clickable="true"),
        box(100, 500, text="hold", **{"long-clickable": "true"}),
        box(100, 700, text="tick", checkable="true"),
        box(100, 900, text="type", **{"class": "android.widget.EditText"}),
        box(100, 1100, text="grey", clickable="true", enabled="false"),
        box(100, 3000, text="away", clickable="true"),
    )
    assert labels(som_marks(screen)) == {"1": "click", "2": "hold", "3": "tick", "4": "type"}


def test_set_of_marks_takes_the_innermost_where_labels_would_cover_each_other():
    inner = '<node text="row" clickable="true" bounds="[10,10][900,200]"/>'
    assert labels(som_marks(nested(inner, clickable="true"))) == {"1": "row"}


def test_bmoca_tags_every_element_children_before_their_parents():
    inner = (
        '<node text="b" bounds="[0,0][1,1]"><node text="a" bounds="[0,0][1,1]"/></node>'
        '<node text="c"/>'
    )
    found = bmoca_marks(nested(inner, text="d"))
    assert [(mark.label, mark.element.text) for mark in found if mark.element] == [
        ("0", "a"),
        ("1", "b"),
        ("2", "c"),
        ("3", "d"),
    ]


@given(st.integers(0, 10**6))
@example(25)
@example(26)
@example(701)
@example(702)
def test_letters_count_and_continue_after_z(place):
    value = 0
    for letter in letters(place):
        value = value * 26 + string.ascii_uppercase.index(letter) + 1
    assert value == place + 1


def test_marks_of_chosen_elements_are_numbered_or_lettered():
    elements = make_screen("a", "b").elements
    assert [mark.label for mark in numbered(elements)] == ["1", "2"]
    assert [mark.label for mark in numbered(elements, 0)] == ["0", "1"]
    assert [mark.label for mark in lettered(elements)] == ["A", "B"]
    assert numbered(elements)[0].element is elements[0]


def test_labels_of_real_screens_differ_and_name_their_elements(recorded_xml):
    screen = Screen(recorded_xml, png(*SIZE, 255))
    for marks in CONVENTIONS:
        found = marks(screen)
        assert len({mark.label for mark in found}) == len(found)
        assert all(each.element and each.bounds == each.element.bounds for each in found)


def test_an_empty_screen_has_no_marks():
    screen = Screen("<hierarchy/>", png(*SIZE, 255))
    assert [marks(screen) for marks in CONVENTIONS] == [()] * len(CONVENTIONS)
