"""Views as lines of a uiautomator dump."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from pytest_mobileagent.virtual.ui import (
    MATCH,
    AppBar,
    BottomNav,
    Button,
    CheckBox,
    Chip,
    Column,
    Dialog,
    Fab,
    Frame,
    Image,
    ImageButton,
    Input,
    List,
    NavItem,
    Preference,
    RadioButton,
    Row,
    Scroll,
    SeekBar,
    Spinner,
    Switch,
    Tabs,
    Text,
    View,
    chrome,
)
from pytest_mobileagent.virtual.ui.node import compare, dump, quoted

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.metrics import Rect
    from tests.virtual.ui.conftest import Screen

RECORDED = Path(__file__).parents[4] / "shared/data/mobilebench-ol"

ORDER = [
    *("index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked"),
    *("clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable", "password"),
    *("selected", "bounds"),
]


def nodes(screen: Screen, view: View, *, compressed: bool = False) -> list[Any]:
    text = dump(screen.show(view), "org.demo", compressed=compressed)
    return list(etree.fromstring(text.encode()).iter("node"))


def test_one_node_is_written_as_android_writes_it(screen: Screen) -> None:
    view = Frame([Text("Hi", id="greeting")], height=MATCH)
    assert dump(screen.show(view), "org.demo") == (
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
        '<node index="0" text="" resource-id="" class="android.widget.FrameLayout"'
        ' package="org.demo" content-desc="" checkable="false" checked="false" clickable="false"'
        ' enabled="true" focusable="false" focused="false" scrollable="false"'
        ' long-clickable="false" password="false" selected="false" bounds="[0,0][1080,2400]">'
        '<node index="0" text="Hi" resource-id="org.demo:id/greeting"'
        ' class="android.widget.TextView" package="org.demo" content-desc="" checkable="false"'
        ' checked="false" clickable="false" enabled="true" focusable="false" focused="false"'
        ' scrollable="false" long-clickable="false" password="false" selected="false"'
        ' bounds="[0,0][35,49]" /></node></hierarchy>'
    )


def test_the_attributes_come_in_androids_order(screen: Screen) -> None:
    named, nameless = nodes(screen, Row([Button("OK", on_click=print), Fab(on_click=print)]))[1:]
    assert list(named.attrib) == ORDER
    assert list(nameless.attrib) == ["NAF", *ORDER]


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (Text("a"), {"class": "android.widget.TextView", "text": "a", "focusable": "false"}),
        (Text("a", on_click=print), {"clickable": "true", "focusable": "true"}),
        (Text("a", on_long_click=print), {"clickable": "false", "long-clickable": "true"}),
        (Text("a", id="android:id/title"), {"resource-id": "android:id/title"}),
        (Text("a", desc="b", selected=True), {"content-desc": "b", "selected": "true"}),
        (Button("a", on_click=print, enabled=False), {"class": "android.widget.Button", "clickable": "true", "enabled": "false"}),
        (Image("add"), {"class": "android.widget.ImageView", "clickable": "false"}),
        (ImageButton("add"), {"class": "android.widget.ImageButton"}),
        (Fab(), {"class": "android.widget.ImageButton"}),
        (CheckBox("a", True, print), {"class": "android.widget.CheckBox", "checkable": "true", "checked": "true", "text": "a"}),
        (Switch("", False, print), {"class": "android.widget.Switch", "checkable": "true", "checked": "false", "clickable": "true"}),
        (Switch("", True), {"clickable": "false", "focusable": "false", "checked": "true"}),
        (RadioButton("a", True), {"class": "android.widget.RadioButton", "checked": "true"}),
        (Chip("a", True, print), {"class": "android.widget.CompoundButton", "checked": "true"}),
        (Chip("a", on_click=print), {"class": "android.widget.Button", "checkable": "false"}),
        (Input("a", hint="h"), {"class": "android.widget.EditText", "text": "a", "clickable": "true", "long-clickable": "true", "focusable": "true"}),
        (Input("", hint="h"), {"text": "h", "password": "false"}),
        (Input("abc", password=True), {"text": "•••", "password": "true"}),
        (SeekBar(3), {"class": "android.widget.SeekBar", "focusable": "true", "clickable": "false"}),
        (Spinner(["a", "b"], 1), {"class": "android.widget.Spinner", "clickable": "true"}),
        (List([View(height=4000)]), {"class": "androidx.recyclerview.widget.RecyclerView", "scrollable": "true", "focusable": "true"}),
        (List([]), {"scrollable": "false"}),
        (Scroll(View(height=4000)), {"class": "android.widget.ScrollView", "scrollable": "true"}),
        (Row([], height=9, class_name="org.demo.Own"), {"class": "org.demo.Own"}),
    ],
)  # fmt: skip
def test_a_view_shows_what_it_is(screen: Screen, view: View, expected: dict[str, str]) -> None:
    node = nodes(screen, Frame([view], height=MATCH))[1]
    assert {name: node.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("view", "naf"),
    [
        (ImageButton("add", on_click=print), True),
        (ImageButton("add", on_click=print, desc="Add"), False),
        (ImageButton("add", on_click=print, enabled=False), False),
        (ImageButton("add"), False),
        (Row([Text("label")], on_click=print), False),
        (Row([Image("add")], on_click=print), True),
        (Row([Text("label", width=0)], on_click=print), False),
        (Row([], height=9, on_click=print, class_name="android.widget.GridView"), False),
        (Input("", on_change=print), True),
    ],
)
def test_clickable_views_without_text_are_naf(screen: Screen, view: View, naf: bool) -> None:
    node = nodes(screen, Frame([view], height=MATCH))[1]
    assert (node.get("NAF") == "true") == naf


def test_views_out_of_sight_leave_gaps_in_the_index_and_gone_ones_do_not(screen: Screen) -> None:
    row = Row([Text("gone", visible=False), Text("flat", height=0), Text("seen")])
    assert [(n.get("index"), n.get("text")) for n in nodes(screen, row)[1:]] == [("1", "seen")]


def test_nodes_come_in_reading_order_and_not_in_drawing_order(screen: Screen) -> None:
    places = {"d": "bottom", "b": "center_horizontal", "c": "end", "a": "start"}
    texts = [Text(name, width=40, align=align) for name, align in places.items()]
    found = nodes(screen, Frame([View(width=MATCH, height=MATCH), *texts], height=MATCH))[1:]
    assert "".join(n.get("text") for n in found) == "abcd"
    assert [n.get("index") for n in found] == ["0", "1", "2", "3", "4"]


@pytest.mark.skipif(not RECORDED.exists(), reason=f"no recordings in {RECORDED}")
def test_the_reading_order_is_that_of_real_phones() -> None:
    """In eight recorded dumps, four of which have one pair in a different order."""
    pairs = [
        pair
        for path in RECORDED.glob("*.xml")
        for parent in etree.parse(path).iter("node")
        for pair in pairwise(parent)
    ]
    wrong = [pair for pair in pairs if compare(*map(place, pair)) > 0]
    assert len(pairs) > 400
    assert len(wrong) <= 4


def place(node: Any) -> Rect:
    left, top, right, bottom = map(int, re.findall(r"-?\d+", node.get("bounds")))
    return left, top, right, bottom


def test_from_right_to_left_the_reading_order_is_turned_too(screen: Screen) -> None:
    screen.metrics = replace(screen.metrics, rtl=True)
    found = nodes(screen, Row([Text("first"), Text("second"), Text("third")]))[1:]
    assert [n.get("text") for n in found] == ["first", "second", "third"]
    lefts = [place(n)[0] for n in found]
    assert lefts == sorted(lefts, reverse=True)


def test_being_selected_is_passed_on_to_what_is_inside(screen: Screen) -> None:
    inner = nodes(screen, Row([Column([Text("a")], selected=True), Text("b")]))
    assert [n.get("selected") for n in inner] == ["false", "true", "true", "false"]


def test_the_focused_field_says_so(screen: Screen) -> None:
    screen.state.focused = "name"
    first, second = nodes(screen, Column([Input("", id="name"), Input("", id="other")]))[1:]
    assert (first.get("focused"), second.get("focused")) == ("true", "false")


def test_compressed_leaves_out_what_only_holds_others(screen: Screen) -> None:
    view = Frame([Column([Row([Text("a"), Text("b")], on_click=print), Image("add")])])
    found = nodes(screen, view, compressed=True)
    assert [(n.get("class").rpartition(".")[2], n.get("index")) for n in found] == [
        ("FrameLayout", "0"),
        ("LinearLayout", "0"),
        ("TextView", "0"),
        ("TextView", "1"),
    ]


def test_compressed_keeps_a_layout_that_is_important(screen: Screen) -> None:
    view = Column([Frame([Text("a")], id="coordinator_layout", important=True)])
    assert [n.get("resource-id") for n in nodes(screen, view, compressed=True)] == [
        "",
        "org.demo:id/coordinator_layout",
        "",
    ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a & b < c > d", '"a &amp; b &lt; c &gt; d"'),
        ("it's", '"it\'s"'),
        ('say "hi"', "'say \"hi\"'"),
        ('it\'s "so"', "'it&apos;s \"so\"'"),
        ("a\nb\tc\rd", '"a&#10;b&#9;c&#13;d"'),
        ("é 中", '"é 中"'),
        ("😀", '"&#128512;"'),
        ("\x01\x0b\x1f\x7f\x84\x86\x9f\ufdd0", '"........"'),
        ("\x85", '"\x85"'),
    ],
)
def test_attributes_are_escaped_as_by_androids_serializer(value: str, written: str) -> None:
    assert quoted(value) == written


@given(st.text())
def test_any_text_comes_back_from_an_xml_parser_except_for_the_unspeakable(value: str) -> None:
    read = etree.fromstring(f"<a b={quoted(value)} />".encode()).get("b")
    assert read is not None
    assert len(read) == len(value)
    assert all(new in (old, ".") for new, old in zip(read, value, strict=True))


@given(st.text(st.characters(exclude_categories=["C"])))
def test_printable_text_comes_back_unchanged(value: str) -> None:
    assert etree.fromstring(f"<a b={quoted(value)} />".encode()).get("b") == value


def ids(found: list[Any]) -> list[str]:
    return [node.get("resource-id").removeprefix("org.demo:id/") for node in found]


def test_a_window_has_the_decor_of_android(screen: Screen) -> None:
    found = nodes(screen, chrome.decor(Text("Hi")))
    assert ids(found)[3:6:2] == ["action_bar_root", ""]
    assert "android:id/content" in ids(found)
    assert ids(found)[-2:] == [
        "android:id/statusBarBackground",
        "android:id/navigationBarBackground",
    ]
    assert found[0].get("bounds") == "[0,0][1080,2400]"
    assert found[4].get("bounds") == "[0,63][1080,2337]"


def test_a_bottom_navigation_shows_the_large_label_of_the_selected_item_only(
    screen: Screen,
) -> None:
    items = [NavItem("learn", "school", "Learn"), NavItem("profile", "person", "Profile")]
    found = nodes(screen, BottomNav(items, 0, print))
    labels = [
        (n.get("resource-id").rpartition("/")[2], n.get("text"), n.get("selected"))
        for n in found
        if n.get("text")
    ]
    assert labels == [
        ("navigation_bar_item_large_label_view", "Learn", "true"),
        ("navigation_bar_item_small_label_view", "Profile", "false"),
    ]


def test_a_tab_is_a_layout_with_its_label_as_description(screen: Screen) -> None:
    found = nodes(screen, Tabs(["One", "Two"], 1, print))
    tabs = [(n.get("content-desc"), n.get("selected")) for n in found if n.get("content-desc")]
    assert tabs == [("One", "false"), ("Two", "true")]


def test_a_preference_has_the_ids_of_the_framework(screen: Screen) -> None:
    found = nodes(screen, Preference("Wi-Fi", "On", icon="wifi", checked=True, on_click=print))
    assert [i for i in ids(found) if i] == [
        "icon_frame",
        "android:id/icon",
        "android:id/title",
        "android:id/summary",
        "android:id/widget_frame",
        "android:id/switch_widget",
    ]
    assert [n.get("clickable") for n in found].count("true") == 1


def test_an_app_bar_is_a_toolbar(screen: Screen) -> None:
    bar = AppBar(
        "Downloads",
        title_id="toolbar_title",
        up=print,
        actions=[ImageButton("search", id="search", desc="Search", on_click=print)],
        overflow=[("Settings", print)],
    )
    found = nodes(screen, bar)
    assert found[0].get("class") == "android.view.ViewGroup"
    named = [n.get("text") or n.get("content-desc") for n in found]
    assert [name for name in named if name] == [
        "Navigate up",
        "Downloads",
        "Search",
        "More options",
    ]


def test_a_dialog_has_androids_buttons(screen: Screen) -> None:
    buttons = [("Delete", print), ("Cancel", print), ("Help", print)]
    found = nodes(screen, Dialog("Delete?", "It is lost.", buttons=buttons))
    texts = {n.get("resource-id"): n.get("text") for n in found if n.get("text")}
    assert texts == {
        "org.demo:id/alertTitle": "Delete?",
        "android:id/message": "It is lost.",
        "android:id/button3": "Help",
        "android:id/button2": "Cancel",
        "android:id/button1": "Delete",
    }
