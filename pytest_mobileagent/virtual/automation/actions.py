"""What tools do to the phone: touches of fingers, actions on nodes, and scrolling in search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.automation.selector import (
    Call,
    SyntaxProblem,
    UiScrollable,
    UiSelector,
)
from pytest_mobileagent.virtual.system.input.gestures import SLOP, SLOW
from pytest_mobileagent.virtual.ui import Input, SeekBar, editing
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node

Point: TypeAlias = tuple[float, float]
STILL = 100  # ms of rest after which lifting a finger does not cause a fling


@dataclass(frozen=True, slots=True)
class Sample:
    """The position of a finger at a time."""

    time: int  # ms
    x: float
    y: float


@dataclass(slots=True)
class Touch:
    """The path of a finger, from touching the screen to leaving it."""

    way: list[Sample]
    lifted: int = 0

    @classmethod
    def line(cls, start: Point, end: Point, milliseconds: int) -> Touch:
        """Create a touch that moves straight from one point to another."""
        return cls([Sample(0, *start), Sample(milliseconds, *end)], milliseconds)

    @property
    def start(self) -> Sample:
        """Where the finger touches the screen."""
        return self.way[0]

    @property
    def end(self) -> Sample:
        """Where the finger leaves the screen."""
        return self.way[-1]

    def farthest(self) -> float:
        """Return the largest distance from the starting point, in pixels."""
        return max(_distance(self.start, sample) for sample in self.way)

    def held(self, slop: float) -> int:
        """Return how long the finger rests before it first moves, in ms."""
        moved = [i for i, each in enumerate(self.way) if _distance(self.start, each) > slop]
        until = self.way[moved[0] - 1].time if moved else self.lifted
        return until - self.start.time


def spread(x: float, y: float, begin: float, end: float, milliseconds: int) -> list[Touch]:
    """Return the touches of two fingers beside a point that move from one distance to another."""
    ways = [(x + side * begin, x + side * end) for side in (-1, 1)]
    return [Touch.line((left, y), (right, y), milliseconds) for left, right in ways]


def play(phone: Phone, touches: Iterable[Touch]) -> None:
    """Perform touches in the order in which they begin."""
    for group in grouped(touches):
        do(phone, group)


def grouped(touches: Iterable[Touch]) -> list[list[Touch]]:
    """Group each pair of fingers that touch the screen simultaneously."""
    groups: list[list[Touch]] = []
    for touch in sorted(touches, key=lambda touch: touch.start.time):
        last = groups[-1] if groups else []
        if len(last) == 1 and touch.start.time < last[0].lifted:
            last.append(touch)
        else:
            groups.append([touch])
    return groups


def do(phone: Phone, fingers: Sequence[Touch]) -> None:
    """Perform the gesture of one finger, or of two that pinch if their distance changes."""
    one, other = fingers[0], fingers[-1]
    before, after = _distance(one.start, other.start), _distance(one.end, other.end)
    if abs(after - before) > phone.display.metrics.px(SLOP):
        middle = ((one.start.x + other.start.x) / 2, (one.start.y + other.start.y) / 2)
        phone.pinch(*middle, max(after, 1.0) / max(before, 1.0))
    else:
        _alone(phone, one)


def _alone(phone: Phone, touch: Touch) -> None:
    """Give a path to a view that takes it; else tap, press, drag, or swipe each straight leg."""
    slop = phone.display.metrics.px(SLOP)
    start, end = touch.start, touch.end
    timeout = int(phone.settings.text("secure", "long_press_timeout", "400"))
    if touch.farthest() <= slop:
        phone.swipe(start.x, start.y, end.x, end.y, touch.lifted - start.time)
    elif phone.gestures.trace([(at.x, at.y) for at in touch.way], touch.lifted - start.time):
        pass
    elif touch.held(slop) >= timeout:
        phone.gestures.drag(start.x, start.y, end.x, end.y, touch.lifted - start.time)
    else:
        legs = _legs(touch.way)
        for leg in legs[:-1]:
            phone.swipe(leg[0].x, leg[0].y, leg[-1].x, leg[-1].y, SLOW)
        first, last = _begin(legs[-1]), legs[-1][-1]
        spent = SLOW if touch.lifted - last.time >= STILL else max(1, last.time - first.time)
        phone.swipe(first.x, first.y, last.x, last.y, spent)


def _begin(leg: list[Sample]) -> Sample:
    """Return the sample at which a finger starts moving on a leg."""
    moved = (at for at, sample in enumerate(leg) if (sample.x, sample.y) != (leg[0].x, leg[0].y))
    return leg[next(moved, 1) - 1]


def _legs(way: list[Sample]) -> list[list[Sample]]:
    """Split a path where the finger turns back."""
    legs = [[way[0]]]
    for sample in way[1:]:
        leg = legs[-1]
        if len(leg) > 1:
            before = (leg[-1].x - leg[0].x, leg[-1].y - leg[0].y)
            after = (sample.x - leg[-1].x, sample.y - leg[-1].y)
            if before[0] * after[0] + before[1] * after[1] < 0:
                legs.append([leg[-1]])
        legs[-1].append(sample)
    return legs


def _distance(one: Sample, other: Sample) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


def set_text(phone: Phone, node: Node, text: str) -> bool:
    """Set the text of a field, focused or not; return False if the node is not a text field."""
    view, window = node.box.view, phone.accessibility.window_of(node).window
    if not isinstance(view, Input) or not view.enabled:
        return False
    state = window.state if node.focused else UiState()
    with phone.windows.watched():
        with phone.activities.guard(window.record.package):
            editing.set_text(view, text, state)
        phone.changed()
    return True


def focus(phone: Phone, node: Node) -> bool:
    """Set the input focus as in touch mode, where only text fields can have it."""
    window = phone.accessibility.window_of(node).window
    if not (isinstance(node.box.view, Input) and node.enabled and window is phone.windows.active):
        return False
    with phone.windows.watched():
        phone.windows.focus(window, node.box)
        phone.changed()
    return True


def set_progress(phone: Phone, node: Node, value: float) -> bool:
    """Set a slider's value; return False if the node is not a slider."""
    view = node.box.view
    if not isinstance(view, SeekBar) or not view.enabled or view.on_change is None:
        return False
    window = phone.accessibility.window_of(node).window
    with phone.windows.watched():
        with phone.activities.guard(window.record.package):
            view.on_change(min(max(0.0, value), view.maximum))
        phone.changed()
    return True


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
        return all(self.step(forward=forward) for _ in range(swipes))

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
