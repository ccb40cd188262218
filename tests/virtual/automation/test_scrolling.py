"""UiScrollable: the effect of its methods on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.automation.actions import NoSuchContainer, Run
from pytest_mobileagent.virtual.automation.selector import SyntaxProblem, UiScrollable, parse
from pytest_mobileagent.virtual.content.intent import Intent

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

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
