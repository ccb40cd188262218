"""The page source in Appium's format: XML elements named by class, and their attributes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_mobileagent.virtual.ui.node import Node


_ALIASES: Final = {
    "classname": "class",
    "contentdescription": "content-desc",
    "longclickable": "long-clickable",
    "resourceid": "resource-id",
    "name": "text",
}
_NO_CLASS, _TEXT, _NUMBER, _PASSWORD, _LINES = 0, 0x1, 0x2, 0x81, 0x20001  # InputType


def text_of(node: Node) -> str:
    """Return a node's text, or the value of a slider or progress bar."""
    return str(float(node.progress[0])) if node.progress else node.text


def _bounds(node: Node) -> str:
    """Format the bounds as Rect.toShortString does."""
    left, top, right, bottom = node.bounds
    return f"[{left},{top}][{right},{bottom}]"


def attribute(node: Node, name: str) -> str | None:
    """Return an attribute by one of its names, or None if it is null; LookupError if unknown."""
    wanted = name.lower()
    wanted = _ALIASES.get(wanted, wanted)
    if wanted not in _READ:
        raise LookupError(name)
    return _READ[wanted](node)


def attributes(node: Node, index: int) -> list[tuple[str, str]]:
    """Return all attributes that are not null, for a page source."""
    found = [(name, read(node)) for name, read in _READ.items()]
    return [("index", str(index)), *((name, value) for name, value in found if value is not None)]


def attribute_names() -> list[str]:
    """Return the names that `attribute` accepts."""
    return [*_READ]


def _selection(node: Node, end: int) -> str | None:
    """Return an end of the selection, or None if it is empty."""
    span = node.selection
    return None if span is None or span[0] == span[1] else str(span[end])


def _input_type(node: Node) -> int:
    if not node.editable:
        return _NO_CLASS
    if node.password:
        return _PASSWORD
    if getattr(node.box.view, "numeric", False):
        return _NUMBER
    return _LINES if node.multiline else _TEXT


def _flag(name: str) -> Callable[[Node], str]:
    return lambda node: "true" if getattr(node, name) else "false"


_FALSE: Final[Callable[[Node], str]] = lambda _: "false"  # noqa: E731 - never true of views here

_READ: Final[dict[str, Callable[[Node], str | None]]] = {
    "package": lambda node: node.package,
    "class": lambda node: node.class_name,
    "text": text_of,
    "content-desc": lambda node: node.desc or None,
    "resource-id": lambda node: node.resource_id or None,
    **{name: _flag(name) for name in ("checkable", "checked", "clickable", "enabled")},
    **{name: _flag(name) for name in ("focusable", "focused")},
    "long-clickable": _flag("long_clickable"),
    **{name: _flag(name) for name in ("password", "scrollable")},
    "selection-start": lambda node: _selection(node, 0),
    "selection-end": lambda node: _selection(node, 1),
    "selected": _flag("selected"),
    "bounds": _bounds,
    "displayed": _flag("visible"),
    "hint": lambda node: node.hint or None,
    "a11y-important": _flag("important"),
    "screen-reader-focusable": _FALSE,
    "input-type": lambda node: str(_input_type(node)),
    "drawing-order": lambda node: str(node.drawing_order),
    "showing-hint": _flag("showing_hint"),
    "text-entry-key": _FALSE,
    "multiline": _flag("multiline"),
    **dict.fromkeys(("dismissable", "a11y-focused", "heading"), _FALSE),
    "live-region": lambda _: "0",
    "context-clickable": _FALSE,
    "max-text-length": lambda _: "-1",
    "content-invalid": _FALSE,
    "window-id": lambda node: str(node.window_id),
}


HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
# Characters that XML 1.0 forbids.
_UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WRITTEN_BY_APPS = frozenset({"package", "class", "text", "content-desc", "resource-id", "hint"})
_START = (  # the characters that may start an element's name, without the colon
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NO_NAME = re.compile(f"^[^{_START}]|[^{_START}.0-9\xb7\u0300-\u036f\u203f\u2040-]")


@dataclass(frozen=True, slots=True)
class Look:
    """The options of a page source."""

    size: tuple[int, int]
    rotation: int
    invisible: bool = False  # include invisible nodes
    most_depth: int = 70
    compressed: bool = False  # leave out nodes that only contain others


class Source:
    """An XML tree of nodes that maps its elements to the nodes."""

    def __init__(self, roots: Sequence[Node], look: Look, toast: Node | None = None) -> None:
        self._look = look
        self._nodes: dict[Any, Node] = {}
        width, height = map(str, look.size)
        about = {"index": "0", "class": "hierarchy", "rotation": str(look.rotation)}
        self.root = etree.Element("hierarchy", {**about, "width": width, "height": height})
        for index, node in enumerate(roots):
            self._add(self.root, node, index, 1)
        if toast:
            self._add_toast(toast)

    def node(self, element: Any) -> Node | None:
        """Return the node of an XML element, or None for the hierarchy's root element."""
        return self._nodes.get(element)

    def element(self, node: Node) -> Any:
        """Return the XML element of a node, or None if it is not included."""
        wanted = node.identity
        return next((e for e, each in self._nodes.items() if each.identity == wanted), None)

    def __str__(self) -> str:
        etree.indent(self.root, space="  ")
        body = etree.tostring(self.root, encoding="unicode")
        return f"{HEADER}\n{body}".replace("\n", "\r\n")

    def _add(self, parent: Any, node: Node, index: int, depth: int) -> None:
        texts = {
            name: _UNSPEAKABLE.sub("?", value) if name in _WRITTEN_BY_APPS else value
            for name, value in attributes(node, index)
        }
        element = etree.SubElement(parent, tag(node.class_name), texts)
        self._nodes[element] = node
        if depth < self._look.most_depth:
            for child in self._inside(node):
                self._add(element, child, child.index, depth + 1)

    def _inside(self, node: Node) -> Iterator[Node]:
        for child in node.children if self._look.invisible else node.seen():
            if child.important or not self._look.compressed:
                yield child
            else:
                yield from self._inside(child)

    def _add_toast(self, toast: Node) -> None:
        about = {"index": str(len(self.root)), "class": toast.class_name}
        about |= {"text": _UNSPEAKABLE.sub("?", toast.text), "package": "com.android.settings"}
        element = etree.SubElement(self.root, toast.class_name, {**about, "displayed": "true"})
        self._nodes[element] = toast


@lru_cache(256)
def tag(class_name: str) -> str:
    """Convert a class name to an element name."""
    name = re.sub(r"\.+", ".", re.sub(r"[$@#&]", ".", class_name)).strip(".")
    return _NO_NAME.sub("_", name) or "android.view.View"
