"""The evaluator of AgentCPM-GUI, which scores AndroidControl, AITZ, GUI-Odyssey and CAGUI.

Source: OpenBMB/AgentCPM-GUI, eval/utils/evaluator.py (arXiv 2506.01391).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import LEFT_OUT, Golden, Match, as_golden, compared
from pytest_mobileagent.action.matching.geometry import (
    Box,
    direction,
    distance,
    fraction,
    hits,
    one_in_other_caseless,
    stroke,
)

if TYPE_CHECKING:
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Size, Types
    from pytest_mobileagent.action.matching.geometry import Point
    from pytest_mobileagent.screen.element import Bounds


def cagui(predicted: Action | None, golden: Golden | Action, *, size: Size | None = None) -> Match:
    """Compare an action with the golden one as AgentCPM-GUI does, for CAGUI (see `evaluate`).

    Raises:
        TaskError: if the evaluator has no action like the golden one, or the size is missing.
    """
    return evaluate("CAGUI", predicted, as_golden(golden, size))


def evaluate(
    rule: str, predicted: Action | None, golden: Golden, *, android_control: bool = False
) -> Match:
    """Compare an action with the golden one as AgentCPM-GUI does.

    - Taps, long presses: correct in a box that contains the golden point, with boxes enlarged 1.2
      times, or at most 0.14 of the screen from that point. For AndroidControl: in one of the five
      boxes whose centres are nearest to the point, or at most 0.04 from it.
    - Scrolls: correct in the finger's direction; a golden swipe of at most 0.04 is a tap.
    - Typing: correct if one text is a part of the other, ignoring case and outer spaces.
    - Keys: correct if equal. Reports, questions and waits are all of one type, "stop", and correct.
    - A golden `Open` is excluded: the conversion of AndroidControl drops such steps.

    Raises:
        TaskError: if the evaluator has no action like the golden one.
    """
    if isinstance(golden.action, Open):
        return LEFT_OUT
    if isinstance(golden.action, Swipe) and distance(*stroke(golden.action, golden.size)) <= 0.04:
        golden = replace(golden, action=Tap(golden.action.x1, golden.action.y1))

    def is_exact(predicted: Action, golden: Golden) -> bool:
        match predicted, golden.action:
            case ((Tap(x, y) | LongPress(x, y)), (Tap(gx, gy) | LongPress(gx, gy))):
                ends = fraction(x, y, golden.size), fraction(gx, gy, golden.size)
                return _is_hit(*ends, golden, android_control=android_control)
            case Type(text), Type(golden_text):
                return one_in_other_caseless(text, golden_text)
            case Key(name), Key(golden_name):
                return name == golden_name
        thousandths = golden.size[0] / 1000, golden.size[1] / 1000  # the agent predicts these
        return direction(predicted, thousandths) == direction(golden.action, golden.size)

    return compared(f"{rule} (agentcpm)", _TYPES, predicted, golden, is_exact)


_TYPES: Types = {
    Tap: "click",
    LongPress: "long_point",
    **dict.fromkeys((Swipe, Scroll), "scroll"),
    Type: "type",
    Key: "press",
    **dict.fromkeys((Finish, Impossible, Ask, Wait), "stop"),
}


def _is_hit(point: Point, wanted: Point, golden: Golden, *, android_control: bool) -> bool:
    boxes = [_grown(box, golden.size) for box in golden.boxes]
    if android_control:
        near = sorted(boxes, key=lambda box: distance(_middle(box), wanted))[:5]
    else:
        near = [box for box in boxes if hits(wanted, [_edges(box)])]
    if hits(point, map(_edges, near)):
        return True
    return distance(wanted, point) <= (0.04 if android_control else 0.14)


# Left, top, width and height in fractions of the screen, the source's format for boxes.
_Sides = tuple[float, float, float, float]


def _grown(bounds: Bounds, size: Size) -> _Sides:
    """Return a box enlarged 1.2 times, which the evaluator shifts at the top and left edges."""
    left, width = _grown_side(bounds.left / size[0], (bounds.right - bounds.left) / size[0])
    top, height = _grown_side(bounds.top / size[1], (bounds.bottom - bounds.top) / size[1])
    return left, top, width, height


def _grown_side(start: float, length: float) -> tuple[float, float]:
    change = (1.2 - 1) * length
    return max(0, start - change / 2), min(1, length + change)


def _edges(box: _Sides) -> Box:
    left, top, width, height = box
    return Box(left, top, left + width, top + height)


def _middle(box: _Sides) -> Point:
    left, top, width, height = box
    return left + width / 2, top + height / 2
