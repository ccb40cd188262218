"""The page source in Appium's format: XML elements named by class, searchable by XPath."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lxml import etree

from pytest_mobileagent.virtual.automation.appium.attributes import attributes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.virtual.ui.node import Node

HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_UNSPEAKABLE = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # characters that XML 1.0 forbids
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
        width, height = look.size
        self.root = etree.Element("hierarchy")
        for name, value in (
            ("index", "0"),
            ("class", "hierarchy"),
            ("rotation", str(look.rotation)),
            ("width", str(width)),
            ("height", str(height)),
        ):
            self.root.set(name, value)
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
        element = etree.SubElement(self.root, toast.class_name)
        self._nodes[element] = toast
        element.set("index", str(len(self.root) - 1))
        element.set("class", toast.class_name)
        element.set("text", _UNSPEAKABLE.sub("?", toast.text))
        element.set("package", "com.android.settings")
        element.set("displayed", "true")


@lru_cache(256)
def tag(class_name: str) -> str:
    """Convert a class name to an element name."""
    name = re.sub(r"\.+", ".", re.sub(r"[$@#&]", ".", class_name)).strip(".")
    return _NO_NAME.sub("_", name) or "android.view.View"
