"""The attributes of a node, with Appium's names and formats, in the order of its page source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.ui.node import Node

_ALIASES: Final = {
    "classname": "class",
    "contentdescription": "content-desc",
    "longclickable": "long-clickable",
    "resourceid": "resource-id",
    "name": "text",
}
_NO_CLASS, _TEXT, _NUMBER, _PASSWORD, _LINES = 0, 0x1, 0x2, 0x81, 0x20001  # InputType


def text(node: Node) -> str:
    """Return a node's text, or the value of a slider or progress bar."""
    if node.progress:
        return str(float(node.progress[0]))
    return node.text


def bounds(node: Node) -> str:
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


def names() -> list[str]:
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
    "text": text,
    "content-desc": lambda node: node.desc or None,
    "resource-id": lambda node: node.resource_id or None,
    **{name: _flag(name) for name in ("checkable", "checked", "clickable", "enabled")},
    **{name: _flag(name) for name in ("focusable", "focused")},
    "long-clickable": _flag("long_clickable"),
    **{name: _flag(name) for name in ("password", "scrollable")},
    "selection-start": lambda node: _selection(node, 0),
    "selection-end": lambda node: _selection(node, 1),
    "selected": _flag("selected"),
    "bounds": bounds,
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
