"""Elements as the lines of prompts."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from pytest_mobileagent import Bounds, Element, Screen
from pytest_mobileagent.perception.listing import (
    bmoca_lines,
    m3a_lines,
    seeact_choices,
    seeact_description,
    t3a_lines,
)
from pytest_mobileagent.perception.marks import Mark, bmoca_marks, m3a_marks, numbered, seeact_marks
from pytest_mobileagent.testing.phones import SIZE, png

SAVE = Element(
    "android.widget.Button",
    text="Save",
    content_desc="Keep it",
    resource_id="com.a:id/save",
    package="com.a",
    bounds=Bounds(1, 2, 3, 4),
    clickable=True,
    focusable=True,
    selected=True,
)
FIELD = Element("android.widget.EditText", long_clickable=True, focused=True, checked=True)
LIST = Element("android.widget.ListView", scrollable=True)


def test_m3a_says_words_and_flags() -> None:
    button, field, scroller = m3a_lines(numbered([SAVE, FIELD, LIST], 0)).splitlines()
    assert button == (
        'UI element 0: {"index": 0, "text": "Save", "content_description": "Keep it",'
        ' "is_clickable": True, "is_long_clickable": False, "is_editable": False,'
        ' "is_focusable": True, "is_selected": True, "is_checked": False}'
    )
    assert field == (
        'UI element 1: {"index": 1, "is_clickable": False, "is_long_clickable": True,'
        ' "is_editable": True, "is_selected": False, "is_checked": True}'
    )
    assert scroller == (
        'UI element 2: {"index": 2, "is_clickable": False, "is_long_clickable": False,'
        ' "is_editable": False, "is_scrollable": True, "is_selected": False, "is_checked": False}'
    )


def test_t3a_says_every_attribute() -> None:
    line = t3a_lines(numbered([SAVE], 7))
    assert line.startswith(
        "UI element 7: UIElement(text='Save', content_description='Keep it',"
        " class_name='android.widget.Button', bbox=None,"
        " bbox_pixels=BoundingBox(x_min=1, x_max=3, y_min=2, y_max=4), hint_text=None,"
    )
    assert line.endswith(
        "is_visible=True, package_name='com.a', resource_name='com.a:id/save', tooltip=None,"
        " resource_id=None, metadata=None)"
    )
    assert len(re.findall(r"[a-z_]+=", line)) == 22 + 4


def test_t3a_writes_nothing_as_none() -> None:
    assert "text=None, content_description=None" in t3a_lines(numbered([FIELD]))


def test_bmoca_shortens_ids_and_classes() -> None:
    assert bmoca_lines(numbered([SAVE], 0)) == str(
        [
            {
                "numeric_tag": 0,
                "resource_id": "save",
                "class": "Button",
                "content_description": "Keep it",
                "text": "Save",
                "checked": "true",
            }
        ]
    )


@pytest.mark.parametrize("flag", ["checked", "selected", "focused"])
def test_bmoca_says_checked_of_what_is_selected_or_has_the_focus(flag: str) -> None:
    flags: dict[str, Any] = {flag: True}
    assert "'checked': 'true'" in bmoca_lines(numbered([Element("a", **flags)]))
    assert "'checked': 'false'" in bmoca_lines(numbered([Element("a")]))


@pytest.mark.parametrize(
    ("class_name", "attributes", "words"),
    [
        ("android.widget.Button", {"text": "Save", "content_desc": "x"}, '"Save" button'),
        ("android.widget.ImageButton", {"content_desc": "Back"}, '"Back" button'),
        ("android.widget.Button", {"resource_id": "a:id/b"}, '"a:id/b" button'),
        ("android.widget.Button", {}, "button"),
        ("android.widget.ImageView", {"content_desc": "Logo"}, '"Logo" image'),
        ("android.widget.TextView", {"text": "Hello"}, '"Hello" icon'),
        ("android.view.View", {"text": "Hello"}, '"Hello" icon'),
        ("android.widget.EditText", {"text": "Ann"}, 'a text box with the text "Ann"'),
        ("android.widget.EditText", {"content_desc": "Name"}, 'a "Name" text box that is empty'),
        ("android.widget.EditText", {}, "a text box that is empty"),
        (
            "android.widget.RadioButton",
            {"text": "Red", "checked": True},
            'a radio button with the text "Red" that is selected',
        ),
        ("android.widget.RadioButton", {}, "a radio button that is not selected"),
        (
            "android.widget.Switch",
            {"content_desc": "Wi-Fi", "checked": True},
            'a "Wi-Fi" switch that is checked',
        ),
        (
            "android.widget.CheckBox",
            {"text": "Eggs"},
            'a checkbox with the text "Eggs" that is not checked',
        ),
    ],
)
def test_seeact_describes_an_element(class_name, attributes, words: str) -> None:
    assert seeact_description(Element(class_name, **attributes)) == words


def test_seeacts_last_choice_is_none_of_the_others() -> None:
    first, last = seeact_choices((Mark("A", SAVE.bounds, SAVE),)).splitlines()
    assert first == 'A. "Save" button'
    assert last.startswith("B. ")
    assert seeact_choices(()).startswith("A. ")


def test_a_mere_region_is_written_too() -> None:
    region = (Mark("1", Bounds(1, 2, 3, 4)),)
    assert '"index": 1' in m3a_lines(region)
    assert "x_max=3" in t3a_lines(region)
    assert "'numeric_tag': 1" in bmoca_lines(region)
    assert seeact_choices(region).startswith("1. icon")


def test_no_marks_make_no_lines() -> None:
    assert m3a_lines(()) == t3a_lines(()) == ""
    assert bmoca_lines(()) == "[]"


def test_the_lines_of_real_screens_name_every_mark(recorded_xml: str) -> None:
    screen = Screen(recorded_xml, png(*SIZE, 255))
    marks = m3a_marks(screen)
    for text in (m3a_lines(marks), t3a_lines(marks)):
        assert re.findall(r"(?m)^UI element (\d+): ", text) == [mark.label for mark in marks]
    tags = ast.literal_eval(bmoca_lines(bmoca_marks(screen)))
    assert [tag["numeric_tag"] for tag in tags] == list(range(len(screen.elements)))
    choices = seeact_marks(screen)
    assert all(f"{mark.label}. " in seeact_choices(choices) for mark in choices)
