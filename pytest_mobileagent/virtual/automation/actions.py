"""What tools do to the phone: touches of fingers, and accessibility actions on nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.system.input.gestures import SLOP, SLOW
from pytest_mobileagent.virtual.ui import Input, SeekBar, editing
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    return [
        Touch.line((x + side * begin, y), (x + side * end, y), milliseconds) for side in (-1, 1)
    ]


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
    """Perform the gesture of one or two fingers.

    Two fingers pinch if their distance changes; otherwise the gesture is that of the first one.
    """
    one, other = fingers[0], fingers[-1]
    before, after = _distance(one.start, other.start), _distance(one.end, other.end)
    if abs(after - before) > phone.display.metrics.px(SLOP):
        middle = ((one.start.x + other.start.x) / 2, (one.start.y + other.start.y) / 2)
        phone.pinch(*middle, max(after, 1.0) / max(before, 1.0))
    else:
        _alone(phone, one)


def _alone(phone: Phone, touch: Touch) -> None:
    """Perform one finger's gesture: tap, long press, drag, or a swipe for each straight leg.

    A view that takes paths gets the whole path instead.
    """
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
