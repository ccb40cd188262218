"""Accessibility events: Android's event types and fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.node import in_reading_order, resource_id
from pytest_mobileagent.virtual.ui.views import Image, List

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.metrics import Rect

CLICKED = "TYPE_VIEW_CLICKED"
LONG_CLICKED = "TYPE_VIEW_LONG_CLICKED"
SELECTED = "TYPE_VIEW_SELECTED"
FOCUSED = "TYPE_VIEW_FOCUSED"
TEXT_CHANGED = "TYPE_VIEW_TEXT_CHANGED"
TEXT_SELECTION_CHANGED = "TYPE_VIEW_TEXT_SELECTION_CHANGED"
SCROLLED = "TYPE_VIEW_SCROLLED"
WINDOW_STATE_CHANGED = "TYPE_WINDOW_STATE_CHANGED"
WINDOW_CONTENT_CHANGED = "TYPE_WINDOW_CONTENT_CHANGED"
WINDOWS_CHANGED = "TYPE_WINDOWS_CHANGED"
NOTIFICATION_STATE_CHANGED = "TYPE_NOTIFICATION_STATE_CHANGED"

SPEAKING = {  # the types whose text comes from the views
    CLICKED,
    LONG_CLICKED,
    SELECTED,
    FOCUSED,
    TEXT_CHANGED,
    TEXT_SELECTION_CHANGED,
    WINDOW_STATE_CHANGED,
}


@dataclass(frozen=True, slots=True)
class Source:
    """The view that an event comes from; services request it, as it is not part of the event."""

    resource_id: str
    bounds: Rect


@dataclass(frozen=True, slots=True)
class AccessibilityEvent:
    """An event with the fields of Android's class, and Android's defaults for unused numbers."""

    type: str
    time: int  # uptime in milliseconds
    package: str | None
    class_name: str | None
    text: tuple[str, ...] = ()
    content_description: str | None = None
    item_count: int = -1
    current_item_index: int = -1
    enabled: bool = False
    password: bool = False
    checked: bool = False
    full_screen: bool = False
    scrollable: bool = False
    before_text: str | None = None
    from_index: int = -1
    to_index: int = -1
    scroll_x: int = 0
    scroll_y: int = 0
    max_scroll_x: int = 0
    max_scroll_y: int = 0
    scroll_delta_x: int = -1
    scroll_delta_y: int = -1
    added_count: int = -1
    removed_count: int = -1
    content_change_types: tuple[str, ...] = ()
    window_change_types: tuple[str, ...] = ()
    parcelable_data: str | None = None
    source: Source | None = None


def about(type: str, package: str, box: Box) -> dict[str, Any]:
    """Return the fields that the class of a view sets for each of its events."""
    view = box.view
    return {
        "text": spoken(box) if type in SPEAKING else (),
        "content_description": view.desc or None,
        "enabled": view.enabled,
        "password": isinstance(view, Input) and view.password,
        "checked": view.is_checked,
        "source": Source(resource_id(view, package), box.visible or box.bounds),
        **_of_list(box),
    }


def _of_list(box: Box) -> dict[str, int | bool]:
    """Return the range of visible rows of a list, and whether a view can scroll."""
    view = box.view
    if isinstance(view, List):
        laid = {id(child.view) for child in box.children}
        rows = [at for at, row in enumerate(view.children) if id(row) in laid]
        seen = {"from_index": rows[0], "to_index": rows[-1]} if rows else {}
        return {"scrollable": box.reach > 0, "item_count": len(view.children), **seen}
    return {"scrollable": True} if box.reach > 0 else {}


def spoken(box: Box) -> tuple[str, ...]:
    """Collect the texts in a view for the event of a row; texts in nested lists are left out."""
    return tuple(_spoken(box))


def _spoken(box: Box) -> Iterator[str]:
    view = box.view
    words = view.desc if isinstance(view, Image) else view.label
    if words:
        yield words
    if not isinstance(view, List):
        for child in in_reading_order(box):
            yield from _spoken(child)
