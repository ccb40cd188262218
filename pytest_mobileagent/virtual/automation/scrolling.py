"""UiScrollable: scrolls a container, usually to search for a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.selector import (
    Call,
    SyntaxProblem,
    UiScrollable,
    UiSelector,
)
from pytest_mobileagent.virtual.system.input.gestures import SLOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node

MOST_SWIPES = 30
DEAD_ZONE = 0.1  # part of the container, at either end, where no swipe begins or ends
LAST = "Last method called on a UiScrollable object must return a UiObject object"


class NoSuchContainer(LookupError):
    """The container to scroll does not exist."""


@dataclass(slots=True)
class Scroller:
    """A container that is scrolled."""

    phone: Phone
    container: UiSelector
    horizontal: bool = False
    most_swipes: int = MOST_SWIPES
    dead_zone: float = DEAD_ZONE
    spent: int = SLOW  # duration of a swipe in ms

    def find(self, selector: UiSelector) -> Node | None:
        """Return the first node that matches a selector on the screen, or None."""
        window = self.phone.accessibility.active
        return next(selector.find(window.root), None) if window else None

    def shown(self, selector: UiSelector) -> bool:
        """Return whether a selector matches a visible node in the container."""
        return self.find(self.container.then("child", selector)) is not None

    def into_view(self, selector: UiSelector) -> bool:
        """Scroll from the beginning until a node is visible; return False if none is found."""
        return self.shown(selector) or self.until(lambda: self.shown(selector))

    def row(self, rows: UiSelector, wanted: UiSelector) -> UiSelector | None:
        """Return the selector of the row that contains, or is, a wanted node; None if not found."""
        window, inside = self.phone.accessibility.active, self.container.then("child", rows)
        for at, node in enumerate(inside.find(window.root)) if window else ():
            if any(wanted.accepts(inner) for inner in node.walk_seen()):
                return self.container.then("child", rows.having("instance", at))
        return None

    def until(self, seen: Callable[[], bool]) -> bool:
        """Scroll from the beginning until a condition holds; return False if it never does."""
        self.to_end(forward=False, swipes=self.most_swipes)
        for _ in range(self.most_swipes):
            if seen() or not self.step(forward=True):
                break
        return seen()

    def to_end(self, *, forward: bool, swipes: int) -> bool:
        """Scroll to an end; return whether every one of the swipes moved the content."""
        return not any(not self.step(forward=forward) for _ in range(swipes))

    def step(self, *, forward: bool) -> bool:
        """Swipe across the container once, slowly; return False if it did not move."""
        node = self.find(self.container)
        if node is None:
            raise NoSuchContainer(str(self.container))
        left, top, right, bottom = node.bounds
        if self.horizontal:
            low, high = self._ends(left, right)
            points = (high, (top + bottom) // 2, low, (top + bottom) // 2)
        else:
            low, high = self._ends(top, bottom)
            points = ((left + right) // 2, high, (left + right) // 2, low)
        x1, y1, x2, y2 = points if forward else (points[2], points[3], points[0], points[1])
        before = node.box.offset
        self.phone.swipe(x1, y1, x2, y2, self.spent)
        after = self.phone.accessibility.find(node.identity)
        return after is not None and after.box.offset != before

    def _ends(self, low: int, high: int) -> tuple[int, int]:
        dead = int((high - low) * self.dead_zone)
        return low + dead, high - 1 - dead


class Run:
    """Calls the methods of a UiScrollable, and stores what the last one found."""

    def __init__(self, phone: Phone, statement: UiScrollable) -> None:
        self._calls = statement.calls
        self._container = statement.container
        self._scroller = Scroller(phone, statement.container)
        self._meant: UiSelector | None = None

    def result(self) -> UiSelector:
        """Call all methods and return the selector of what was found."""
        for call in self._calls:
            self._do(call)
        if self._meant is None:
            raise SyntaxProblem(LAST)
        return self._meant

    def _do(self, call: Call) -> None:  # noqa: C901, PLR0912 - a case for each method
        match call.name, *call.arguments:
            case "scrollIntoView", UiSelector() as wanted:
                self._into_view(wanted)
            case "scrollTextIntoView", str() as text:
                self._into_view(UiSelector().having("text", text))
            case "scrollDescriptionIntoView", str() as text:
                self._into_view(UiSelector().having("description", text))
            case "getChildByText", UiSelector() as row, str() as text, *more:
                self._child_by(row, "text", text, scroll=False not in more)
            case "getChildByDescription", UiSelector() as row, str() as text, *more:
                self._child_by(row, "description", text, scroll=False not in more)
            case "getChildByInstance", UiSelector() as row, int() as number:
                self._meant = self._container.then("child", row.having("instance", number))
            case ("setAsVerticalList",):
                self._scroller.horizontal = False
            case ("setAsHorizontalList",):
                self._scroller.horizontal = True
            case "setMaxSearchSwipes", int() as most:
                self._scroller.most_swipes = most
            case "setSwipeDeadZonePercentage", int() | float() as part:
                self._scroller.dead_zone = part
            case "scrollForward" | "flingForward", *_:
                self._scroller.step(forward=True)
            case "scrollBackward" | "flingBackward", *_:
                self._scroller.step(forward=False)
            case "scrollToEnd" | "flingToEnd", int() as most, *_:
                self._scroller.to_end(forward=True, swipes=most)
            case "scrollToBeginning" | "flingToBeginning", int() as most, *_:
                self._scroller.to_end(forward=False, swipes=most)
            case _:
                shown = ", ".join(map(str, call.arguments))
                words = f"UiScrollable has no suitable `{call.name}` method with arguments"
                raise SyntaxProblem(f"{words} [{shown}]")

    def _into_view(self, wanted: UiSelector) -> None:
        self._meant = wanted
        if self._scroller.find(wanted) is None:
            self._scroller.into_view(wanted)

    def _child_by(self, row: UiSelector, name: str, text: str, *, scroll: bool) -> None:
        """Select the row that contains an element with text, or has the text itself."""
        wanted = UiSelector().having(name, text)
        itself = self._container.then("child", row.having(name, text))
        self._meant = self._scroller.row(row, wanted) or itself
        if scroll:
            self._scroller.into_view(wanted)
