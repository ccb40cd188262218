"""What happened between two looks at a window, as the events that its views would have sent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.accessibility.event import (
    FOCUSED,
    SCROLLED,
    SELECTED,
    TEXT_CHANGED,
    TEXT_SELECTION_CHANGED,
    WINDOW_CONTENT_CHANGED,
    AccessibilityEvent,
    about,
)
from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.views import HScroll, List, SeekBar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_mobileagent.virtual.ui.layout import Box

_ORDER = ("SUBTREE", "TEXT", "CONTENT_DESCRIPTION", "STATE_DESCRIPTION", "ENABLED")


@dataclass(frozen=True, slots=True)
class Content:
    """What changed in a window, and the innermost view in which all of it is."""

    box: Box
    types: frozenset[str]

    def event(self, time: int, package: str) -> AccessibilityEvent:
        """Give the one event that tells of it."""
        types = tuple(f"CONTENT_CHANGE_TYPE_{name}" for name in _ORDER if name in self.types)
        event = about(WINDOW_CONTENT_CHANGED, time, package, self.box)
        return replace(event, content_change_types=types)


def view_events(
    before: Box, after: Box, time: int, package: str, *, by_keys: bool
) -> Iterator[AccessibilityEvent]:
    """Yield what views tell for themselves: focus, text, selection, scrolling."""
    known = {box.key: box for box in before.walk()}
    boxes = list(after.walk())
    for box in boxes:
        old = known.get(box.key)
        if box.focused and not (old and old.focused):
            yield _focused(box, boxes, time, package)
    for box in boxes:
        old = known.get(box.key)
        if old is None:
            continue
        if isinstance(box.view, Input) and isinstance(old.view, Input) and box.focused:
            yield from _text(old, box, time, package, by_keys=by_keys)
        if box.view.selected and not old.view.selected:
            yield about(SELECTED, time, package, box)
        if box.offset != old.offset:
            yield _scrolled(old, box, time, package)


def focus_event(root: Box, time: int, package: str) -> AccessibilityEvent | None:
    """Give the event of the view that a new window gives the focus to, if there is one."""
    boxes = list(root.walk())
    return next((_focused(box, boxes, time, package) for box in boxes if box.focused), None)


def _focused(box: Box, boxes: Sequence[Box], time: int, package: str) -> AccessibilityEvent:
    focusable = [other.key for other in boxes if other.view.clickable or other.view.focusable]
    index = focusable.index(box.key) if box.key in focusable else -1
    event = about(FOCUSED, time, package, box)
    return replace(event, item_count=len(focusable), current_item_index=index)


def _text(
    old: Box, box: Box, time: int, package: str, *, by_keys: bool
) -> Iterator[AccessibilityEvent]:
    assert isinstance(old.view, Input)
    assert isinstance(box.view, Input)
    before, after = old.view.shown, box.view.shown

    def make(type: str) -> AccessibilityEvent:
        return about(type, time, package, box)

    if old.view.text != box.view.text:
        start, removed, added = edit(old.view.text, box.view.text, box.selection[1])
        if by_keys and added > 1 and not removed:  # every key is an event of its own
            for typed in range(1, added + 1):
                text = after[: start + typed] + after[start + added :]
                yield from _edited(make, before, text, (start + typed - 1, 0, 1))
                before = text
            return
        yield from _edited(make, before, after, (start, removed, added))
    elif box.selection != old.selection:
        yield _selection(make, after, *sorted(box.selection))


def _edited(
    make: Callable[[str], AccessibilityEvent], before: str, after: str, change: tuple[int, int, int]
) -> Iterator[AccessibilityEvent]:
    start, removed, added = change
    event = make(TEXT_CHANGED)
    yield replace(
        event,
        text=(after,) if after else event.text,  # which is the hint then
        before_text=before,
        from_index=start,
        removed_count=removed,
        added_count=added,
    )
    yield _selection(make, after, start + added, start + added)


def _selection(
    make: Callable[[str], AccessibilityEvent], text: str, start: int, end: int
) -> AccessibilityEvent:
    event = make(TEXT_SELECTION_CHANGED)
    if not text:
        return event
    return replace(event, text=(text,), from_index=start, to_index=end, item_count=len(text))


def edit(before: str, after: str, cursor: int) -> tuple[int, int, int]:
    """Give where a text was edited, and how many characters were removed and added there."""
    behind = len(after) - cursor  # what stands behind the cursor is what stood there
    if behind <= len(before) and after[cursor:] == before[len(before) - behind :]:
        before, after = before[: len(before) - behind], after[:cursor]
    else:
        while before and after and before[-1] == after[-1]:
            before, after = before[:-1], after[:-1]
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    return start, len(before) - start, len(after) - start


def _scrolled(old: Box, box: Box, time: int, package: str) -> AccessibilityEvent:
    event = about(SCROLLED, time, package, box)
    axis = "x" if isinstance(box.view, HScroll) else "y"
    other = "y" if axis == "x" else "x"
    places = {} if isinstance(box.view, List) else {
        f"scroll_{axis}": int(box.offset),
        f"max_scroll_{axis}": int(box.reach),
    }  # fmt: skip
    deltas = {f"scroll_delta_{axis}": int(box.offset) - int(old.offset), f"scroll_delta_{other}": 0}
    return replace(event, **places, **deltas)  # type: ignore[arg-type]


def content(before: Box, after: Box) -> Content | None:
    """Compare two states of a window's views; None if nothing is different."""
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
