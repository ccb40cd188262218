"""Chooses the edge of a recorded page that an action follows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import DoubleTap, LongPress, Scroll, Swipe, Tap, Type
from pytest_mobileagent.action.matching.geometry import common_characters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Golden, Rule
    from pytest_mobileagent.dataset.graph import Edge
    from pytest_mobileagent.screen import Screen


def best(edges: Iterable[Edge], action: Action, rule: Rule) -> Edge | None:
    """Return the edge whose recorded action an action matches by a rule; None if no edge matches.

    If several match, the edge with the smallest box around the action's point is chosen; then the
    one with the most similar text, then with the nearest point, then the most often recorded.

    Raises:
        TaskError: if the rule does not support the action of an edge.
    """
    matching = [edge for edge in edges if rule(action, edge.golden)]
    return min(matching, key=lambda edge: _rank(action, edge), default=None)


def with_box(edge: Edge, screen: Screen) -> Edge:
    """Return an edge, with the box of the touched element if its touch was recorded without one.

    The touched element is the smallest clickable one at the point, or else the smallest one.
    """
    golden = edge.golden
    point = point_of(golden.action)
    if golden.boxes or point is None or isinstance(golden.action, Swipe | Scroll):
        return edge
    there = sorted(screen.at(*point), key=lambda e: e.bounds.width * e.bounds.height)
    touchable = [each for each in there if each.clickable or each.long_clickable]
    boxes = tuple(each.bounds for each in (touchable or there)[:1])
    return replace(edge, golden=replace(golden, boxes=boxes)) if boxes else edge


def point_of(action: Action) -> tuple[int, int] | None:
    """Return the pixel where an action begins; None if it has no position."""
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Swipe(x, y):
            return x, y
        case Type(at=at) | Scroll(at=at):
            return at
    return None


def _rank(action: Action, edge: Edge) -> tuple[Any, ...]:
    golden = edge.golden
    unlike = 0.0
    if isinstance(action, Type) and isinstance(golden.action, Type):
        length = len(action.text) + len(golden.action.text)
        common = common_characters(action.text, golden.action.text)
        unlike = (1 - 2 * common / length if length else 0.0) + (
            0.001 * (action.enter != golden.action.enter)
        )
    return _area(action, golden), unlike, _distance(action, golden), -edge.count


def _area(action: Action, golden: Golden) -> float:
    """Return the area, in pixels, of the smallest golden box around an action's point."""
    point = point_of(action)
    around = [box for box in golden.boxes if point is None or box.contains(*point)]
    return min((box.width * box.height for box in around), default=float("inf"))


def _distance(action: Action, golden: Golden) -> float:
    one, other = point_of(action), point_of(golden.action)
    if one is None or other is None:
        return 0.0
    return float((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)
