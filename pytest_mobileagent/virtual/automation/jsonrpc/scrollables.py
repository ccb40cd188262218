"""Methods that scroll."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.jsonrpc.device import STEP
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import flag, integer, selector
from pytest_mobileagent.virtual.automation.jsonrpc.registry import method
from pytest_mobileagent.virtual.automation.scrolling import DEAD_ZONE, Scroller

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service
    from pytest_mobileagent.virtual.automation.selector import UiSelector

FLING = 5  # steps of a swipe that is a fling


@method("scrollForward", selector, flag, integer)
def scroll_forward(service: Service, what: UiSelector, vertical: bool, _: int) -> bool:
    """Scroll on by about what is seen; false at the end."""
    return _scroller(service, what, vertical).step(forward=True)


@method("scrollBackward", selector, flag, integer)
def scroll_backward(service: Service, what: UiSelector, vertical: bool, _: int) -> bool:
    """Scroll back by about what is seen; false at the beginning."""
    return _scroller(service, what, vertical).step(forward=False)


@method("scrollToEnd", selector, flag, integer, integer)
def scroll_to_end(service: Service, what: UiSelector, vertical: bool, most: int, _: int) -> bool:
    """Scroll to the end."""
    _scroller(service, what, vertical).to_end(forward=True, swipes=most)
    return True


@method("scrollToBeginning", selector, flag, integer, integer)
def scroll_to_start(service: Service, what: UiSelector, vertical: bool, most: int, _: int) -> bool:
    """Scroll to the beginning."""
    _scroller(service, what, vertical).to_end(forward=False, swipes=most)
    return True


@method("scrollTo", selector, selector, flag)
def scroll_to(service: Service, what: UiSelector, wanted: UiSelector, vertical: bool) -> bool:
    """Scroll until something is seen; false if it never is."""
    return _scroller(service, what, vertical).into_view(wanted)


@method("flingForward", selector, flag)
def fling_forward(service: Service, what: UiSelector, vertical: bool) -> bool:
    """Give what scrolls a push; false if it does not move."""
    return _fling(service, what, vertical, forward=True)


@method("flingBackward", selector, flag)
def fling_backward(service: Service, what: UiSelector, vertical: bool) -> bool:
    """Give what scrolls a push back; false if it does not move."""
    return _fling(service, what, vertical, forward=False)


@method("flingToEnd", selector, flag, integer)
def fling_to_end(service: Service, what: UiSelector, vertical: bool, most: int) -> bool:
    """Push until the end."""
    any(not _fling(service, what, vertical, forward=True) for _ in range(most))
    return True


@method("flingToBeginning", selector, flag, integer)
def fling_to_start(service: Service, what: UiSelector, vertical: bool, most: int) -> bool:
    """Push until the beginning."""
    any(not _fling(service, what, vertical, forward=False) for _ in range(most))
    return True


def _scroller(service: Service, what: UiSelector, vertical: bool) -> Scroller:
    service.get(what)
    return Scroller(service.phone, what, horizontal=not vertical)


def _fling(service: Service, what: UiSelector, vertical: bool, *, forward: bool) -> bool:
    node = service.get(what)
    left, top, right, bottom = node.bounds
    x, y = node.center
    dx, dy = ((right - left) * DEAD_ZONE, (bottom - top) * DEAD_ZONE)
    ends = ((x, bottom - dy), (x, top + dy)) if vertical else ((right - dx, y), (left + dx, y))
    (x1, y1), (x2, y2) = ends if forward else reversed(ends)
    before = node.box.offset
    service.phone.swipe(x1, y1, x2, y2, FLING * STEP)
    after = service.phone.accessibility.find(node.identity)
    return after is not None and after.box.offset != before
