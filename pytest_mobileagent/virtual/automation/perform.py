"""Accessibility actions: what a tool can do to a node, whatever lies over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import HScroll, Input, SeekBar, editing, touch
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


def click(phone: Phone, node: Node) -> bool:
    """Click; False if the node takes no clicks, or not now."""
    if not (node.clickable and node.enabled):
        return False
    window = phone.accessibility.window_of(node).window
    with phone.windows.watched():
        if window.kind == "menu":
            window.record.close_menu()
        phone.gestures.click(window, node.box, *node.center)
    return True


def long_click(phone: Phone, node: Node) -> bool:
    """Click for long; False if the node does not answer that, or not now."""
    if not (node.long_clickable and node.enabled):
        return False
    window = phone.accessibility.window_of(node).window
    with phone.windows.watched():
        return phone.gestures.hold(window, node.box, *node.center)


def set_text(phone: Phone, node: Node, text: str) -> bool:
    """Put a text into a field, which need not have the focus; False if it is no field."""
    view, window = node.box.view, phone.accessibility.window_of(node).window
    if not isinstance(view, Input) or not view.enabled:
        return False
    state = window.state if node.focused else UiState()
    with phone.windows.watched():
        with phone.activities.guard(window.record):
            editing.set_text(view, text, state)
        phone.changed()
    return True


def focus(phone: Phone, node: Node) -> bool:
    """Give the input focus, as touch mode has it: to text fields only."""
    window = phone.accessibility.window_of(node).window
    if not (isinstance(node.box.view, Input) and node.enabled and window is phone.windows.active):
        return False
    with phone.windows.watched():
        phone.windows.focus(window, node.box)
        phone.changed()
    return True


def scroll(phone: Phone, node: Node, *, forward: bool) -> bool:
    """Scroll by as much as is seen; False if there is no more that way."""
    if not node.scrollable:
        return False
    window = phone.accessibility.window_of(node).window
    left, top, right, bottom = node.bounds
    sideways = isinstance(node.box.view, HScroll)
    way = (right - left if sideways else bottom - top) * (-1 if forward else 1)
    with phone.windows.watched():
        dx = -way if node.box.metrics.rtl else way
        moved = touch.scroll(node.box, dx if sideways else 0, 0 if sideways else way, window.state)
        phone.changed()
    return moved


def set_progress(phone: Phone, node: Node, value: float) -> bool:
    """Move a slider to a value; False if it is none."""
    view = node.box.view
    if not isinstance(view, SeekBar) or not view.enabled or view.on_change is None:
        return False
    window = phone.accessibility.window_of(node).window
    with phone.windows.watched():
        with phone.activities.guard(window.record):
            view.on_change(min(max(0.0, value), view.maximum))
        phone.changed()
    return True
