"""Tests of screens: their elements, and which element is at a point."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Screen
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen import keyboard_is_shown
from pytest_mobileagent.screen.explain import NotFoundError, collect_misses
from pytest_mobileagent.screen.selector import CriteriaError
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def screen(make_screen: Callable[..., Screen]) -> Screen:
    return make_screen(
        {"text": "Downloads", "resource-id": "com.app:id/title", "bounds": "[0,0][100,40]"},
        {"text": "Storage used: 12 MB", "bounds": "[0,40][100,80]"},
        package="com.app",
        where="step 3: runs/a/screens/b.xml",
    )


def test_short_ids_find_what_full_ids_end_in(recorded_xml):
    screen = Screen(recorded_xml, b"")
    ids = {element.resource_id for element in screen.elements} - {""}
    assert ids, "a recording without ids shows nothing here"
    for full in ids:
        short = full.rpartition(":id/")[2]
        expected = [e for e in screen.elements if e.resource_id.rpartition(":id/")[2] == short]
        assert screen.find_all(resource_id=short) == expected
        assert full in {element.resource_id for element in screen.find_all(resource_id=full)}


def test_xpath_in_either_dialect_finds_the_same_in_every_recording(recorded_xml):
    screen = Screen(recorded_xml, b"")
    for class_name in {element.class_name for element in screen.elements}:
        expected = screen.find_all(class_name=class_name)
        assert screen.find_all(xpath=f"//node[@class='{class_name}']") == expected
        assert screen.find_all(xpath=f"//{class_name}") == expected


def test_xpath_over_attributes_finds_what_criteria_find(recorded_xml):
    screen = Screen(recorded_xml, b"")
    for name in ("clickable", "focusable", "scrollable", "selected"):
        found = screen.find_all(xpath=f"//*[@{name}='true']")
        assert found == [e for e in screen.elements if getattr(e, name)]


def test_xpath_counts_from_the_hierarchy_in_both_dialects(make_screen):
    screen = make_screen({"class": "a.B", "text": "x"}, {"class": "a.B", "NAF": "true"})
    for expression, place in {
        "/hierarchy/node[2]": 1,
        "/hierarchy/a.B[2]": 1,
        "//*[@NAF='true']": 1,
        "//a.B[@text='x']": 0,
        "(//node)[1]": 0,
    }.items():
        assert screen.find(xpath=expression) is screen.elements[place]


def test_xpath_finds_inner_classes_by_appiums_tags(make_screen):
    screen = make_screen({"class": "a.Outer$Inner"}, {"class": "1Odd"})
    assert screen.find(xpath="//a.Outer.Inner") is screen.elements[0]
    assert screen.find(xpath="//android.view.View") is screen.elements[1]


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("//*[nonsense()]", "is not an XPath 1.0 expression"),
        ("count(//node)", "returns 2.0, not elements"),
        ("string(//node/@text)", "returns 'Downloads', not elements"),
        ("", "is not an XPath 1.0 expression"),
        ("//*[@text='\0']", "is not an XPath 1.0 expression"),
        ("//*[@text='\ud83d']", "is not an XPath 1.0 expression"),
    ],
)
def test_an_xpath_that_gives_no_elements_is_reported(screen, expression, complaint):
    with pytest.raises(CriteriaError, match=re.escape(complaint)):
        screen.find_all(xpath=expression)


def test_find_returns_none_for_a_missing_element(screen):
    assert screen.find(text="Downloads") is screen.get(text="Downloads") is screen.elements[0]
    assert screen.find(text="Storage used") is None
    assert screen.find_all(text="Storage used") == screen.find_all(xpath="/hierarchy") == []
    assert screen.root not in screen.elements


def test_get_names_the_closest_match_of_a_missing_element(screen):
    with pytest.raises(AssertionError) as caught:
        screen.get(text="Storage used")
    assert isinstance(caught.value, NotFoundError)
    assert str(caught.value).splitlines() == [
        "nothing on the screen of com.app has text='Storage used'",
        "  closest: <element text='Storage used: 12 MB' at [0,40][100,80]>",
        "  at step 3: runs/a/screens/b.xml",
    ]
    # The error can be sent to another process.
    sent = pickle.loads(pickle.dumps(caught.value))
    assert (str(sent), repr(sent)) == (str(caught.value), repr(caught.value))


def test_explanations_are_computed_on_demand(screen, monkeypatch):
    monkeypatch.setattr(Screen, "explain", lambda *_: "explained")
    with pytest.raises(NotFoundError) as caught:
        screen.get(text="Storage used")
    monkeypatch.setattr(Screen, "explain", None)
    assert str(caught.value) == "explained"


@pytest.mark.parametrize(
    ("shown", "complaint"),
    [
        ((), "the screen of ? has text='OK'\n  nothing comes close; the screen says nothing"),
        (("a", "b"), "  nothing comes close; the screen says 'a', 'b'"),
    ],
)
def test_if_nothing_comes_close_the_screen_is_quoted(make_screen, shown, complaint):
    with pytest.raises(NotFoundError, match=re.escape(complaint)):
        make_screen(*shown).get(text="OK")


def test_failed_look_ups_are_collected(screen):
    screen.find(text="before")
    with collect_misses() as outer:
        screen.find(text="Downloads")
        screen.find(text="one")
        with pytest.raises(NotFoundError):
            screen.get(text="three")
        with collect_misses() as inner:
            screen.find_all(text="two")
    assert [explain().splitlines()[0][-10:] for explain in (*outer, *inner)] == [
        "text='one'",
        "xt='three'",
        "text='two'",
    ]


def test_the_innermost_element_is_on_top(make_screen):
    xml = """<hierarchy><node text="a" bounds="[0,0][50,50]"><node text="b" bounds="[0,0][50,50]"/>
        <node text="c" bounds="[10,10][20,20]"/></node></hierarchy>"""
    screen = Screen(xml, b"")
    assert [element.text for element in screen.at(10, 19)] == ["c", "b", "a"]
    assert [element.text for element in screen.at(20, 20)] == ["b", "a"]
    assert screen.at(50, 0) == []


def test_the_size_is_that_of_the_picture(make_screen):
    screen = make_screen(size=(120, 45), shade=200)
    assert screen.size == (120, 45) == screen.image.size
    assert screen.image.getpixel((119, 44)) == (200, 200, 200)


@pytest.mark.parametrize("picture", [b"", b"\x89PNG\r\n\x1a\n", b"Error: no display"])
def test_an_invalid_picture_has_no_size_and_no_image(picture):
    with pytest.raises(ScreenError, match="not a PNG image: it begins b'"):
        _ = Screen("<hierarchy/>", picture).size
    with pytest.raises(ScreenError, match=r"the screenshot cannot be decoded: .*begins b'"):
        _ = Screen("<hierarchy/>", picture).image


def test_screens_are_equal_wherever_they_are_recorded(make_screen):
    assert make_screen("a", where="here") == make_screen("a", where="there")
    assert make_screen("a") != make_screen("b")
    assert make_screen("a") != make_screen("a", shade=1)


def test_a_screen_is_sent_without_what_was_derived_from_it(make_screen):
    depth = 250
    xml = f"<hierarchy>{'<node>' * depth}{'</node>' * depth}</hierarchy>"
    screen = Screen(xml, make_screen().png)
    assert len(screen.elements) == depth
    sent = pickle.loads(pickle.dumps(screen))
    assert sent == screen
    assert (sent.elements, sent.size) == (screen.elements, screen.size)


def test_an_element_is_called_by_its_own_words_or_those_inside(make_screen):
    xml = """<hierarchy><node text="" content-desc="more"><node text="x"/></node>
        <node><node text="Wi-Fi"/><node content-desc="On"/></node></hierarchy>"""
    screen = Screen(xml, b"")
    assert screen.texts == ("more", "x", "Wi-Fi", "On")
    first, second = screen.root.children
    assert (first.label, second.label) == ("more", "Wi-Fi On")
    assert second.texts == ("Wi-Fi", "On")
    assert make_screen({"text": "b", "content-desc": "c"}, "").texts == ("b", "c")


FIELD = {"class": "android.widget.EditText", "focused": "true"}


@pytest.mark.parametrize(
    ("element", "shown"),
    [
        (FIELD, True),
        ({**FIELD, "class": "android.widget.AutoCompleteTextView"}, True),
        ({**FIELD, "focused": "false"}, False),
        ({**FIELD, "class": "android.widget.Button"}, False),
        ({"text": "q", "package": "com.google.android.inputmethod.latin"}, True),
        ("Keyboard", False),
    ],
)
def test_a_keyboard_is_there_for_a_field_with_the_focus(element, shown):
    assert keyboard_is_shown(make_screen("Title", element)) is shown
