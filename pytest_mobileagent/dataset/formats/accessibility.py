"""Converts AndroidControl's accessibility trees into view hierarchies.

A forest has one tree for each window, whose nodes refer to their children by number. Source:
google-deepmind/android_env, android_env/proto/a11y/*.proto.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from pytest_mobileagent.dataset.formats.tfrecord import fields, signed, varint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WINDOWS, _TREE, _NODES = 1, 11, 1  # of a forest, of a window, of a tree
_LAYER = 4  # of a window; windows with a greater layer are in front
_ID, _BOUNDS, _CHILDREN, _VISIBLE = 1, 2, 25, 23  # of a node
_TEXTS = {3: "class", 4: "content-desc", 5: "hint", 6: "package", 7: "text", 10: "resource-id"}
_FLAGS = {
    12: "checkable",
    13: "checked",
    14: "clickable",
    16: "enabled",
    17: "focusable",
    18: "focused",
    19: "long-clickable",
    20: "password",
    21: "scrollable",
    22: "selected",
}
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DEEPEST = 500  # windows of real apps have about 50 levels


def hierarchy_of(forest: bytes) -> str:
    """Return a view hierarchy of the visible nodes, window by window from the back.

    Raises:
        ValueError, IndexError: if the bytes are not a forest, or a tree contains a cycle.
    """
    windows = [dict_of(window) for _, window in fields(forest, _WINDOWS)]
    windows.sort(key=lambda window: signed(window.get(_LAYER, [0])[0]))
    parts = ["<hierarchy rotation='0'>"]
    for window in windows:
        for tree in window.get(_TREE, []):
            nodes = [dict_of(node) for _, node in fields(tree, _NODES)]
            by_id = {signed(node.get(_ID, [0])[0]): node for node in nodes}
            inner = {each for node in nodes for each in _children(node)}
            for number, node in by_id.items():
                if number not in inner:
                    parts += _written(node, by_id, 0)
    parts.append("</hierarchy>")
    return "".join(parts)


def dict_of(message: Any) -> dict[int, list[Any]]:
    """Return the values of a message's fields, by field number."""
    found: dict[int, list[Any]] = {}
    for number, value in fields(message):
        found.setdefault(number, []).append(value)
    return found


def _written(
    node: Mapping[int, list[Any]], by_id: Mapping[int, Mapping[int, list[Any]]], depth: int
) -> Iterator[str]:
    if depth > _DEEPEST:
        msg = f"an accessibility tree is deeper than {_DEEPEST} levels, or contains a cycle"
        raise ValueError(msg)
    is_seen = bool(node.get(_VISIBLE, [0])[0])
    if is_seen:
        yield f"<node {' '.join(_attributes(node))}>"
    for number in _children(node):
        if number in by_id:
            yield from _written(by_id[number], by_id, depth + 1)
    if is_seen:
        yield "</node>"


def _attributes(node: Mapping[int, list[Any]]) -> Iterator[str]:
    for number, name in _TEXTS.items():
        text = bytes(node[number][-1]).decode("utf-8", "replace") if number in node else ""
        yield f"{name}={quoteattr(_for_xml(text))}"
    for number, name in _FLAGS.items():
        yield f'{name}="{"true" if node.get(number, [0])[-1] else "false"}"'
    left, top, right, bottom = _sides(node)
    yield f'bounds="[{left},{top}][{right},{bottom}]"'


def _for_xml(text: str) -> str:
    """Return the text without the characters that XML cannot contain."""
    return "".join(
        each for each in text if each in "\t\n\r" or (each >= " " and each not in "\ufffe\uffff")
    )


def _sides(node: Mapping[int, list[Any]]) -> tuple[int, int, int, int]:
    """Return a node's box, whose left, top, right and bottom are the fields 1 to 4."""
    box = dict_of(node[_BOUNDS][-1]) if _BOUNDS in node else {}
    left, top, right, bottom = (signed(box.get(side, [0])[-1]) for side in range(1, 5))
    return left, top, right, bottom


def _children(node: Mapping[int, list[Any]]) -> list[int]:
    found = []
    for packed in node.get(_CHILDREN, []):
        if isinstance(packed, int):
            found.append(signed(packed))
            continue
        at = 0
        while at < len(packed):
            number, at = varint(packed, at)
            found.append(signed(number))
    return found
