"""The view hierarchy as `uiautomator dump` writes it."""

from __future__ import annotations

import re
from functools import cmp_to_key
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, intersect
from pytest_mobileagent.virtual.ui.views import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.views import View

_HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_NEVER_NAF = tuple(
    f"android.widget.{name}" for name in ("GridView", "GridLayout", "ListView", "TableLayout")
)
# Written as a dot. Android dots those that XML 1.1 discourages; the serializer would fail on the
# others that XML forbids.
_UNSPEAKABLE = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufddf\ufffe\uffff]"
)
_SPECIAL = re.compile("[&<>\n\r\t\"'\U00010000-\U0010ffff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def dump(
    root: Box, package: str, metrics: Metrics, *, rotation: int = 0, compressed: bool = False
) -> str:
    """Give the XML of one window; compressed, without what means nothing to accessibility."""
    parts = [_HEADER, f'<hierarchy rotation="{rotation}">']
    _Writer(package, metrics.screen, compressed, parts).node(root, 0, selected=False)
    parts.append("</hierarchy>")
    return "".join(parts)


def quoted(value: str) -> str:
    """Write an attribute's value with its quotes, as Android's serializer does."""
    value = _UNSPEAKABLE.sub(".", value)
    quote = "'" if '"' in value else '"'

    def escaped(match: re.Match[str]) -> str:
        char = match[0]
        if char in "\"'":
            return "&apos;" if char == quote == "'" else char
        return _ENTITIES.get(char) or f"&#{ord(char)};"

    return quote + _SPECIAL.sub(escaped, value) + quote


def resource_id(view: View, package: str) -> str:
    """Give the full resource id of a view."""
    return view.id if not view.id or ":" in view.id else f"{package}:id/{view.id}"


def class_name(view: View) -> str:
    """Give the class that a view says it is."""
    return view.class_name or view.kind


class _Writer:
    """Writes the nodes of one window."""

    def __init__(self, package: str, screen: Rect, compressed: bool, parts: list[str]) -> None:
        self.package = package
        self.screen = screen
        self.compressed = compressed
        self.parts = parts

    def node(self, box: Box, index: int, *, selected: bool) -> None:
        """Write a box and what is visible inside; being selected is passed on to children."""
        selected = selected or box.view.selected
        naf = 'NAF="true" ' if _unfriendly(box) else ""
        attributes = " ".join(
            f"{name}={value}" for name, value in self._attributes(box, index, selected)
        )
        self.parts.append(f"<node {naf}{attributes}")
        inside = _important(box) if self.compressed else _in_reading_order(box)
        children = [(i, child) for i, child in enumerate(inside) if child.visible]
        if not children:
            self.parts.append(" />")
            return
        self.parts.append(">")
        for i, child in children:
            self.node(child, i, selected=selected)
        self.parts.append("</node>")

    def _attributes(self, box: Box, index: int, selected: bool) -> Iterator[tuple[str, str]]:
        view = box.view
        yield "index", f'"{index}"'
        yield "text", quoted(view.label)
        yield "resource-id", quoted(resource_id(view, self.package))
        yield "class", quoted(class_name(view))
        yield "package", quoted(self.package)
        yield "content-desc", quoted(view.desc)
        for name, flag in (
            ("checkable", view.checkable),
            ("checked", view.is_checked),
            ("clickable", view.clickable),
            ("enabled", view.enabled),
            ("focusable", view.clickable or view.focusable),
            ("focused", box.focused),
            ("scrollable", box.reach > 0),
            ("long-clickable", view.long_clickable),
            ("password", isinstance(view, Input) and view.password),
            ("selected", selected),
        ):
            yield name, '"true"' if flag else '"false"'
        seen = box.visible or box.bounds
        left, top, right, bottom = intersect(seen, self.screen) or seen
        yield "bounds", f'"[{left},{top}][{right},{bottom}]"'


def _unfriendly(box: Box) -> bool:
    """Tell whether something to tap says nothing about itself (not accessibility friendly)."""
    view = box.view
    return (
        view.clickable
        and view.enabled
        and not class_name(view).endswith(_NEVER_NAF)
        and not any(inner.view.label or inner.view.desc for inner in box.walk())
    )


def _important(box: Box) -> Iterator[Box]:
    """Yield what is inside that means something to accessibility, whatever lies between."""
    for child in _in_reading_order(box):
        view = child.view
        if view.clickable or view.focusable or view.desc or isinstance(view, Text):
            yield child
        else:
            yield from _important(child)


def _in_reading_order(box: Box) -> list[Box]:
    """Give the children as accessibility sorts them: by stripes, each from left to right."""
    return sorted(box.children, key=lambda child: _PLACE(child.bounds))


def compare(a: Rect, b: Rect) -> int:
    """Tell which of two places is read first, by a number below or above 0."""
    if a[3] <= b[1]:
        return -1
    if a[1] >= b[3]:
        return 1
    by = (a[0] - b[0], a[1] - b[1], (b[3] - b[1]) - (a[3] - a[1]), (b[2] - b[0]) - (a[2] - a[0]))
    return next((difference for difference in by if difference), 0)


_PLACE = cmp_to_key(compare)
