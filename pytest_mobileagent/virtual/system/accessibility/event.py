"""Accessibility events, and how they are derived from two states of a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_mobileagent.virtual.ui import HScroll, Image, Input, List, SeekBar
from pytest_mobileagent.virtual.ui.node import in_reading_order, resource_id

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
    CLICKED, LONG_CLICKED, SELECTED, FOCUSED, TEXT_CHANGED, TEXT_SELECTION_CHANGED,
    WINDOW_STATE_CHANGED,
}  # fmt: skip


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
    # An icon of a toolbar is a TextView without text (AppCompat's ActionMenuItemView).
    is_icon = isinstance(view, Image) and view.class_name != "android.widget.Button"
    words = view.desc if is_icon else view.label
    if words:
        yield words
    if not isinstance(view, List):
        for child in in_reading_order(box):
            yield from _spoken(child)


_ORDER = ("SUBTREE", "TEXT", "CONTENT_DESCRIPTION", "STATE_DESCRIPTION", "ENABLED")


# Sends an event of a type for a box, with details beyond those every event of the view has.
Tell: TypeAlias = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Content:
    """What changed in a window, and the innermost view that contains all the changes."""

    box: Box
    types: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of Android's constants for the types of change."""
        return tuple(f"CONTENT_CHANGE_TYPE_{name}" for name in _ORDER if name in self.types)


def tell_changes(before: Box, after: Box, tell: Tell, *, by_keys: bool) -> None:
    """Send the events that views send themselves: focus, text, selection and scrolling."""
    known = {box.key: box for box in before.walk()}
    pairs = [(known[box.key], box) for box in after.walk() if box.key in known]
    if not any(old.focused and box.focused for old, box in pairs):
        tell_focus(after, tell)
    for old, box in pairs:
        if isinstance(box.view, Input) and isinstance(old.view, Input) and box.focused:
            if old.view.text != box.view.text:
                _tell_text(old.view, box.view, box, tell, by_keys=by_keys)
            elif box.selection != old.selection:
                start, end = sorted(box.selection)
                _tell_selection(box, box.view.shown, (start, end), tell)
        if box.view.selected and not old.view.selected:
            tell(SELECTED, box)
        if box.offset != old.offset:
            _tell_scrolled(old, box, tell)


def tell_focus(root: Box, tell: Tell) -> None:
    """Send the focus event for the focused view of a window, if there is one."""
    boxes = list(root.walk())
    if focused := next((box for box in boxes if box.focused), None):
        focusable = [box.key for box in boxes if box.view.clickable or box.view.focusable]
        at = focusable.index(focused.key) if focused.key in focusable else -1
        tell(FOCUSED, focused, item_count=len(focusable), current_item_index=at)


def _tell_text(old: Input, new: Input, box: Box, tell: Tell, *, by_keys: bool) -> None:
    before, after = old.shown, new.shown
    start, removed, added = edit(old.text, new.text, box.selection[1])
    if not by_keys or removed:
        _tell_edit(box, (before, after), (start, removed, added), tell)
        return
    for typed in range(start + 1, start + added + 1):  # each key is a separate event
        text = after[:typed] + after[start + added :]
        _tell_edit(box, (before, text), (typed - 1, 0, 1), tell)
        before = text


def _tell_edit(box: Box, texts: tuple[str, str], change: tuple[int, int, int], tell: Tell) -> None:
    (before, after), (start, removed, added) = texts, change
    shown = {"text": (after,)} if after else {}  # an empty field would have the hint
    where = {"from_index": start, "removed_count": removed, "added_count": added}
    tell(TEXT_CHANGED, box, before_text=before, **shown, **where)
    _tell_selection(box, after, (start + added, start + added), tell)


def _tell_selection(box: Box, text: str, place: tuple[int, int], tell: Tell) -> None:
    where = {"from_index": place[0], "to_index": place[1], "item_count": len(text)}
    tell(TEXT_SELECTION_CHANGED, box, **({"text": (text,), **where} if text else {}))


def edit(before: str, after: str, cursor: int) -> tuple[int, int, int]:
    """Return the index of a text edit, and how many characters it removed and added."""
    behind = len(after) - cursor  # the text after the cursor is usually unchanged
    if behind <= len(before) and after[cursor:] == before[len(before) - behind :]:
        before, after = before[: len(before) - behind], after[:cursor]
    else:
        while before and after and before[-1] == after[-1]:
            before, after = before[:-1], after[:-1]
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    return start, len(before) - start, len(after) - start


def _tell_scrolled(old: Box, box: Box, tell: Tell) -> None:
    axis, other = ("x", "y") if isinstance(box.view, HScroll) else ("y", "x")
    way = int(box.offset) - int(old.offset)
    details = {f"scroll_delta_{axis}": way, f"scroll_delta_{other}": 0}
    if not isinstance(box.view, List):
        details |= {f"scroll_{axis}": int(box.offset), f"max_scroll_{axis}": int(box.reach)}
    tell(SCROLLED, box, **details)


def content(before: Box, after: Box) -> Content | None:
    """Compare two states of a window's views; return None if they are equal."""
    found = _compare(before, after)
    return Content(found[0], frozenset(found[1])) if found else None


def _compare(old: Box, new: Box) -> tuple[Box, set[str]] | None:
    types = set(_differences(old, new))
    known = {child.key: child for child in old.children}
    if known.keys() != {child.key for child in new.children}:
        types.add("SUBTREE")
    inner = [
        found
        for child in new.children
        if child.key in known and (found := _compare(known[child.key], child))
    ]
    if not types and not inner:
        return None
    if not types and len(inner) == 1:
        return inner[0]
    return new, types.union(*(kinds for _, kinds in inner))


def _differences(old: Box, new: Box) -> Iterator[str]:
    before, after = old.view, new.view
    if before.label != after.label:
        yield "TEXT"
    if before.desc != after.desc:
        yield "CONTENT_DESCRIPTION"
    if before.is_checked != after.is_checked or _value(before) != _value(after):
        yield "STATE_DESCRIPTION"
    if before.enabled != after.enabled:
        yield "ENABLED"


def _value(view: object) -> float | None:
    return view.value if isinstance(view, SeekBar) else None
