"""What holds for every view hierarchy, whatever a phone writes into it."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.screen.xml import in_other_dialect, parse, parse_tree

# What XML can hold, and what it does not fold into spaces in an attribute.
ATTRIBUTE = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
)
CLASSES = st.sampled_from(["android.view.View", "android.widget.Button", "a.b.Outer$Inner", "1"])
NODES = st.recursive(
    st.tuples(CLASSES, ATTRIBUTE, st.booleans(), st.just(())),
    lambda below: st.tuples(CLASSES, ATTRIBUTE, st.booleans(), st.lists(below, max_size=3)),
    max_leaves=8,
)


def written(node: Any, appium: bool) -> etree._Element:
    class_name, text, checked, below = node
    tag = re.sub(r"\W", ".", class_name) if appium else "node"
    element = etree.Element(tag if tag[0].isalpha() else "android.view.View")
    element.set("class", class_name)
    element.set("text", text)
    element.set("checked", str(checked).lower())
    element.extend([written(child, appium) for child in below])
    return element


@given(st.lists(NODES, max_size=3))
def test_both_dialects_are_read_to_equal_elements(windows: list[Any]) -> None:
    screens = []
    for appium in (False, True):
        hierarchy = etree.Element("hierarchy")
        hierarchy.extend([written(window, appium) for window in windows])
        screens.append(parse(etree.tostring(hierarchy, encoding="unicode")))
    assert screens[0] == screens[1]
    assert [child.text for child in screens[0].children] == [window[1] for window in windows]


@given(st.text(st.characters()) | st.text("<>/='hierarchynode &#;0[]", max_size=60))
def test_any_text_is_either_read_or_refused(text: str) -> None:
    for xml in (text, f"<hierarchy>{text}</hierarchy>", f"<hierarchy text='{text}'/>"):
        try:
            root = parse(xml)
        except ScreenError:
            continue
        assert root.class_name == "hierarchy"


ODD_CLASSES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).filter(
    lambda name: not set(name) & {"\ufffe", "\uffff"}
)


@given(ODD_CLASSES | st.sampled_from(["²", "a²", "{a}b", "a:b", ":", "-a", "1", "a b", "·"]))
def test_any_class_can_be_searched_by_xpath(class_name: str) -> None:
    hierarchy = etree.Element("hierarchy")
    etree.SubElement(hierarchy, "node").set("class", class_name)
    tree = parse_tree(etree.tostring(hierarchy, encoding="unicode"))
    other = parse(etree.tostring(in_other_dialect(tree), encoding="unicode"))
    assert len(other.children) == 1
    screen = Screen(etree.tostring(hierarchy, encoding="unicode"), b"")
    assert screen.find_all(xpath="//*[@class]") == list(screen.elements)
    assert screen.get(xpath="//node").class_name == class_name


NUMBERS = st.integers() | st.just(int("9" * 4000)) | st.sampled_from(["", "x", "٣", "-", "1.5"])
PROLOGS = st.lists(
    st.sampled_from(
        ["<?xml version='1.0'?>", "<!-- <!DOCTYPE a> -->", "<?b?>", " ", "\ufeff", "<!DOCTYPE a>"]
    ),
    max_size=4,
).map("".join)
TEXTS = st.text(st.characters() | st.sampled_from("&;#<'\ud83d\ude00"), max_size=8)


@given(PROLOGS, st.lists(st.tuples(TEXTS, st.lists(NUMBERS, min_size=4, max_size=4)), max_size=4))
def test_any_hierarchy_is_read_in_full_or_refused(
    prolog: str, nodes: list[tuple[str, list[Any]]]
) -> None:
    inside = "".join(
        f"<node class='a.B' text='{text}' bounds='[{b[0]},{b[1]}][{b[2]},{b[3]}]'>"
        for text, b in nodes
    )
    xml = f"{prolog}<hierarchy>{inside}{'</node>' * len(nodes)}</hierarchy>"
    screen = Screen(xml, b"")
    try:
        elements = screen.elements
    except ScreenError:
        return
    assert [len(element.children) for element in elements] == ([1] * len(nodes) + [0])[1:]
    assert screen.find_all(xpath="//node") == screen.find_all(xpath="//a.B") == list(elements)
    assert parse(xml) == screen.root
    for element in elements:
        element.text.encode()
        assert element.bounds.width >= 0
        assert element.describe().startswith("<B ") or not element.text
