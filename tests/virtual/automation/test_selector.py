"""UiSelector and UiScrollable: parsing, the nodes that they find, and the effect on the screen."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.automation.actions import NoSuchContainer, Run
from pytest_mobileagent.virtual.automation.selector import (
    FLAGS,
    NUMBERS,
    TEXTS,
    SyntaxProblem,
    UiScrollable,
    UiSelector,
    parse,
)
from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.ui import Button, CheckBox, Column, Image, Row, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.ui import View
    from pytest_mobileagent.virtual.ui.node import Node

    Tree = Callable[[View], Node]
    from pytest_mobileagent.virtual.phone import Phone


def selector(text: str) -> UiSelector:
    (statement,) = parse(text)
    assert isinstance(statement, UiSelector)
    return statement


def test_a_selector_is_read_with_all_kinds_of_arguments() -> None:
    found = selector('new UiSelector().text("a").clickable(true).index(2).enabled(false).focused()')
    assert found.criteria == (
        ("text", "a"),
        ("clickable", True),
        ("index", 2),
        ("enabled", False),
        ("focused", True),
    )


@pytest.mark.parametrize(
    "text",
    [
        'UiSelector().text("a")',
        'new UiSelector().text("a");',
        ' new  UiSelector ( ) . text ( "a" ) ; ',
        'new UiSelector()\n.text("b")\n.text("a")',
    ],
)
def test_spaces_new_and_semicolons_do_not_matter(text: str) -> None:
    assert selector(text) == UiSelector().having("text", "a")


def test_selectors_hold_others() -> None:
    inner = UiSelector().having("text", "a")
    assert selector('UiSelector().childSelector(UiSelector().text("a"))').child == inner
    found = selector(
        'UiSelector().fromParent(new UiSelector().text("a")).childSelector(UiSelector())'
    )
    assert found.sibling == inner.then("child", UiSelector())


def test_statements_are_separated_by_semicolons() -> None:
    found = parse(
        'UiSelector().text("a;b");new UiScrollable(UiSelector().scrollable(true)).scrollTextIntoView("c")'
    )
    assert found[0] == UiSelector().having("text", "a;b")
    assert isinstance(found[1], UiScrollable)
    assert [(call.name, call.arguments) for call in found[1].calls] == [
        ("scrollTextIntoView", ("c",))
    ]


def test_a_class_may_be_named_without_quotes() -> None:
    assert selector("UiSelector().className(android.widget.Button)").criteria == (
        ("className", "android.widget.Button"),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Nothing is built"),
        ("  ", "Nothing is built"),
        ("text", "Expected `UiSelector` or `UiScrollable` but saw `text`"),
        ("new UiSelector", "saw `UiSelector`"),
        ('new UiSelector().text("a"', "never closed"),
        ('new UiSelector().text("a', 'Unexpected `"`'),
        ('new UiSelector().colour("a")', "has no `colour` method"),
        ("new UiSelector().text(1)", "no suitable `text` method with arguments \\[1\\]"),
        ('new UiSelector().clickable("true")', "no suitable `clickable`"),
        ("new UiSelector().instance(-1)", "Cannot have a negative instance"),
        ("new UiSelector().index(true)", "no suitable `index`"),
        ('new UiSelector().textMatches("[")', "in `\\[`"),
        ("new UiSelector(3)", "no suitable constructor"),
        ("new", "Nothing is built"),
        ("new UiScrollable(3)", "no suitable constructor"),
        ('new UiSelector().text("a") x', "invalid syntax"),
        ("UiSelector().childSelector(" * 60 + "UiSelector(" + ")" * 61, "Too many selectors"),
    ],
)
def test_invalid_selectors_are_refused(text: str, problem: str) -> None:
    with pytest.raises(SyntaxProblem, match=problem):
        parse(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_quoted(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    assert selector(f'new UiSelector().text("{escaped}")') == UiSelector().having("text", text)


@given(st.text(alphabet='newUiSelctor().,;"\\ 1ax-', max_size=60))
def test_garbage_is_read_or_refused_and_nothing_else(text: str) -> None:
    with contextlib.suppress(SyntaxProblem):
        assert parse(text)


@st.composite
def selectors(draw: st.DrawFn, depth: int = 2) -> UiSelector:
    texts = st.tuples(
        st.sampled_from([t for t in TEXTS if "Matches" not in t]),
        st.text(st.characters(categories=["L", "N"])),
    )
    flags = st.tuples(st.sampled_from(FLAGS), st.booleans())
    numbers = st.tuples(st.sampled_from(NUMBERS), st.integers(0, 9))
    made = UiSelector()
    for name, value in draw(st.lists(texts | flags | numbers, max_size=4)):
        made = made.having(name, value)
    if depth and draw(st.booleans()):
        made = made.then("child", draw(selectors(depth=depth - 1)))
    elif depth and draw(st.booleans()):
        made = made.then("sibling", draw(selectors(depth=depth - 1)))
    return made


def written(made: UiSelector) -> str:
    shown = {True: "true", False: "false"}
    calls = [
        f".{name}({shown[value] if isinstance(value, bool) else value if isinstance(value, int) else chr(34) + value + chr(34)})"
        for name, value in made.criteria
    ]
    inner = [f".childSelector({written(made.child)})"] if made.child else []
    inner += [f".fromParent({written(made.sibling)})"] if made.sibling else []
    return "new UiSelector()" + "".join([*calls, *inner])


@given(selectors())
def test_every_selector_comes_back_from_its_text(made: UiSelector) -> None:
    assert selector(written(made)) == made


VIEW = Column(
    [
        Row([Text("One", id="title"), CheckBox("", True, print, id="box")], id="row"),
        Row([Text("Two", id="title"), CheckBox("", False, print, id="box")], id="row"),
        Row([Text("Three", id="title"), Image("add", desc="Add three")], id="row"),
        Button("OK", on_click=print, enabled=False),
        Text("gone", visible=False),
    ],
    height=-1,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('.text("Two")', ["Two"]),
        ('.textStartsWith("T")', ["Two", "Three"]),
        ('.textContains("o")', ["Two"]),
        ('.textMatches("T.*e+")', ["Three"]),
        ('.textMatches("(?i)ONE|two")', ["One", "Two"]),
        ('.textMatches("\\\\QOne\\\\E")', ["One"]),
        ('.descriptionContains("three")', ["Add three"]),
        ('.resourceId("org.demo:id/title")', ["One", "Two", "Three"]),
        ('.resourceId("org.demo:id/title").instance(1)', ["Two"]),
        ('.resourceId("org.demo:id/title").instance(9)', []),
        ('.className("android.widget.Button").enabled(true)', []),
        ('.className("android.widget.Button").enabled(false)', ["OK"]),
        ('.checked(true).fromParent(UiSelector().className("android.widget.TextView"))', ["One"]),
        (
            '.resourceId("org.demo:id/row").childSelector(UiSelector().textStartsWith("T"))',
            ["Two", "Three"],
        ),
        (
            '.resourceId("org.demo:id/row").instance(2).childSelector(UiSelector().index(0))',
            ["Three"],
        ),
        ('.text("gone")', []),
        ('.packageName("org.demo").text("OK")', ["OK"]),
        ('.index(1).className("android.widget.ImageView")', ["Add three"]),
    ],
)
def test_elements_that_a_selector_finds(tree: Tree, text: str, found: list[str]) -> None:
    chosen = selector(f"new UiSelector(){text}")
    limit = 1 if chosen.instance is not None or "instance" in text else 9
    names = [node.text or node.desc for node in chosen.find(tree(VIEW))]
    assert names[:limit] == found


FORM = "new UiScrollable(new UiSelector().scrollable(true))"


@pytest.fixture
def editor(demo: Phone) -> Phone:
    demo.activities.start(Intent(component="org.demo/org.demo.EditorActivity"))
    return demo


def found(phone: Phone, text: str) -> str | None:
    (statement,) = parse(text)
    assert isinstance(statement, UiScrollable)
    selector = Run(phone, statement).result()
    window = phone.accessibility.active
    assert window
    node = next(selector.find(window.root), None)
    return node.text if node else None


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        ('.scrollTextIntoView("Save")', "Save"),
        ('.scrollIntoView(new UiSelector().resourceId("org.demo:id/save"))', "Save"),
        ('.setMaxSearchSwipes(20).setAsVerticalList().scrollTextIntoView("Line 27")', "Line 27"),
        ('.setSwipeDeadZonePercentage(0.3).scrollTextIntoView("Line 20")', "Line 20"),
        ('.getChildByText(new UiSelector().className("android.widget.Button"), "Save")', "Save"),
        ('.getChildByInstance(new UiSelector().className("android.widget.TextView"), 2)', "Line 2"),
        ('.scrollToEnd(20).scrollTextIntoView("Line 0")', "Line 0"),
        ('.flingToEnd(20).flingBackward().scrollTextIntoView("Save")', "Save"),
        ('.scrollTextIntoView("nowhere")', None),
        ('.setMaxSearchSwipes(0).scrollTextIntoView("Save")', None),
    ],
)
def test_the_wanted_element_is_scrolled_into_view(
    editor: Phone, calls: str, text: str | None
) -> None:
    assert found(editor, FORM + calls) == text


@pytest.mark.parametrize(
    ("calls", "problem"),
    [
        (".scrollForward()", "must return a UiObject"),
        (".jump()", "UiScrollable has no suitable `jump` method"),
        (".scrollIntoView(3)", "no suitable `scrollIntoView`"),
        (".scrollTextIntoView(new UiSelector())", "no suitable `scrollTextIntoView`"),
        ('.scrollToEnd("x")', "no suitable `scrollToEnd`"),
        (".getChildByText()", "no suitable `getChildByText`"),
    ],
)
def test_calls_that_are_invalid_are_refused(editor: Phone, calls: str, problem: str) -> None:
    with pytest.raises(SyntaxProblem, match=problem):
        found(editor, FORM + calls)


def test_without_anything_to_scroll_there_is_no_scrolling(demo: Phone) -> None:
    with pytest.raises(NoSuchContainer):
        found(demo, f'{FORM}.scrollTextIntoView("nowhere")')
