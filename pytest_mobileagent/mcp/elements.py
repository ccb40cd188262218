"""The elements of a screen as text, in the words of mobile-mcp."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.dialect.dialect import Frame
    from pytest_mobileagent.screen.element import Bounds, Element
    from pytest_mobileagent.screen.screen import Screen

_MOST_CHARACTERS = 60_000  # clients refuse texts of more than 25,000 tokens


def list_elements(screen: Screen, frame: Frame) -> str:
    """Return the screen's elements as a JSON list, with coordinates in the picture.

    Raises:
        ScreenError: the view hierarchy cannot be read.
    """
    found = [each for each in screen.elements if _is_told(each)]
    lines: list[str] = []
    length = 0
    for element in found:
        line = json.dumps(_entry(element, frame), ensure_ascii=False)
        length += len(line) + 2
        if length > _MOST_CHARACTERS:
            break
        lines.append(line)
    text = f"Found these elements on screen: [{', '.join(lines)}]"
    left_out = len(found) - len(lines)
    return text + (f" (and {left_out} more, which were left out)" if left_out else "")


def _is_told(element: Element) -> bool:
    named = element.text or element.content_desc or element.resource_id or element.checkable
    return bool(named and element.bounds.width and element.bounds.height)


def _entry(element: Element, frame: Frame) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": element.class_name or "text",
        "text": element.text,
        "label": element.content_desc,
    }
    if element.resource_id:
        entry["identifier"] = element.resource_id
    entry["coordinates"] = _coordinates(element.bounds, frame)
    if element.checkable:
        entry["checked"] = element.checked
    # Default values are left out.
    flags = {"focused": element.focused, "selected": element.selected, "password": element.password}
    entry.update({name: True for name, flag in flags.items() if flag})
    if not element.enabled:
        entry["enabled"] = False
    return entry


def _coordinates(bounds: Bounds, frame: Frame) -> dict[str, int]:
    wide, high = frame.shown or frame.size
    left, right = (round(x * wide / frame.size[0]) for x in (bounds.left, bounds.right))
    top, bottom = (round(y * high / frame.size[1]) for y in (bounds.top, bounds.bottom))
    return {"x": left, "y": top, "width": max(1, right - left), "height": max(1, bottom - top)}
