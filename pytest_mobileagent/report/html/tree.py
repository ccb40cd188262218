"""A view hierarchy as the page is given it: nested lists, as short as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen.element import FLAGS

if TYPE_CHECKING:
    from pytest_mobileagent.screen.element import Element
    from pytest_mobileagent.screen.screen import Screen

_DEEPEST = 150  # levels; what lies deeper is shown as if it lay there
_MOST = 5_000  # elements
_SET = tuple(flag for flag in FLAGS if flag != "enabled")


def tree(screen: Screen) -> list[Any] | None:
    """Return the hierarchy of a screen; None if it cannot be read.

    A node is [class, text, resource id, content description, bounds, flags, children]; flags are
    words with spaces between them. Of a hierarchy that is too large the rest is left out.
    """
    try:
        root = screen.root
    except ScreenError:
        return None
    top = _node(root)
    pending: list[tuple[Element, list[Any], int]] = [(root, top, 0)]
    room = _MOST
    while pending and room:
        element, node, depth = pending.pop()
        beside = []
        for child in element.children[:room]:
            room -= 1
            beside.append((child, _node(child), depth + 1))
        node[6].extend(each for _, each, _ in beside)
        # What lies too deep is hung beside its parent, not below it.
        pending += [
            (e, n if d < _DEEPEST else [*n[:6], node[6]], d) for e, n, d in reversed(beside)
        ]
    return top


def _node(element: Element) -> list[Any]:
    flags = [flag for flag in _SET if getattr(element, flag)]
    if not element.enabled:
        flags.append("disabled")
    return [
        element.class_name,
        element.text,
        element.resource_id,
        element.content_desc,
        list(element.bounds),
        " ".join(flags),
        [],
    ]
