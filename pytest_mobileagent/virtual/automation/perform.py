"""Accessibility actions, which act on a node regardless of what covers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import Input, SeekBar, editing
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


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
