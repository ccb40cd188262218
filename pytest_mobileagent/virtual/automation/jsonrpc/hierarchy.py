"""The hierarchy of all windows, as this server writes it: more attributes than the shell's dump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.dump import HEADER, attributes, important, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


def hierarchy(phone: Phone, *, compressed: bool, depth: int, active_only: bool) -> str:
    """Give the XML of every window that can be seen, down to some depth."""
    screen = phone.accessibility
    windows = [each for each in screen.windows if each.active or not active_only]
    if not windows:
        return f'{HEADER}\n<hierarchy rotation="{phone.display.rotation}" />'
    lines = [f"{HEADER}\n" + f'<hierarchy rotation="{phone.display.rotation}">']
    for index, window in enumerate(windows):
        lines += _lines(window.root, index, 1, compressed=compressed, depth=depth)
    return "\n".join([*lines, "</hierarchy>", ""])


def _lines(node: Node, index: int, level: int, *, compressed: bool, depth: int) -> Iterator[str]:
    naf = 'NAF="true" ' if node.unfriendly else ""
    head = f"{'  ' * level}<node {naf}{_attributes(node, index)}"
    inside = list(important(node)) if compressed else node.children
    children = [(i, child) for i, child in enumerate(inside) if child.visible]
    if not children or level >= depth:
        yield f"{head} />"
        return
    yield f"{head}>"
    for i, child in children:
        yield from _lines(child, i, level + 1, compressed=compressed, depth=depth)
    yield f"{'  ' * level}</node>"


def _attributes(node: Node, index: int) -> str:
    *flags, bounds = attributes(node, index)
    more = (
        ("visible-to-user", '"true"' if node.visible else '"false"'),
        bounds,
        ("drawing-order", f'"{node.drawing_order}"'),
        ("hint", quoted(node.hint)),
        ("display-id", '"0"'),
    )
    return " ".join(f"{name}={value}" for name, value in (*flags, *more))
