"""UiScrollable: scrolls a container, mostly in search of something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.automation.expression import Call, SyntaxProblem, UiScrollable
from pytest_mobileagent.virtual.automation.selector import UiSelector
from pytest_mobileagent.virtual.system.input.gestures import SLOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.automation.expression import Argument
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node

MOST_SWIPES = 30
DEAD_ZONE = 0.1  # of the container, at either end, where no swipe begins or ends
INTO_VIEW: Final = {
    "scrollIntoView": "",
    "scrollTextIntoView": "text",
    "scrollDescriptionIntoView": "description",
}
CHILD_BY: Final = {"getChildByText": "text", "getChildByDescription": "description"}
WAY: Final = re.compile("(?:scroll|fling)(Forward|Backward|ToEnd|ToBeginning)")
FORWARD: Final = ("Forward", "ToEnd")
LAST = "Last method called on a UiScrollable object must return a UiObject object"


class NoSuchContainer(LookupError):  # noqa: N818 - as UiObjectNotFoundException
    """What should be scrolled is not there."""


@dataclass(slots=True)
class Scroller:
    """A container that is scrolled."""

    phone: Phone
    container: UiSelector
    horizontal: bool = False
    most_swipes: int = MOST_SWIPES
    dead_zone: float = DEAD_ZONE
    spent: int = SLOW  # ms of a swipe

    def find(self, selector: UiSelector) -> Node | None:
        """Give what is meant, if it is on the screen."""
        window = self.phone.accessibility.active
        return next(selector.find(window.root), None) if window else None

    def shown(self, selector: UiSelector) -> bool:
        """Tell whether something can be seen in the container."""
        return self.find(self.container.then("child", selector)) is not None

    def into_view(self, selector: UiSelector) -> bool:
        """Scroll from the beginning on until something is seen; False if it never is."""
        return self.shown(selector) or self.until(lambda: self.shown(selector))

    def until(self, seen: Callable[[], bool]) -> bool:
        """Scroll from the beginning on until something holds; False if it never does."""
        self.to_end(forward=False, swipes=self.most_swipes)
        for _ in range(self.most_swipes):
            if seen() or not self.step(forward=True):
                break
        return seen()

    def to_end(self, *, forward: bool, swipes: int) -> bool:
        """Scroll as far as it goes."""
        return not any(not self.step(forward=forward) for _ in range(swipes))

    def step(self, *, forward: bool) -> bool:
        """Swipe once over the container, slowly; False if it did not move."""
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
    """Calls the methods of one UiScrollable, and remembers what the last one found."""

    def __init__(self, phone: Phone, statement: UiScrollable) -> None:
        self._statement = statement
        self._scroller = Scroller(phone, statement.container)
        self._meant: UiSelector | None = None

    def result(self) -> UiSelector:
        """Do everything, and give the selector of what was found."""
        for call in self._statement.calls:
            try:
                self._do(call)
            except (TypeError, IndexError, ValueError) as error:
                if isinstance(error, SyntaxProblem):
                    raise
                raise self._problem(call, "has no suitable") from error
        if self._meant is None:
            raise SyntaxProblem(self._statement.text, LAST, len(self._statement.text))
        return self._meant

    def _do(self, call: Call) -> None:
        arguments = call.arguments
        if call.name in INTO_VIEW:
            self._meant = _wanted(INTO_VIEW[call.name], arguments)
            if self._scroller.find(self._meant) is None:
                self._scroller.into_view(self._meant)
        elif call.name in CHILD_BY:
            pattern, text = arguments[0], arguments[1]
            self._meant = self._child(_selector(pattern), CHILD_BY[call.name], str(text))
            if False not in arguments[2:]:
                self._scroller.into_view(_wanted(CHILD_BY[call.name], (text,)))
        elif call.name == "getChildByInstance":
            numbered = _selector(arguments[0]).having("instance", int(_number(arguments[1:])))
            self._meant = self._statement.container.then("child", numbered)
        elif call.name in SET:
            setattr(self._scroller, *SET[call.name](arguments))
        elif way := WAY.fullmatch(call.name):
            swipes = int(_number(arguments)) if way[1].startswith("To") else 1
            self._scroller.to_end(forward=way[1] in FORWARD, swipes=swipes)
        else:
            raise self._problem(call, "has no")

    def _child(self, pattern: UiSelector, name: str, text: str) -> UiSelector:
        """Mean the row that something with a text is in, or that has it itself."""
        container = self._statement.container
        row = container.then("child", pattern)
        window = self._scroller.phone.accessibility.active
        for at, node in enumerate(row.find(window.root)) if window else ():
            if any(
                inner.text == text if name == "text" else inner.desc == text
                for inner in node.walk()
            ):
                return container.then("child", pattern.having("instance", at))
        return container.then("child", pattern.having(name, text))

    def _problem(self, call: Call, why: str) -> SyntaxProblem:
        words = f"UiScrollable {why} `{call.name}` method"
        return SyntaxProblem(self._statement.text, words, call.position)


def _wanted(name: str, arguments: tuple[Argument, ...]) -> UiSelector:
    (argument,) = arguments
    if not name:
        return _selector(argument)
    if not isinstance(argument, str):
        raise TypeError(name)
    return UiSelector().having(name, argument)


def _selector(argument: Argument) -> UiSelector:
    if not isinstance(argument, UiSelector):
        raise TypeError(argument)
    return argument


def _number(arguments: tuple[Argument, ...]) -> float:
    number = arguments[0]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError(number)
    return number


SET: Final[dict[str, Callable[[tuple[Argument, ...]], tuple[str, float]]]] = {
    "setAsVerticalList": lambda _: ("horizontal", False),
    "setAsHorizontalList": lambda _: ("horizontal", True),
    "setMaxSearchSwipes": lambda arguments: ("most_swipes", int(_number(arguments))),
    "setSwipeDeadZonePercentage": lambda arguments: ("dead_zone", _number(arguments)),
}
