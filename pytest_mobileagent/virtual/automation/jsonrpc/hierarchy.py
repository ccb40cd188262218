"""The hierarchy of all windows in this server's format, with more attributes than the shell's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.node import HEADER, attributes, quoted, tags_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service
    from pytest_mobileagent.virtual.ui.node import Node

DEPTH = 50  # default depth of a dump


def dump(service: Service, compressed: bool, depth: int = DEPTH, active_only: bool = False) -> str:
    """Return the hierarchy of all windows, or of the focused one, down to a depth."""
    phone, screen = service.phone, service.phone.accessibility
    windows = [each for each in screen.windows if each.active or not active_only]
    if not windows:
        return f'{HEADER}\n<hierarchy rotation="{phone.display.rotation}" />'
    lines = [f'{HEADER}\n<hierarchy rotation="{phone.display.rotation}">']
    for index, window in enumerate(windows):
        tags = tags_of(
            window.root, index, compressed=compressed, depth=depth, attributes=_attributes
        )
        lines += [f"{'  ' * level}{tag}" for level, tag in tags]
    return "\n".join([*lines, "</hierarchy>", ""])


def _attributes(node: Node, index: int) -> Iterator[tuple[str, str]]:
    *flags, bounds = attributes(node, index)
    yield from flags
    yield "visible-to-user", '"true"' if node.visible else '"false"'
    yield bounds
    yield "drawing-order", f'"{node.drawing_order}"'
    yield "hint", quoted(node.hint)
    yield "display-id", '"0"'
