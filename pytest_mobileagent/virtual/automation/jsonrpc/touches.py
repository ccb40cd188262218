"""Methods that touch what a selector means, or an id that stands for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.automation.appium.pointers import Sample, Touch, play
from pytest_mobileagent.virtual.automation.jsonrpc import device
from pytest_mobileagent.virtual.automation.jsonrpc.errors import JavaThrowable
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import (
    integer,
    number,
    point,
    selector,
    text,
    thing,
)
from pytest_mobileagent.virtual.automation.jsonrpc.registry import method
from pytest_mobileagent.virtual.automation.selector import UiSelector

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service
    from pytest_mobileagent.virtual.ui.node import Node

Thing: TypeAlias = UiSelector | str
Place: TypeAlias = tuple[int, int]
INSET = 5  # pixels from a corner to where it is clicked
FINGER = 20  # pixels that a finger takes, from its middle


@method("click", thing)
def click(service: Service, what: Thing) -> bool:
    """Tap its middle."""
    return device.click(service, *service.get(what).center)


@method("click", thing, text)
def click_corner(service: Service, what: Thing, corner: str | None) -> bool:
    """Tap one of its corners, or its middle."""
    return device.click(service, *_corner(service.get(what), corner))


@method("clickAndWaitForNewWindow", thing, integer)
async def click_and_wait(service: Service, what: Thing, milliseconds: int) -> bool:
    """Tap its middle, and wait until another window has come."""
    screen = service.phone.accessibility
    before = screen.active and screen.active.id
    click(service, what)

    def changed() -> bool:
        window = service.phone.accessibility.active
        return window is not None and window.id != before

    return await service.until(changed, milliseconds)


@method("longClick", thing)
def long_click(service: Service, what: Thing) -> bool:
    """Hold its middle."""
    service.phone.long_press(*service.get(what).center)
    return True


@method("longClick", thing, text)
def long_click_corner(service: Service, what: Thing, corner: str | None) -> bool:
    """Hold one of its corners, or its middle."""
    service.phone.long_press(*_corner(service.get(what), corner))
    return True


def _corner(node: Node, corner: str | None) -> Place:
    left, top, right, bottom = node.bounds
    match (corner or "").lower():
        case "tl" | "topleft":
            return left + INSET, top + INSET
        case "br" | "bottomright":
            return right - INSET, bottom - INSET
    return node.center


@method("dragTo", thing, integer, integer, integer)
def drag_to(service: Service, what: Thing, x: int, y: int, steps: int) -> bool:
    """Hold it and move it to a place."""
    return device.drag(service, *service.get(what).center, x, y, steps)


@method("dragTo", thing, selector, integer)
def drag_to_other(service: Service, what: Thing, other: UiSelector, steps: int) -> bool:
    """Hold it and move it to something else."""
    return drag_to(service, what, *service.get(other).center, steps)


@method("swipe", thing, text, integer)
def swipe(service: Service, what: Thing, direction: str | None, steps: int) -> bool:
    """Swipe over it from one edge to the other; false in no direction."""
    return _swipe(service, service.get(what), direction, 1.0, steps)


@method("swipe", selector, text, number, integer)
def swipe_part(
    service: Service, what: UiSelector, direction: str | None, part: float, steps: int
) -> bool:
    """Swipe over a part of it."""
    return _swipe(service, service.get(what), direction, min(max(part, 0.0), 1.0), steps)


def _swipe(service: Service, node: Node, direction: str | None, part: float, steps: int) -> bool:
    left, top, right, bottom = node.bounds
    x, y = node.center
    dx, dy = (
        round((right - left - 2 * INSET) * part / 2),
        round((bottom - top - 2 * INSET) * part / 2),
    )
    ways = {
        "d": (x, y - dy, x, y + dy),
        "l": (x + dx, y, x - dx, y),
        "r": (x - dx, y, x + dx, y),
        "u": (x, y + dy, x, y - dy),
    }
    way = ways.get((direction or " ")[0].lower())
    return way is not None and device.swipe(service, *way, steps)


@method("gesture", thing, point, point, point, point, integer)
def gesture(  # noqa: PLR0917 - as Java has it
    service: Service,
    what: Thing,
    one: Place,
    other: Place,
    one_end: Place,
    other_end: Place,
    steps: int,
) -> bool:
    """Move two fingers at once."""
    service.get(what)
    time = max(1, steps * device.STEP)
    fingers = ((one, one_end), (other, other_end))
    touches = [Touch([Sample(0, *start), Sample(time, *end)], time) for start, end in fingers]
    play(service.phone, touches)
    return True


@method("pinchIn", thing, integer, integer)
def pinch_in(service: Service, what: Thing, percent: int, steps: int) -> bool:
    """Move two fingers from the sides to the middle."""
    far, near = _pinch(service.get(what), percent)
    return gesture(service, what, *far, *near, steps)


@method("pinchOut", thing, integer, integer)
def pinch_out(service: Service, what: Thing, percent: int, steps: int) -> bool:
    """Move two fingers from the middle to the sides."""
    far, near = _pinch(service.get(what), percent)
    return gesture(service, what, *near, *far, steps)


def _pinch(node: Node, percent: int) -> tuple[tuple[Place, Place], tuple[Place, Place]]:
    """Give the places of two fingers, far from each other and near."""
    left, _, right, _ = node.bounds
    if right - left <= 2 * FINGER:
        message = "Object width is too small for operation"
        raise JavaThrowable("java.lang.IllegalStateException", message)
    x, y = node.center
    way = int((right - left) // 2 * min(max(percent, 0), 100) / 100)
    return ((x - way, y), (x + way, y)), ((x - FINGER, y), (x + FINGER, y))
