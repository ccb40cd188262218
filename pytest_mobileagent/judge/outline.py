"""A view hierarchy as judges read it: what a person could see on the screen, one line an element.

    Switch #wifi "Wi-Fi" checked=true
      TextView "Connected"

It keeps the order, what is inside what, words, ids and states; what is the same for nearly every
element, and says where and how it was laid out, is left out: bounds, packages, indices, flags that
are as usual, and elements that have nothing to say (what they hold moves up).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.judge.fence import quoted
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from pytest_mobileagent.screen.element import Element
    from pytest_mobileagent.screen.screen import Screen

LONGEST = 2000  # characters of one element's text that are shown
_DEEPEST = 20  # levels; what is deeper is indented no further
_NAME = re.compile(r"[\w.$-]{1,200}", re.ASCII)
_THINNEST = 300  # as a share of the screen's longer side; 8 of 2400 pixels: no letter can be read


def outline(screen: Screen) -> str:
    """Return the lines of a screen's elements; of a hierarchy that cannot be read, all of it.

    Words of elements that nobody can see are left out: those that lie outside of the screen, have
    no area, or are thinner than any letter. How many were is said at the end. Where no element has
    an area, nothing is known of what can be seen, and all are shown.
    """
    head = f"app {_quoted(screen.package or '?')} activity {_quoted(screen.activity or '?')}"
    try:
        elements = screen.elements
    except ScreenError:
        return f"{head}\n(no view hierarchy, as it was recorded:)\n{screen.xml}"
    lines, depths, left_out = [head], {id(screen.root): 0}, 0
    area = _area(screen)
    for element in elements:
        depth = depths[id(element.parent)]
        is_seen = area is None or _can_be_seen(element.bounds, area)
        said = _said(element) if is_seen else ""
        left_out += not is_seen and bool(element.text or element.content_desc)
        if said:
            lines.append(f"{'  ' * min(depth, _DEEPEST)}{said}")
        depths[id(element)] = depth + bool(said)
    if left_out:
        lines.append(f"({left_out} with words that nobody can see: outside, or too small)")
    return "\n".join(lines)


def _said(element: Element) -> str:
    """Return an element's line; empty if it says nothing that its children do not say."""
    name = element.resource_id.rpartition("/")[2]
    words = [
        f"#{_name(name)}" if name else "",
        _quoted(element.text) if element.text else "",
        f"description={_quoted(element.content_desc)}" if element.content_desc else "",
        f"checked={_truth(element.checked)}" if element.checkable or element.checked else "",
        "enabled=false" if not element.enabled else "",
        *(flag for flag in ("selected", "focused", "password") if getattr(element, flag)),
    ]
    told = [word for word in words if word]
    if not told and not (element.clickable and not element.children):
        return ""
    return " ".join([_name(element.class_name.rpartition(".")[2] or "View"), *told])


def _area(screen: Screen) -> Bounds | None:
    """Return what can be seen of the screen's pixels; None if that is not known."""
    if not any(each.bounds.width and each.bounds.height for each in screen.elements):
        return None
    try:
        return Bounds(0, 0, *screen.size)
    except ScreenError:  # no picture: windows begin at its corner, and fill it
        windows = [window.bounds for window in screen.root.children]
        return Bounds(0, 0, max(w.right for w in windows), max(w.bottom for w in windows))


def _can_be_seen(bounds: Bounds, area: Bounds) -> bool:
    shown = Bounds(
        max(bounds.left, area.left),
        max(bounds.top, area.top),
        min(bounds.right, area.right),
        min(bounds.bottom, area.bottom),
    )
    return min(shown.width, shown.height) >= max(1, max(area) // _THINNEST)


def _quoted(text: str) -> str:
    return quoted(text, LONGEST)


def _name(text: str) -> str:
    """Return a name as it is, or quoted: apps may put anything into ids and classes."""
    return text if _NAME.fullmatch(text) else _quoted(text)


def _truth(value: bool) -> str:
    return "true" if value else "false"
