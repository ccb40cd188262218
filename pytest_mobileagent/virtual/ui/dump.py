"""The view hierarchy in the format of `uiautomator dump`."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.virtual.ui.layout import Box

    Attributes = Callable[[Node, int], Iterable[tuple[str, str]]]

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
