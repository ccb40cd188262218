"""Accessibility actions: what a tool can do to a node, whatever lies over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import Input, SeekBar, editing
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


def set_text(phone: Phone, node: Node, text: str) -> bool:
    """Put a text into a field, which need not have the focus; False if it is no field."""
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
    """Give the input focus, as touch mode has it: to text fields only."""
    window = phone.accessibility.window_of(node).window
    if not (isinstance(node.box.view, Input) and node.enabled and window is phone.windows.active):
        return False
    with phone.windows.watched():
        phone.windows.focus(window, node.box)
        phone.changed()
    return True


def set_progress(phone: Phone, node: Node, value: float) -> bool:
    """Move a slider to a value; False if it is none."""
    view = node.box.view
    if not isinstance(view, SeekBar) or not view.enabled or view.on_change is None:
        return False
    window = phone.accessibility.window_of(node).window
    with phone.windows.watched():
        with phone.activities.guard(window.record.package):
            view.on_change(min(max(0.0, value), view.maximum))
        phone.changed()
    return True
