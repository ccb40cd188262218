"""Routes for touch input: W3C actions, and Appium's own gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation.actions import (
    MOST_SWIPES,
    NoSuchContainer,
    Sample,
    Scroller,
    Touch,
    play,
    spread,
)
from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError
from pytest_mobileagent.virtual.automation.appium.pointers import perform
from pytest_mobileagent.virtual.automation.appium.session import element_id, number
from pytest_mobileagent.virtual.automation.selector import UiSelector
from pytest_mobileagent.virtual.system.input.gestures import MIN_FLING, SLOW
from pytest_mobileagent.virtual.ui.metrics import holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.automation.appium.session import Call, Route
    from pytest_mobileagent.virtual.ui.metrics import Rect
    from pytest_mobileagent.virtual.ui.node import Node

MARGIN = 5  # pixels from an element's edges where no gesture begins
LONG = 500  # ms of a long click
DRAG, FLING, SWIPE, PINCH = 2500, 7500, 5000, 2500  # dp per second, by default
BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}


def _actions(call: Call) -> None:
    perform(call.phone, call.body.get("actions"), lambda element: call.session.node(element).center)


def _double_click(call: Call) -> None:
    """Tap twice on an element, on a point of it, or on a point of the screen."""
    for _ in range(2):
        call.phone.tap(*_point(call, "offset"))


def _long_click(call: Call) -> None:
    duration = call.number("duration", LONG)
    if duration < 0:
        raise InvalidArgument("Long click duration cannot be negative")
    x, y = _point(call, "offset")
    call.phone.swipe(x, y, x, y, round(duration))


def _drag(call: Call) -> None:
    """Hold a finger on a point, then move it to another."""
    x1, y1 = _point(call, "start")
    x2, y2 = _coordinates(call.body.get("end"), "end")
    held = LONG + _milliseconds(call, DRAG, abs(x2 - x1) + abs(y2 - y1))
    touch = Touch([Sample(0, x1, y1), Sample(LONG, x1, y1), Sample(held, x2, y2)], held)
    play(call.phone, [touch])


def _swipe(call: Call) -> None:
    """Swipe across a part of an area in a direction."""
    x1, y1, x2, y2 = _stretch(_area(call), _direction(call), _percent(call, most=1))
    call.phone.swipe(x1, y1, x2, y2, _milliseconds(call, SWIPE, abs(x2 - x1) + abs(y2 - y1)))


def _scroll(call: Call) -> bool:
    """Scroll by a part of an area's size, in several steps if it exceeds 1; False at the end."""
    area, direction, percent = _area(call), _direction(call), _percent(call)
    while percent > 0:
        call.phone.swipe(*_stretch(area, BACK[direction], min(percent, 1.0)), SLOW)
        if not _goes_on(call, area, direction):
            return False
        percent -= 1
    return True


def _fling(call: Call) -> bool:
    """Fling the content of an area; return False once the end is reached."""
    area, direction = _area(call), _direction(call)
    least = MIN_FLING * call.phone.display.metrics.density
    if (speed := call.number("speed", FLING * least / MIN_FLING)) < least:
        words = f"Speed {round(speed)} is less than the minimum fling velocity {round(least)}"
        raise InvalidArgument(words)
    x1, y1, x2, y2 = _stretch(area, BACK[direction], 1.0)
    call.phone.swipe(x1, y1, x2, y2, max(1, round((abs(x2 - x1) + abs(y2 - y1)) / speed * 1000)))
    return _goes_on(call, area, direction)


def _scroll_to(call: Call) -> None:
    """Scroll an element, or the first scrollable one, until a locator matches."""
    given, origin = call.members("params"), call.body.get("origin")
    by, most = call.session.by(given), given.get("maxSwipes")
    swipes = MOST_SWIPES if most is None else int(number(most, "maxSwipes"))
    scrolled = call.session.node(element_id(origin)) if origin else None
    _seek(call, scrolled, lambda: call.session.finder.one(by) is not None, swipes)


def _scroll_back_to(call: Call) -> None:
    """Scroll an element until another, found earlier, is visible again."""
    wanted = call.session.element(call.path["id2"]).identity
    if not call.node.scrollable:
        raise InvalidArgument("The element must be scrollable")

    def seen() -> bool:
        node = call.phone.accessibility.find(wanted)
        return node is not None and node.visible

    _seek(call, call.node, seen, MOST_SWIPES)


def _seek(call: Call, scrolled: Node | None, seen: Callable[[], bool], most: int) -> None:
    container = UiSelector().having("scrollable", True)
    if scrolled and scrolled.resource_id:
        container = container.having("resourceId", scrolled.resource_id)
    try:
        if not seen() and not Scroller(call.phone, container, most_swipes=most).until(seen):
            raise WebDriverError("no such element")
    except NoSuchContainer as error:
        raise WebDriverError("no such element") from error


def _pinch(call: Call, *, apart: bool) -> None:
    """Move two fingers apart or together."""
    left, top, right, bottom = _area(call)
    percent = _percent(call, most=1)
    middle, y = (left + right) / 2, (top + bottom) / 2
    near, far = 1.0, (right - left) / 2 * percent
    begin, end = (near, far) if apart else (far, near)
    spent = _milliseconds(call, PINCH, far)
    play(call.phone, spread(middle, y, begin, end, spent))


def _goes_on(call: Call, area: Rect, direction: str) -> bool:
    """Return whether the content of an area can scroll further in a direction."""
    x, y = (area[0] + area[2]) // 2, (area[1] + area[3]) // 2
    window = call.phone.accessibility.active
    if window is None:
        return False
    nodes = [node for node in window.root.walk() if node.scrollable and holds(node.bounds, x, y)]
    boxes, forward = [node.box for node in nodes], direction in ("down", "right")
    return any(box.offset < box.reach if forward else box.offset > 0 for box in boxes)


def _stretch(area: Rect, direction: str, percent: float) -> tuple[int, int, int, int]:
    """Return the start and end of a swipe across a part of an area."""
    left, top, right, bottom = area
    x, y = (left + right) // 2, (top + bottom) // 2
    across, down = int((right - left) * percent), int((bottom - top) * percent)
    return {
        "left": (right - 1, y, right - 1 - across, y),
        "right": (left, y, left + across, y),
        "up": (x, bottom - 1, x, bottom - 1 - down),
        "down": (x, top, x, top + down),
    }[direction]


def _area(call: Call) -> Rect:
    origin, area = call.body.get("origin"), call.body.get("area")
    if origin:
        left, top, right, bottom = call.session.node(element_id(origin)).bounds
        return left + MARGIN, top + MARGIN, right - MARGIN, bottom - MARGIN
    if not isinstance(area, dict):
        raise InvalidArgument("Either element id or swipe area must be set")
    sides = ("left", "top", "width", "height")
    left, top, width, height = (int(number(area.get(side), side)) for side in sides)
    return left, top, left + width, top + height


def _direction(call: Call) -> str:
    direction = call.text("direction").lower()
    if direction not in BACK:
        raise InvalidArgument(f"Direction must be one of {', '.join(BACK)}")
    return direction


def _percent(call: Call, most: float | None = None) -> float:
    percent = call.number("percent")
    if percent < 0 or (most is not None and percent > most):
        raise InvalidArgument("Percent must be between 0.0f and 1.0f")
    return percent


def _milliseconds(call: Call, default: int, way: float) -> int:
    speed = call.number("speed", default * call.phone.display.metrics.density)
    if speed <= 0:
        raise InvalidArgument("Speed cannot be negative")
    return max(1, round(way / speed * 1000))


def _point(call: Call, name: str) -> tuple[int, int]:
    """Return a point of the screen; with an element, the offset is from its corner."""
    origin, offset = call.body.get("origin"), call.body.get(name)
    if not origin:
        return _coordinates(offset, name)
    node = call.session.node(element_id(origin))
    if offset is None:
        return node.center
    x, y = _coordinates(offset, name)
    return node.bounds[0] + x, node.bounds[1] + y


def _coordinates(value: Any, name: str) -> tuple[int, int]:
    if not isinstance(value, dict):
        raise InvalidArgument(f"'{name}' must have x and y")
    x, y = (number(value.get(axis), f"{axis} of {name}") for axis in "xy")
    return int(x), int(y)


ROUTES: Final[tuple[Route, ...]] = (
    ("POST", "actions", _actions),
    ("POST", "appium/gestures/click", lambda call: call.phone.tap(*_point(call, "offset"))),
    ("POST", "appium/gestures/double_click", _double_click),
    ("POST", "appium/gestures/long_click", _long_click),
    ("POST", "appium/gestures/drag", _drag),
    ("POST", "appium/gestures/swipe", _swipe),
    ("POST", "appium/gestures/scroll", _scroll),
    ("POST", "appium/gestures/fling", _fling),
    ("POST", "appium/gestures/pinch_open", lambda call: _pinch(call, apart=True)),
    ("POST", "appium/gestures/pinch_close", lambda call: _pinch(call, apart=False)),
    ("POST", "gestures/scroll_to", _scroll_to),
    ("POST", "appium/element/:id/scroll_to/:id2", _scroll_back_to),
)
