"""Tests of selectors in recorded tasks: the shortest one that is unique and stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.record.selectors import Choice, choose, literal, target_at, touchables
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from pytest_mobileagent import Screen

SIZE = (1000, 2000)
TAP = "true"


def element(number: int, **attributes: str) -> dict[str, str]:
    given = {name.replace("_", "-"): value for name, value in attributes.items()}
    bounds = f"[0,{100 * number}][1000,{100 * number + 100}]"
    return {"bounds": bounds, "clickable": TAP, "class": "android.widget.Button", **given}


def screen(*elements: dict[str, str]) -> Screen:
    return make_screen(*elements, size=SIZE)


def chosen(shown: Screen, number: int) -> Choice:
    """Return the selector for the element in a row."""
    x, y = 500, 100 * number + 50
    return choose(shown, target_at(shown, x, y), x, y)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"resource_id": "org.a:id/save", "text": "Save"}, 'resource_id="save"'),
        ({"resource_id": "android:id/button1", "text": "OK"}, 'resource_id="android:id/button1"'),
        ({"content_desc": "More options", "text": "…"}, 'content_desc="More options"'),
        ({"text": 'Say "no"'}, 'text="Say \\"no\\""'),
        # Two elements have the id.
        ({"resource_id": "org.a:id/title", "text": "Wi-Fi"}, 'text="Wi-Fi"'),
        ({"resource_id": "org.a:id/title", "text": "Same"}, 'resource_id="title", text="Same"'),
    ],
)
def test_the_first_of_id_description_and_text_that_is_unique(attributes, words):
    others = [
        element(1, resource_id="org.a:id/title", text="Bluetooth"),
        element(2, resource_id="org.a:id/other", text="Same"),
    ]
    assert str(chosen(screen(element(0, **attributes), *others), 0)) == words


@pytest.mark.parametrize("text", ["7:30 PM", "2026-11-26", "3 unread", "Tomorrow", "85%", "x" * 61])
def test_volatile_text_is_not_used_as_a_selector(text):
    shown = screen(element(0, text=text), element(1, text="Alarm"))
    choice = chosen(shown, 0)
    assert text not in str(choice)
    assert str(choice) == 'class_name="Button"'
    assert "several elements fit" in choice.warning


def test_a_row_is_named_by_what_stands_in_it():
    xml = """<hierarchy>
      <node class="Row" clickable="true" bounds="[0,0][1000,100]">
        <node class="Text" text="Wi-Fi" bounds="[0,0][500,100]"/>
        <node class="Switch" resource-id="org.a:id/switch" clickable="true"
              bounds="[800,0][1000,100]"/></node>
      <node class="Row" clickable="true" bounds="[0,100][1000,200]">
        <node class="Text" text="Bluetooth" bounds="[0,100][500,200]"/>
        <node class="Switch" resource-id="org.a:id/switch" clickable="true"
              bounds="[800,100][1000,200]"/></node></hierarchy>"""
    shown = make_screen(size=SIZE)
    object.__setattr__(shown, "xml", xml)
    assert str(choose(shown, target_at(shown, 100, 150), 100, 150)) == 'text="Bluetooth"'
    switch = choose(shown, target_at(shown, 900, 150), 900, 150)
    (found,) = shown.find_all(**switch.criteria)
    assert found.bounds == (800, 100, 1000, 200)
    assert "Bluetooth" in switch.criteria["xpath"]
    assert switch.warning == ""


def test_a_place_among_several_and_coordinates_come_with_a_warning():
    choice = chosen(screen(*(element(n, resource_id="org.a:id/row") for n in range(3))), 2)
    assert str(choice) == 'resource_id="row", nth=2'
    assert "several elements fit" in choice.warning
    choice = choose(screen(), None, 500, 1500)
    assert str(choice) == "at=(0.5, 0.75)"
    assert "other phones" in choice.warning


def test_a_touch_is_for_the_innermost_element_that_takes_touches():
    shown = screen(element(0, text="Save"), element(0, text="shadow", clickable="false"))
    found = target_at(shown, 500, 50)
    assert found is not None
    assert found.text == "Save"
    assert [each.text for each in touchables(shown)] == ["Save", "shadow"]
    assert target_at(shown, 500, 1999) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("it's", '"it\'s"'),
        ({"a": [1, None, True]}, '{"a": [1, None, True]}'),
        ("\n\u2028“", '"\\n\u2028“"'),
        (0.5, "0.5"),
    ],
)
def test_a_literal_is_python(value, words):
    assert literal(value) == words
    assert eval(literal(value), {"__builtins__": {}}) == value
