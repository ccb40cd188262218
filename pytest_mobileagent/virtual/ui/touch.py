"""Where touches go and what they do: Android's touch dispatch rules applied to boxes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.editing import line_left, origin
from pytest_mobileagent.virtual.ui.layout import track
from pytest_mobileagent.virtual.ui.metrics import holds
from pytest_mobileagent.virtual.ui.views import HScroll, SeekBar, Touch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.virtual.ui.layout import Box, UiState


def target(box: Box, x: int, y: int) -> Box | None:
    """Return the box that consumes a touch; if it is disabled, the touch has no effect.

    Children take precedence over their parents, and later-drawn children over earlier ones. A child
    whose touch area extends beyond its bounds receives touches that no other child consumed, as
    with a TouchDelegate.
    """
    if not holds(box.visible, x, y):
        return None
    children = _topmost_first(box)
    for child in children:
        if found := target(child, x, y):
            return found
    for child in children:
        if holds(child.touch, x, y):
            return child
    return box if box.touch else None


def tap(box: Box, x: int, y: int, state: UiState) -> bool:
    """Tap the target `box`: click it, focus a field or open a menu; False if it is disabled."""
    view = box.view
    if not view.enabled:
        return False
    if view.on_touch:
        return trace(box, [(x, y)])
    if isinstance(view, Input):
        state.focused, state.anchor = box.key, None
        state.cursor = _index_at(box, view, x, y)
        view.click()
    elif isinstance(view, SeekBar):
        return drag(box, x, y)
    elif view.menu and not view.on_click:
        state.menu = box.key
    else:
        view.click()
    return True


def long_press(box: Box, x: int, y: int, state: UiState) -> bool:
    """Long-press the target `box`; False if it has no long-press action, which makes it a tap."""
    view = box.view
    if not view.enabled or not view.long_clickable:
        return False
    if isinstance(view, Input):
        index = _index_at(box, view, x, y)
        words = (word.span() for word in re.finditer(r"\w+", view.text))
        start, end = next((span for span in words if span[0] <= index <= span[1]), (index, index))
        state.focused, state.cursor = box.key, end
        state.anchor = start if start < end else None
    if view.on_long_click:
        view.on_long_click()
    elif view.menu and view.on_click:
        state.menu = box.key
    return True


def trace(box: Box, path: Sequence[tuple[int, int]]) -> bool:
    """Give a finger's path to the target `box`; False if it is disabled or takes no paths."""
    view, (left, top, right, bottom) = box.view, box.bounds
    if not view.enabled or not view.on_touch:
        return False
    view.on_touch(Touch(tuple((x - left, y - top) for x, y in path), right - left, bottom - top))
    return True


def drag(box: Box, x: int, y: int) -> bool:  # noqa: ARG001 - sliders are horizontal
    """Drag from the target `box` to a point, moving a SeekBar's thumb; False if not a slider."""
    view = box.view
    if not isinstance(view, SeekBar) or not view.enabled or view.on_change is None:
        return False
    start, end = track(box)
    part = min(1.0, max(0.0, (x - start) / ((end - start) or 1)))
    view.on_change(part * view.maximum)
    return True


def scroller(box: Box, x: int, y: int, dx: int, dy: int) -> Box | None:
    """Return the scrolling box that is moved by a finger moving from x, y by dx, dy.

    This is the innermost box in that direction that is not at its end, otherwise the innermost.
    """
    sideways = abs(dx) > abs(dy)
    way = dx if sideways else dy
    under = [each for each in _under(box, x, y) if each.reach > 0]
    under = [each for each in under if isinstance(each.view, HScroll) == sideways]
    free = [each for each in under if (each.offset > 0 if way > 0 else each.offset < each.reach)]
    found = free or under
    return found[-1] if found else None


def scroll(box: Box, dx: float, dy: float, state: UiState) -> bool:
    """Scroll `box` with a finger that moves by dx, dy; False if it was already at its end."""
    sideways = -dx if box.metrics.rtl else dx
    way = sideways if isinstance(box.view, HScroll) else dy
    offset = min(max(0.0, box.offset - way), box.reach)
    state.scroll[box.key] = offset
    return offset != box.offset


def _topmost_first(box: Box) -> list[Box]:
    return sorted(box.children, key=lambda child: child.view.elevation)[::-1]


def _under(box: Box, x: int, y: int) -> Iterator[Box]:
    """Yield the boxes under a point that a touch passes through, outermost first."""
    yield box
    for child in _topmost_first(box):
        if holds(child.visible, x, y) and (child.touch or child.children):
            yield from _under(child, x, y)
            return


def _index_at(box: Box, view: Input, x: int, y: int) -> int:
    if not view.text:
        return 0
    size = box.metrics.sp(view.size)
    shift, top = origin(view, box)
    line = min(max(0, (y - top) // roboto.line_height(size)), len(box.lines) - 1)
    begin = roboto.starts(view.shown, box.lines)[line]
    left = line_left(box.lines[line], box, size) + shift
    return begin + roboto.column_at(box.lines[line], x - left, size)
