"""Methods for the nodes that a selector, or the id of one, matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pytest_mobileagent.virtual.automation.actions import Scroller, Touch, play, set_text, spread
from pytest_mobileagent.virtual.automation.jsonrpc import device
from pytest_mobileagent.virtual.automation.jsonrpc.service import (
    Methods,
    flag,
    integer,
    not_found,
    point,
    selector,
    text,
    thing,
    thrown,
)
from pytest_mobileagent.virtual.automation.selector import UiSelector
from pytest_mobileagent.virtual.system.input.gestures import SLOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service
    from pytest_mobileagent.virtual.ui.node import Node

Thing: TypeAlias = UiSelector | str
Place: TypeAlias = tuple[int, int]
FINGER = 20  # pixels, radius of a finger
FLING = 5 * device.STEP  # duration of a fling's swipe in ms


def _info(node: Node) -> dict[str, Any]:
    left, top, right, bottom = node.bounds
    bounds = {"bottom": bottom, "left": left, "right": right, "top": top}
    return {
        "bounds": bounds,
        "checkable": node.checkable,
        "checked": node.checked,
        "childCount": len(node.children),
        "className": node.class_name,
        "clickable": node.clickable,
        "contentDescription": node.desc,
        "enabled": node.enabled,
        "focusable": node.focusable,
        "focused": node.focused,
        "longClickable": node.long_clickable,
        "packageName": node.package,
        "resourceName": node.resource_id or None,
        "scrollable": node.scrollable,
        "selected": node.selected,
        "text": node.text,
        "visibleBounds": bounds,
    }


def _set_text(service: Service, what: Thing, content: str = "") -> bool:
    """Set a field's text; return False if the node does not accept text."""
    return set_text(service.phone, service.get(what), content)


# Touches


def _click(service: Service, what: Thing) -> bool:
    service.phone.tap(*service.get(what).center)
    return True


def _drag_to_other(service: Service, what: Thing, other: UiSelector, steps: int) -> bool:
    """Hold a finger on a node and move it to another."""
    return device.drag(service, *service.get(what).center, *service.get(other).center, steps)


def _gesture(service: Service, what: Thing, *places: Any) -> bool:
    """Move two fingers at once, from two points to two others, in `steps` steps."""
    service.get(what)
    one, other, one_end, other_end, steps = places
    time = max(1, steps * device.STEP)
    play(service.phone, [Touch.line(one, one_end, time), Touch.line(other, other_end, time)])
    return True


def _pinch(*, apart: bool) -> Callable[..., bool]:
    """Return the method that moves two fingers between the sides and the centre."""

    def pinch(service: Service, what: Thing, percent: int, steps: int) -> bool:
        node = service.get(what)
        left, _, right, _ = node.bounds
        if right - left <= 2 * FINGER:
            message = "Object width is too small for operation"
            raise thrown("java.lang.IllegalStateException", message)
        far = int((right - left) // 2 * min(max(percent, 0), 100) / 100)
        begin, end = (FINGER, far) if apart else (far, FINGER)
        play(service.phone, spread(*node.center, begin, end, max(1, steps * device.STEP)))
        return True

    return pinch


# Scrolling


def _scroller(service: Service, what: UiSelector, vertical: bool, spent: int = SLOW) -> Scroller:
    service.get(what)
    return Scroller(service.phone, what, horizontal=not vertical, spent=spent)


def _step(spent: int, *, forward: bool) -> Callable[..., bool]:
    """Return the method that scrolls once; its result is False at the end."""
    return lambda service, what, vertical, *_: _scroller(service, what, vertical, spent).step(
        forward=forward
    )


def _to_end(spent: int, *, forward: bool) -> Callable[..., bool]:
    """Return the method that scrolls to an end."""

    def to_end(service: Service, what: UiSelector, vertical: bool, most: int, *_: int) -> bool:
        _scroller(service, what, vertical, spent).to_end(forward=forward, swipes=most)
        return True

    return to_end


def _scroll_to(service: Service, what: UiSelector, wanted: UiSelector, vertical: bool) -> bool:
    """Scroll until a node is visible; return False if none is found."""
    return _scroller(service, what, vertical).into_view(wanted)


# Children


def _child_by(name: str) -> Callable[..., str]:
    """Return the method that returns an id for the child containing a text or description."""

    def child_by(
        service: Service,
        among: UiSelector,
        child: UiSelector,
        content: str,
        scroll: bool | None = None,
    ) -> str:
        wanted, scroller = UiSelector().having(name, content), Scroller(service.phone, among)
        if scroll is None:
            node = service.find(among)
            scroll = node is not None and node.scrollable
        if scroll:
            scroller.into_view(wanted)
        if row := scroller.row(child, wanted):
            return service.keep(row)
        raise not_found(f'for {name}= "{content}" in {among}')

    return child_by


def _child_at(service: Service, among: UiSelector, child: UiSelector, at: int) -> str:
    """Return an id for a child by its index."""
    return service.keep(among.then("child", child.having("instance", at)))


async def _exists(service: Service, what: Thing, milliseconds: int) -> bool:
    return await service.until(lambda: service.find(what) is not None, milliseconds)


async def _gone(service: Service, what: Thing, milliseconds: int) -> bool:
    return await service.until(lambda: service.find(what) is None, milliseconds)


METHODS: Final[Methods] = {
    "exist": [((thing,), lambda service, what: service.find(what) is not None)],
    "count": [((selector,), lambda service, what: len(service.all(what)))],
    "objInfo": [((thing,), lambda service, what: _info(service.get(what)))],
    "objInfoOfAllInstances": [
        ((selector,), lambda service, what: [_info(node) for node in service.all(what)])
    ],
    "waitForExists": [((thing, integer), _exists)],
    "waitUntilGone": [((thing, integer), _gone)],
    "getText": [((thing,), lambda service, what: service.get(what).text)],
    "setText": [((thing, text), _set_text)],
    "clearTextField": [((thing,), lambda service, what: _set_text(service, what) and None)],
    "click": [*device.METHODS["click"], ((thing,), _click)],
    "dragTo": [
        (
            (thing, integer, integer, integer),
            lambda service, what, *to: device.drag(service, *service.get(what).center, *to),
        ),
        ((thing, selector, integer), _drag_to_other),
    ],
    "gesture": [((thing, point, point, point, point, integer), _gesture)],
    "pinchIn": [((thing, integer, integer), _pinch(apart=False))],
    "pinchOut": [((thing, integer, integer), _pinch(apart=True))],
    "scrollForward": [((selector, flag, integer), _step(SLOW, forward=True))],
    "scrollBackward": [((selector, flag, integer), _step(SLOW, forward=False))],
    "scrollToEnd": [((selector, flag, integer, integer), _to_end(SLOW, forward=True))],
    "scrollToBeginning": [((selector, flag, integer, integer), _to_end(SLOW, forward=False))],
    "scrollTo": [((selector, selector, flag), _scroll_to)],
    "flingForward": [((selector, flag), _step(FLING, forward=True))],
    "flingBackward": [((selector, flag), _step(FLING, forward=False))],
    "flingToEnd": [((selector, flag, integer), _to_end(FLING, forward=True))],
    "flingToBeginning": [((selector, flag, integer), _to_end(FLING, forward=False))],
    "childByText": [((selector, selector, text, flag), _child_by("text"))],
    "childByDescription": [((selector, selector, text, flag), _child_by("description"))],
    "childByInstance": [((selector, selector, integer), _child_at)],
}
