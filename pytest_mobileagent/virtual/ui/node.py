"""The nodes of the accessibility tree, and their dump in the format of `uiautomator dump`."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cmp_to_key
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.controls import Input, ProgressBar
from pytest_mobileagent.virtual.ui.metrics import Rect, intersect, mirror
from pytest_mobileagent.virtual.ui.views import Column, Scroll, SeekBar, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.views import View

    Attributes = Callable[["Node", int], Iterable[tuple[str, str]]]


class Node:
    """An AccessibilityNodeInfo: a view's state at this moment.

    Children are in reading order and include invisible ones; `index` is the position among them.
    `drawing_order` counts from 1 in drawing order; the root of a window has 0.
    `path` consists of names from the root, and stays the same when the screen is rebuilt.
    """

    def __init__(
        self,
        box: Box,
        package: str,
        window_id: int = 0,
        *,
        index: int = 0,
        drawing_order: int = 0,
        path: str = "",
        parent: Node | None = None,
    ) -> None:
        view = box.view
        field = view if isinstance(view, Input) else None
        self.box, self.package, self.window_id = box, package, window_id
        self.index, self.drawing_order, self.path = index, drawing_order, path
        self.parent, self.children = parent, list[Node]()
        self.resource_id = resource_id(view, package)
        self.text = view.label  # as shown: the hint in an empty field, dots for a password
        self.desc = view.desc
        self.hint = field.hint if field else ""
        self.showing_hint = field is not None and not field.text and bool(field.hint)
        self.checkable, self.checked = view.checkable, view.is_checked
        self.clickable, self.long_clickable = view.clickable, view.long_clickable
        self.enabled = view.enabled
        self.focusable, self.focused = view.clickable or view.focusable, box.focused
        self.scrollable = box.reach > 0  # its content exceeds its size
        self.selected: bool = view.selected or (parent is not None and parent.selected)
        self.editable = field is not None
        self.password = field is not None and field.password
        self.multiline = field is not None and field.multiline
        self.visible = box.visible is not None  # at least partly
        # Whether the node matters to accessibility, rather than only containing others.
        tells = view.important or bool(view.desc) or isinstance(view, Text)
        self.important = self.focusable or tells
        # A Column with too little room scrolls, so its class is ScrollView.
        scrolls = self.scrollable and isinstance(view, Column)
        self.class_name = Scroll.kind if scrolls else class_name(view)
        # The visible part in screen pixels; for an invisible node, its full bounds.
        seen = box.visible or box.bounds
        self.bounds = intersect(seen, box.metrics.screen) or seen

    @classmethod
    def tree(cls, root: Box, package: str, window_id: int = 0) -> Node:
        """Create the nodes of a window and return the root."""
        node = cls(root, package, window_id)
        node._grow()
        return node

    def _grow(self) -> None:
        drawn = sorted(self.box.children, key=lambda child: child.view.elevation)
        orders = {id(child): order for order, child in enumerate(drawn, start=1)}
        paths = dict(zip(map(id, self.box.children), self._paths(), strict=True))
        for index, box in enumerate(in_reading_order(self.box)):
            child = Node(box, self.package, self.window_id, index=index, parent=self)
            child.drawing_order, child.path = orders[id(box)], paths[id(box)]
            self.children.append(child)
            child._grow()

    def _paths(self) -> Iterator[str]:
        """Yield a stable name for every child: its key, row or id, otherwise its class."""
        names = Counter[str]()
        for box in self.box.children:
            view = box.view
            if view.key:
                name = f"={view.key}"
            else:
                name = box.key if box.key.endswith("]") else view.id or class_name(view)
            names[name] += 1
            yield f"{self.path}/{name}#{names[name]}"

    def walk(self) -> Iterator[Node]:
        """Yield this node and all its descendants, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def seen(self) -> list[Node]:
        """Return the visible children."""
        return [child for child in self.children if child.visible]

    def walk_seen(self) -> Iterator[Node]:
        """Yield this node and all its visible descendants, in reading order."""
        yield self
        for child in self.seen():
            yield from child.walk_seen()

    @property
    def unfriendly(self) -> bool:
        """Whether the node is clickable but has no text (NAF: not accessibility friendly)."""
        acts = self.clickable and self.enabled and not self.class_name.endswith(_NEVER_UNFRIENDLY)
        return acts and not any(inner.text or inner.desc for inner in self.walk())

    @property
    def center(self) -> tuple[int, int]:
        """The centre of the bounds, where a tap on the node goes."""
        left, top, right, bottom = self.bounds
        return (left + right) // 2, (top + bottom) // 2

    @property
    def selection(self) -> tuple[int, int] | None:
        """The start and end index of a text field's selection; equal for a plain cursor."""
        view = self.box.view
        if not isinstance(view, Input):
            return None
        if not self.box.focused:
            return len(view.text), len(view.text)
        start, end = sorted(self.box.selection)
        return start, end

    @property
    def progress(self) -> tuple[float, float] | None:
        """The value of a slider or progress bar, and its maximum."""
        view = self.box.view
        return (view.value, view.maximum) if isinstance(view, SeekBar | ProgressBar) else None

    @property
    def identity(self) -> Identity:
        """What identifies the node across rebuilds of the screen."""
        return Identity(self.window_id, self.path, self.class_name, self.resource_id)


@dataclass(frozen=True, slots=True)
class Identity:
    """Identifies a node across rebuilds."""

    window_id: int
    path: str
    class_name: str
    resource_id: str


def resource_id(view: View, package: str) -> str:
    """Return the full resource id of a view."""
    return view.id if not view.id or ":" in view.id else f"{package}:id/{view.id}"


def class_name(view: View) -> str:
    """Return the class name that a view reports."""
    return view.class_name or view.kind


def in_reading_order(box: Box) -> list[Box]:
    """Return the children in accessibility's order: row by row, each row from its start."""

    def place(child: Box) -> Rect:
        return mirror(child.bounds, box.bounds) if box.metrics.rtl else child.bounds

    return sorted(box.children, key=lambda child: _PLACE(place(child)))


def compare(a: Rect, b: Rect) -> int:
    """Compare two places in reading order; return a negative or positive number, or 0."""
    if a[3] <= b[1]:
        return -1
    if a[1] >= b[3]:
        return 1
    by = (a[0] - b[0], a[1] - b[1], (b[3] - b[1]) - (a[3] - a[1]), (b[2] - b[0]) - (a[2] - a[0]))
    return next((difference for difference in by if difference), 0)


_PLACE = cmp_to_key(compare)
_NEVER_UNFRIENDLY = tuple(
    f"android.widget.{name}" for name in ("GridView", "GridLayout", "ListView", "TableLayout")
)


HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
# Written as a dot. Android dots those that XML 1.1 discourages; the serializer would fail on the
# others that XML forbids.
_UNSPEAKABLE = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufddf\ufffe\uffff]"
)
_SPECIAL = re.compile("[&<>\n\r\t\"'\U00010000-\U0010ffff]")
_FLAGS = (
    *("checkable", "checked", "clickable", "enabled", "focusable", "focused"),
    *("scrollable", "long_clickable", "password", "selected"),
)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def dump(root: Box, package: str, *, rotation: int = 0, compressed: bool = False) -> str:
    """Return the XML of a window; if `compressed`, without nodes irrelevant to accessibility."""
    tags = (tag for _, tag in tags_of(Node.tree(root, package), 0, compressed=compressed))
    return "".join([HEADER, f'<hierarchy rotation="{rotation}">', *tags, "</hierarchy>"])


def quoted(value: str) -> str:
    """Return an attribute's value in quotes, as Android's serializer writes it."""
    value = _UNSPEAKABLE.sub(".", value)
    quote = "'" if '"' in value else '"'

    def escaped(match: re.Match[str]) -> str:
        char = match[0]
        if char in "\"'":
            return "&apos;" if char == quote == "'" else char
        return _ENTITIES.get(char) or f"&#{ord(char)};"

    return quote + _SPECIAL.sub(escaped, value) + quote


def attributes(node: Node, index: int) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a node, each with its value in quotes."""
    yield "index", f'"{index}"'
    yield "text", quoted(node.text)
    yield "resource-id", quoted(node.resource_id)
    yield "class", quoted(node.class_name)
    yield "package", quoted(node.package)
    yield "content-desc", quoted(node.desc)
    for name in _FLAGS:
        yield name.replace("_", "-"), '"true"' if getattr(node, name) else '"false"'
    left, top, right, bottom = node.bounds
    yield "bounds", f'"[{left},{top}][{right},{bottom}]"'


def tags_of(
    node: Node,
    index: int,
    level: int = 1,
    *,
    compressed: bool,
    depth: float = math.inf,
    attributes: Attributes = attributes,
) -> Iterator[tuple[int, str]]:
    """Yield the tags of a node and its visible descendants, with their levels, to a depth."""
    naf = 'NAF="true" ' if node.unfriendly else ""
    told = " ".join(f"{name}={value}" for name, value in attributes(node, index))
    inside = important(node) if compressed else node.children
    children = [(i, child) for i, child in enumerate(inside) if child.visible]
    if not children or level >= depth:
        yield level, f"<node {naf}{told} />"
        return
    yield level, f"<node {naf}{told}>"
    for i, child in children:
        yield from tags_of(
            child, i, level + 1, compressed=compressed, depth=depth, attributes=attributes
        )
    yield level, "</node>"


def important(node: Node) -> Iterator[Node]:
    """Yield the nearest descendants that are important for accessibility."""
    for child in node.children:
        if child.important:
            yield child
        else:
            yield from important(child)
