"""Tests of elements as lines of a prompt, and of AutoDroid's simplified HTML."""

from __future__ import annotations

import ast
import re

import pytest

from pytest_mobileagent import Bounds, Element, Screen
from pytest_mobileagent.perception.listing import (
    autodroid_html,
    bmoca_lines,
    m3a_lines,
    position,
    seeact_choices,
    seeact_description,
    t3a_lines,
)
from pytest_mobileagent.perception.marks import Mark, bmoca_marks, m3a_marks, numbered, seeact_marks
from pytest_mobileagent.testing import make_screen
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


def test_m3a_prints_texts_and_flags() -> None:
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


def test_t3a_prints_every_attribute() -> None:
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
    assert "text=None, content_description=None" in t3a_lines(numbered([FIELD]))


def test_bmoca_shortens_ids_and_classes_and_calls_other_flags_checked() -> None:
    entry = {"numeric_tag": 0, "resource_id": "save", "class": "Button"}
    entry |= {"content_description": "Keep it", "text": "Save", "checked": "true"}
    assert bmoca_lines(numbered([SAVE], 0)) == str([entry])
    assert "'checked': 'false'" in bmoca_lines(numbered([Element("a")]))
    for element in (Element("a", checked=True), Element("a", focused=True)):
        assert "'checked': 'true'" in bmoca_lines(numbered([element]))


@pytest.mark.parametrize(
    ("class_name", "attributes", "words"),
    [
        ("Button", {"text": "Save", "content_desc": "x"}, '"Save" button'),
        ("ImageButton", {"content_desc": "Back"}, '"Back" button'),
        ("Button", {"resource_id": "a:id/b"}, '"a:id/b" button'),
        ("Button", {}, "button"),
        ("ImageView", {"content_desc": "Logo"}, '"Logo" image'),
        ("TextView", {"text": "Hello"}, '"Hello" icon'),
        ("EditText", {"text": "Ann"}, 'a text box with the text "Ann"'),
        ("EditText", {"content_desc": "Name"}, 'a "Name" text box that is empty'),
        ("EditText", {}, "a text box that is empty"),
        ("RadioButton", {"text": "Red", "checked": True},
         'a radio button with the text "Red" that is selected'),
        ("RadioButton", {}, "a radio button that is not selected"),
        ("Switch", {"content_desc": "Wi-Fi", "checked": True}, 'a "Wi-Fi" switch that is checked'),
        ("CheckBox", {"text": "Eggs"}, 'a checkbox with the text "Eggs" that is not checked'),
    ],
)  # fmt: skip
def test_seeact_describes_an_element(class_name, attributes, words: str) -> None:
    assert seeact_description(Element(f"android.widget.{class_name}", **attributes)) == words


def test_seeacts_last_choice_is_none_of_the_others() -> None:
    first, last = seeact_choices((Mark("A", SAVE.bounds, SAVE),)).splitlines()
    assert first == 'A. "Save" button'
    assert last.startswith("B. ")
    assert seeact_choices(()).startswith("A. ")


def test_a_mere_region_is_written_too_and_no_marks_make_no_lines() -> None:
    region = (Mark("1", Bounds(1, 2, 3, 4)),)
    assert '"index": 1' in m3a_lines(region)
    assert "x_max=3" in t3a_lines(region)
    assert "'numeric_tag': 1" in bmoca_lines(region)
    assert seeact_choices(region).startswith("1. icon")
    assert (m3a_lines(()), t3a_lines(()), bmoca_lines(())) == ("", "", "[]")


def test_the_lines_of_real_screens_name_every_mark(recorded_xml: str) -> None:
    screen = Screen(recorded_xml, png(*SIZE, 255))
    marks = m3a_marks(screen)
    for text in (m3a_lines(marks), t3a_lines(marks)):
        assert re.findall(r"(?m)^UI element (\d+): ", text) == [mark.label for mark in marks]
    tags = ast.literal_eval(bmoca_lines(bmoca_marks(screen)))
    assert [tag["numeric_tag"] for tag in tags] == list(range(len(screen.elements)))
    choices = seeact_choices(seeact_marks(screen))
    assert all(f"{mark.label}. " in choices for mark in seeact_marks(screen))
    html, marks = autodroid_html([screen])
    assert [mark.label for mark in marks] == [str(n) for n in range(len(marks))]
    assert all(f" id={mark.label}" in html for mark in marks)
    assert all(position(mark, [make_screen(), screen]) == 1 for mark in marks[:-1])


def node(inner: str = "", **attributes: str) -> str:
    given = {"class": "android.view.View", "bounds": "[0,0][100,100]", **attributes}
    words = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in given.items())
    return f"<node {words}>{inner}</node>"


def page(*nodes: str) -> Screen:
    return Screen(f"<hierarchy>{''.join(nodes)}</hierarchy>", png(*SIZE, 255))


def lines(*nodes: str) -> list[str]:
    """Return the lines of a page, except the last."""
    html, _ = autodroid_html([page(*nodes)])
    *found, last = html.split("\n")
    assert last == f"<button id={len(found)}>go back</button>"
    return found


@pytest.mark.parametrize(
    ("attributes", "line"),
    [
        ({"text": "Hello"}, "<p id=0>Hello</p>"),
        ({"content_desc": "Logo"}, "<p id=0 text='Logo'></p>"),
        ({"text": "Save", "clickable": "true"}, "<button id=0>Save</button>"),
        ({"text": "Save", "content_desc": "Keep", "clickable": "true"},
         "<button id=0 text='Keep'>Save</button>"),
        ({"text": "Eggs", "checkable": "true", "clickable": "true"},
         "<checkbox id=0 checked=False>Eggs</checkbox>"),
        ({"content_desc": "Eggs", "checkable": "true", "checked": "true"},
         "<checkbox id=0 checked=True text='Eggs'></checkbox>"),
        ({"text": "Eggs", "checkable": "true", "selected": "true"},
         "<checkbox id=0 checked=True>Eggs</checkbox>"),
        ({"text": "Ann", "class": "android.widget.EditText", "clickable": "true"},
         "<input id=0>Ann</input>"),
        ({"content_desc": "Name", "class": "android.widget.EditText"},
         "<input id=0 text='Name'></input>"),
        ({"text": "hold", "long_clickable": "true"}, "<p id=0>hold</p>"),
    ],
)  # fmt: skip
def test_an_element_has_its_line(attributes: dict[str, str], line: str) -> None:
    assert lines(node(**attributes)) == [line]


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"clickable": "true"},
        {"scrollable": "true", "text": "a list"},
        {"text": "bar", "resource_id": "android:id/statusBarBackground"},
        {"text": "bar", "resource_id": "android:id/navigationBarBackground"},
    ],
)
def test_elements_without_text_and_system_bars_have_no_line(attributes: dict[str, str]) -> None:
    assert lines(node(**attributes)) == []


def test_text_inside_a_button_becomes_its_text() -> None:
    inner = node(node(text="Ann") + node(text="Hi there", content_desc="unread"))
    assert lines(node(inner + node(text="9:41"), clickable="true"), node(text="end")) == [
        "<button id=0 text='unread'>9:41<br>Ann<br>Hi there</button>",
        "<p id=1>end</p>",
    ]
    assert lines(node(text="x" * 60, clickable="true")) == [f"<button id=0>{'x' * 50}</button>"]
    assert lines(node(text="x" * 60)) == [f"<p id=0>{'x' * 60}</p>"]
    assert lines(node(text="AT&amp;T #1 @ $5")) == ["<p id=0>AT&T #1 @ $5</p>"]


def test_a_buttons_mark_is_its_first_part_with_words() -> None:
    inner = node(text="Ann", bounds="[10,10][20,20]") + node(text="Hi", bounds="[10,30][20,40]")
    _, marks = autodroid_html([page(node(inner, clickable="true"))])
    assert [mark.label for mark in marks] == ["0", "1"]
    assert marks[0].bounds == (10, 10, 20, 20)
    assert marks[1].element is None


def test_a_clickable_child_belongs_to_its_clickable_parent_once_that_has_words() -> None:
    inner = node(text="Delete", clickable="true")
    assert lines(node(inner, text="Ann", clickable="true")) == [
        "<button id=0>Delete<br>Ann</button>"
    ]
    assert lines(node(inner, clickable="true")) == ["<button id=0>Delete</button>"]


def test_a_scroller_that_can_be_clicked_is_a_button_of_all_its_words() -> None:
    rows = node(text="one", clickable="true") + node(text="two", clickable="true")
    scroller = {"clickable": "true", "scrollable": "true"}
    assert lines(node(rows, **scroller)) == ["<button id=0>one<br>two</button>"]
    assert lines(node(node(), **scroller)) == []


def test_scroll_positions_are_merged_into_one_page() -> None:
    top = make_screen("one", "two", "three")
    below = make_screen("three", "four")
    html, marks = autodroid_html([top, below])
    assert html.split("\n") == [
        "<button id=0>one</button>",
        "<button id=1>two</button>",
        "<button id=2>three</button>",
        "<button id=3>go back</button>",
        "<button id=4>four</button>",
    ]
    assert [position(mark, [top, below]) for mark in marks] == [0, 0, 0, 0, 1]
    assert marks[4].bounds == below.elements[1].bounds


def test_elements_that_read_the_same_are_one_on_a_merged_page_only() -> None:
    screen = make_screen("Delete", "Delete")
    assert [len(autodroid_html([screen] * n)[1]) for n in (1, 2)] == [3, 2]
    assert autodroid_html([])[0] == "<button id=0>go back</button>"
