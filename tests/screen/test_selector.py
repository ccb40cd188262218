from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.screen import Selector

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Screen

BUTTON = "android.widget.Button"


@pytest.fixture
def screen(make_screen: Callable[..., Screen]) -> Screen:
    return make_screen(
        {"text": "9:41\u202fAM", "resource-id": "com.clock:id/time", "package": "com.clock"},
        {"text": "Save", "class": BUTTON, "resource-id": "com.clock:id/ok", "clickable": "true"},
        {"text": "SAVE", "class": "a.Form$Button", "resource-id": "android:id/ok"},
        {"content-desc": "Save", "class": "android.widget.CheckBox", "checked": "true"},
        {"text": "", "resource-id": "save_button", "enabled": "false"},
        package="com.clock",
    )


@pytest.mark.parametrize(
    ("criteria", "places"),
    [
        ({"text": "9:41 AM"}, [0]),
        ({"text": "9:41\u200aAM"}, [0]),
        ({"text": "Save"}, [1]),
        ({"text": ""}, [3, 4]),
        ({"text": re.compile("(?i)^save$")}, [1, 2]),
        ({"text": re.compile("41 A")}, [0]),
        ({"content_desc": "Save"}, [3]),
        ({"resource_id": "ok"}, [1, 2]),
        ({"resource_id": "com.clock:id/ok"}, [1]),
        ({"resource_id": "id/ok"}, []),
        ({"resource_id": "save_button"}, [4]),
        ({"resource_id": ""}, []),
        ({"resource_id": re.compile("^com.clock")}, [0, 1]),
        ({"class_name": "Button"}, [1]),
        ({"class_name": BUTTON}, [1]),
        ({"class_name": "Form$Button"}, [2]),
        ({"package": "com.clock"}, [0]),
        ({"checked": True}, [3]),
        ({"enabled": False}, [4]),
        ({"clickable": True, "text": "Save"}, [1]),
        ({"clickable": True, "text": "SAVE"}, []),
        ({"xpath": "//*[@clickable='true']"}, [1]),
        ({"xpath": "//node", "checked": True}, [3]),
        ({"xpath": f"//{BUTTON}", "text": "Save"}, [1]),
    ],
)
def test_elements_meet_all_criteria(
    screen: Screen, criteria: dict[str, Any], places: list[int]
) -> None:
    found = screen.find_all(**criteria)
    assert [screen.elements.index(element) for element in found] == places


@pytest.mark.parametrize(
    ("criteria", "complaint"),
    [
        ({}, "nothing to look for: give at least one of text, resource_id"),
        ({"txet": "x"}, "there is no criterion 'txet'; did you mean 'text'?"),
        ({"id": "x"}, "there is no criterion 'id'"),
        ({"text": None}, "text=None matches nothing; leave text out"),
        ({"text": 7}, "text=7 has to be a text or a compiled regular expression, not int"),
        ({"checked": "false"}, "checked='false' has to be True or False, not str"),
        ({"xpath": re.compile("a")}, "has to be a text, not Pattern"),
    ],
)
def test_criteria_that_make_no_sense_are_told(
    screen: Screen, criteria: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(complaint)):
        screen.find_all(**criteria)


@pytest.mark.parametrize(
    ("criteria", "nearest"),
    [
        ({"text": "Sav"}, ["Save", "SAVE", ""]),
        ({"content_desc": "SAVED"}, ["", "Save", "SAVE"]),
        ({"text": re.compile("^Saves$")}, ["Save", "SAVE", ""]),
        ({"text": "9:42 AM"}, ["9:41\u202fAM"]),
        ({"text": "completely different"}, []),
        ({"checked": False, "class_name": "CheckBox"}, [""]),
    ],
)
def test_the_nearest_elements_are_those_with_similar_words(
    screen: Screen, criteria: dict[str, Any], nearest: list[str]
) -> None:
    found = Selector.of(criteria).nearest(screen.elements)
    assert [element.text for element in found] == nearest


def test_the_nearest_of_an_id_is_an_id(screen: Screen) -> None:
    (first, *_) = Selector.of({"resource_id": "com.other:id/save_buton"}).nearest(screen.elements)
    assert first.resource_id == "save_button"


def test_a_selector_reads_as_it_was_written() -> None:
    selector = Selector.of({"text": "a'b", "resource_id": re.compile("^x"), "checked": True})
    assert str(selector) == """text="a'b", resource_id=/^x/, checked=True"""
