"""One accessibility event: what Android tells of it, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.node import class_name, in_reading_order, resource_id
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
ANNOUNCEMENT = "TYPE_ANNOUNCEMENT"

SPEAKING = {  # the types whose text views fill in
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
    """The view that an event comes from, which services ask for: the event itself lacks it."""

    resource_id: str
    bounds: Rect


@dataclass(frozen=True, slots=True)
class AccessibilityEvent:
    """An event with the fields of Android's class; numbers that do not apply are as there."""

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

    def __str__(self) -> str:
        return (
            f"EventType: {self.type}; EventTime: {self.time}; PackageName: {_word(self.package)};"
            " MovementGranularity: 0; Action: 0;"
            f" ContentChangeTypes: {_list(self.content_change_types)};"
            f" WindowChangeTypes: {_list(self.window_change_types)}"
            f" [ ClassName: {_word(self.class_name)}; Text: {_list(self.text)};"
            f" ContentDescription: {_word(self.content_description)};"
            f" ItemCount: {self.item_count}; CurrentItemIndex: {self.current_item_index};"
            f" Enabled: {_word(self.enabled)}; Password: {_word(self.password)};"
            f" Checked: {_word(self.checked)}; FullScreen: {_word(self.full_screen)};"
            f" Scrollable: {_word(self.scrollable)};"
            " ImportantForAccessibility: true; AccessibilityDataSensitive: false;"
            f" BeforeText: {_word(self.before_text)}; FromIndex: {self.from_index};"
            f" ToIndex: {self.to_index}; ScrollX: {self.scroll_x}; ScrollY: {self.scroll_y};"
            f" MaxScrollX: {self.max_scroll_x}; MaxScrollY: {self.max_scroll_y};"
            f" ScrollDeltaX: {self.scroll_delta_x}; ScrollDeltaY: {self.scroll_delta_y};"
            f" AddedCount: {self.added_count}; RemovedCount: {self.removed_count};"
            f" ParcelableData: {_word(self.parcelable_data)}; DisplayId: 0 ]; recordCount: 0"
        )


def _word(value: str | bool | None) -> str:
    if value is None:
        return "null"
    return value if isinstance(value, str) else str(value).lower()


def _list(words: tuple[str, ...]) -> str:
    return f"[{', '.join(words)}]"


def about(type: str, time: int, package: str, box: Box) -> AccessibilityEvent:
    """Make an event of a view, with what the view's class fills in for every event."""
    view = box.view
    event: dict[str, Any] = {
        "text": spoken(box) if type in SPEAKING else (),
        "content_description": view.desc or None,
        "enabled": view.enabled,
        "password": isinstance(view, Input) and view.password,
        "checked": view.is_checked,
        **_of_list(box),
    }
    source = Source(resource_id(view, package), box.visible or box.bounds)
    return AccessibilityEvent(type, time, package, class_name(view), source=source, **event)


def _of_list(box: Box) -> dict[str, int | bool]:
    """Say which rows of a list are seen, and how far a view can scroll."""
    view = box.view
    if isinstance(view, List):
        rows = [place for place, row in enumerate(view.children) if _has(box, row)]
        seen = {"from_index": rows[0], "to_index": rows[-1]} if rows else {}
        return {"scrollable": box.reach > 0, "item_count": len(view.children), **seen}
    return {"scrollable": True} if box.reach > 0 else {}


def _has(box: Box, row: object) -> bool:
    return any(child.view is row for child in box.children)


def spoken(box: Box) -> tuple[str, ...]:
    """Collect the texts in a view as the event of a row has them; lists keep theirs."""
    return tuple(_spoken(box))


def _spoken(box: Box) -> Iterator[str]:
    view = box.view
    words = view.desc if isinstance(view, Image) else view.label
    if words:
        yield words
    if not isinstance(view, List):
        for child in in_reading_order(box):
            yield from _spoken(child)
