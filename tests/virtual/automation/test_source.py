"""Appium's page source, and XPath over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from pytest_mobileagent.virtual.automation.appium.find import BadXPath, xpath
from pytest_mobileagent.virtual.automation.appium.source import Look, Source, attribute, tag
from pytest_mobileagent.virtual.ui import Column, Input, ProgressBar, Row, SeekBar, Text
from pytest_mobileagent.virtual.ui.layout import UiState, layout
from pytest_mobileagent.virtual.ui.metrics import Metrics
from pytest_mobileagent.virtual.ui.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.ui import View

    Tree = Callable[[View], Node]

LOOK = Look((1080, 2400), 0)
FIRST = ["index", "package", "class", "text", "content-desc", "resource-id", "checkable", "checked"]
SECOND = [
    "clickable",
    "enabled",
    "focusable",
    "focused",
    "long-clickable",
    "password",
    "scrollable",
]


def test_one_node_is_written_with_lines_that_end_as_on_windows(tree: Tree) -> None:
    lines = str(Source([tree(Row([Text("Hi")]))], LOOK)).split("\r\n")
    assert lines[0] == "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
    assert lines[1] == (
        '<hierarchy index="0" class="hierarchy" rotation="0" width="1080" height="2400">'
    )
    assert lines[2].startswith('  <android.widget.LinearLayout index="0" package="org.demo" class=')
    assert lines[3].startswith("    <android.widget.TextView ")
    assert "content-desc" not in lines[3]
    assert lines[4:] == ["  </android.widget.LinearLayout>", "</hierarchy>"]


def test_attributes_come_in_appiums_order_and_null_ones_are_left_out(tree: Tree) -> None:
    element = Source([tree(Text("Hi", desc="d", id="t", on_click=print))], LOOK).root[0]
    assert list(element.attrib)[:15] == [*FIRST, *SECOND]
    plain = Source([tree(Text("Hi"))], LOOK).root[0]
    assert {"content-desc", "resource-id", "hint", "selection-start"}.isdisjoint(plain.attrib)


def test_invisible_nodes_are_included_only_on_request(tree: Tree) -> None:
    node = tree(Column([Text("flat", height=0), Text("seen")]))
    seen = Source([node], LOOK).root.xpath("//android.widget.TextView/@text")
    everything = Source([node], Look((1080, 2400), 0, invisible=True))
    assert seen == ["seen"]
    assert everything.root.xpath("//android.widget.TextView/@displayed") == ["false", "true"]


def test_compressed_leaves_out_what_only_holds_others(tree: Tree) -> None:
    node = tree(Column([Row([Text("a"), Column([Text("b", on_click=print)])])]))
    root = Source([node], Look((1080, 2400), 0, compressed=True)).root
    assert [each.tag for each in root.iter()] == [
        "hierarchy",
        "android.widget.LinearLayout",
        "android.widget.TextView",
        "android.widget.TextView",
    ]


def test_no_deeper_than_the_limit(tree: Tree) -> None:
    node = tree(Row([Row([Row([Text("deep")])])]))
    assert not Source([node], Look((1080, 2400), 0, most_depth=3)).root.xpath("//@text[.='deep']")


def test_texts_of_fields_sliders_and_bars(tree: Tree) -> None:
    field, slider, bar = tree(
        Column([Input("", hint="Name"), SeekBar(40, 100), ProgressBar(3, 10)])
    ).children
    assert (attribute(field, "text"), attribute(field, "hint")) == ("Name", "Name")
    assert attribute(field, "showing-hint") == "true"
    assert attribute(field, "input-type") == "1"
    assert (attribute(slider, "text"), attribute(bar, "text")) == ("40.0", "3.0")


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("android.widget.Button", "android.widget.Button"),
        ("a$b@c#d", "a.b.c.d"),
        ("..a..b.", "a.b"),
        ("", "android.view.View"),
        ("a b/c", "a_b_c"),
        ("1a", "_a"),
    ],
)
def test_a_class_makes_the_name_of_an_element(name: str, made: str) -> None:
    assert tag(name) == made


@given(st.text(max_size=30))
def test_any_class_makes_a_name_that_xml_takes(name: str) -> None:
    assert etree.fromstring(f"<{tag(name)}/>".encode()) is not None


@given(st.text())
def test_any_text_comes_back_except_for_what_xml_forbids(text: str) -> None:
    metrics = Metrics()
    box = layout(Text("", desc=text), metrics.screen, metrics, UiState())
    written = str(Source([Node.tree(box, "p")], LOOK)).encode()
    read = etree.fromstring(written)[0].get("content-desc", "")
    assert len(read) == len(text)
    assert all(new in (old, "?") for new, old in zip(read, text, strict=True))


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        ("//android.widget.TextView", ["One", "Two"]),
        ("//*[matches(@text, '^o', 'i')]", ["One"]),
        ("//*[ends-with(@text, 'wo')]", ["Two"]),
        ("//*[lower-case(@text) = 'two']", ["Two"]),
        ("//*[upper-case(@text) = 'ONE']", ["One"]),
    ],
)
def test_xpath_knows_the_functions_of_2_0(tree: Tree, expression: str, texts: list[str]) -> None:
    source = Source([tree(Column([Text("One"), Text("Two")]))], LOOK)
    found = [source.node(element) for element in xpath(source.root, expression)]
    assert [node.text for node in found if node and node.text] == texts


@pytest.mark.parametrize(
    "expression", ["//[", "1 + 1", "'a'", "//@text", "nothing()", "matches('a', '[')"]
)
def test_expressions_that_return_no_elements_are_refused(tree: Tree, expression: str) -> None:
    with pytest.raises(BadXPath, match=r"in `|does not find"):
        xpath(Source([tree(Text("One"))], LOOK).root, expression)
