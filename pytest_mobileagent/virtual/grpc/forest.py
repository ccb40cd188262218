"""The accessibility forest: a tree for each window, with its nodes by depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.grpc.protocol import forwarding
from pytest_mobileagent.virtual.ui.dump import important

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.system.accessibility.nodes import AccessibilityWindow, Screen
    from pytest_mobileagent.virtual.ui.metrics import Rect
    from pytest_mobileagent.virtual.ui.node import Node

# Actions of AccessibilityNodeInfo.
FOCUS, CLEAR_FOCUS, SELECT, CLEAR_SELECTION, CLICK, LONG_CLICK = 1, 2, 4, 8, 16, 32
ACCESSIBILITY_FOCUS, SCROLL_FORWARD, SCROLL_BACKWARD = 64, 4096, 8192
SET_SELECTION, SET_TEXT, SHOW_ON_SCREEN = 0x20000, 0x200000, 0x1020036


def forest(screen: Screen) -> Any:
    """Return all windows, the topmost first."""
    return forwarding.AndroidAccessibilityForest(windows=[_window(w) for w in screen.windows])


def _window(window: AccessibilityWindow) -> Any:
    return forwarding.AndroidAccessibilityWindowInfo(
        bounds_in_screen=_rect(window.bounds),
        id=window.id,
        layer=window.layer,
        window_type=window.type,
        is_active=window.active,
        is_focused=window.active,
        tree=forwarding.AndroidAccessibilityTree(nodes=_nodes(window.root)),
    )


def _nodes(root: Node) -> Iterator[Any]:
    """Yield a window's nodes level by level, numbered in the same order."""
    layer, depth, number, last = [root], 0, 0, 0
    while layer:
        below: list[Node] = []
        for node in layer:
            children = list(important(node))
            below += children
            yield _node(node, number, depth, range(last + 1, last + 1 + len(children)))
            number, last = number + 1, last + len(children)
        layer, depth = below, depth + 1


def _node(node: Node, number: int, depth: int, children: range) -> Any:
    start, end = node.selection or (-1, -1)
    return forwarding.AndroidAccessibilityNodeInfo(
        unique_id=number,
        bounds_in_screen=_rect(node.bounds),
        class_name=node.class_name,
        content_description=node.desc,
        hint_text=node.hint,
        package_name=node.package,
        text=node.text,
        text_selection_start=start,
        text_selection_end=end,
        view_id_resource_name=node.resource_id,
        window_id=node.window_id,
        is_checkable=node.checkable,
        is_checked=node.checked,
        is_clickable=node.clickable,
        is_editable=node.editable,
        is_enabled=node.enabled,
        is_focusable=node.focusable,
        is_focused=node.focused,
        is_long_clickable=node.long_clickable,
        is_password=node.password,
        is_scrollable=node.scrollable,
        is_selected=node.selected,
        is_visible_to_user=node.visible,
        actions=[forwarding.AndroidAccessibilityAction(id=each) for each in _actions(node)],
        child_ids=children,
        depth=depth,
        drawing_order=node.drawing_order,
    )


def _actions(node: Node) -> Iterator[int]:
    """Yield the actions that a node supports, according to its view."""
    if node.focusable:
        yield CLEAR_FOCUS if node.focused else FOCUS
    yield CLEAR_SELECTION if node.selected else SELECT
    if node.enabled:
        for able, action in ((node.clickable, CLICK), (node.long_clickable, LONG_CLICK)):
            if able:
                yield action
    yield ACCESSIBILITY_FOCUS
    if node.box.offset < node.box.reach:
        yield SCROLL_FORWARD
    if node.box.offset > 0:
        yield SCROLL_BACKWARD
    if node.editable:
        yield from (SET_SELECTION, SET_TEXT)
    yield SHOW_ON_SCREEN


def _rect(rect: Rect) -> Any:
    left, top, right, bottom = rect
    return forwarding.ProtoRect(left=left, top=top, right=right, bottom=bottom)
