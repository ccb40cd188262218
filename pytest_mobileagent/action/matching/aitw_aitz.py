"""The matching rules of Android in the Wild (AITW) and of Android in the Zoo (AITZ).

Sources: google-research/google-research, android_in_the_wild/action_matching.py, Rawles et al. 2023
(arXiv 2307.10088), which the AITZ and Auto-UI papers share; IMNearth/CoAT, coat/evaluate.py, Zhang
et al. 2024 (arXiv 2403.02713).
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action import Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import Golden, Match, as_golden, compared, no_such_scorer
from pytest_mobileagent.action.matching.agentcpm import evaluate
from pytest_mobileagent.action.matching.geometry import (
    Box,
    direction,
    enlarged,
    fraction,
    indel_similarity,
    one_in_other,
    overlap,
    smallest_at,
    stroke,
)

if TYPE_CHECKING:
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Size, Types
    from pytest_mobileagent.action.matching.geometry import Point
    from pytest_mobileagent.screen.element import Bounds

_AITW: Types = {
    **dict.fromkeys((Tap, LongPress, Swipe, Scroll), "DUAL_POINT"),
    Type: "TYPE",
    Key("back"): "PRESS_BACK",
    Key("home"): "PRESS_HOME",
    Key("enter"): "PRESS_ENTER",
    Finish: "STATUS_TASK_COMPLETE",
    Impossible: "STATUS_TASK_IMPOSSIBLE",
}


def aitw(predicted: Action | None, golden: Golden | Action, *, size: Size | None = None) -> Match:
    """Compare an action with the golden one as AITW does.

    - Taps: equal if they are at most 0.14 of the screen apart, each axis in fractions of the
      screen, or if one annotated box, enlarged to 2.4 times its size, contains both. As in the
      released code, a box that grows beyond the top or the left edge is shifted inwards, not cut.
    - A long press counts as a tap here, and so does a swipe of at most 0.04 of the screen.
    - Swipes: equal if both are mainly vertical, or both mainly horizontal; the sign is ignored.
    - Everything else is equal if it has the same type: typed text is ignored.

    Types are AITW's: a tap and a swipe share one type, DUAL_POINT. Numbers have single precision,
    as in the source, so that the results also agree at a distance of exactly 0.14.

    Raises:
        TaskError: if AITW has no action like the golden one, or the size of its screen is missing.
    """
    return compared("AITW", _AITW, predicted, as_golden(golden, size), _same)


def _same(predicted: Action, golden: Golden) -> bool:
    if not isinstance(predicted, Tap | LongPress | Swipe | Scroll):
        return True
    touch, lift = _points(predicted, golden.size)
    golden_touch, golden_lift = _points(golden.action, golden.size)
    is_tap = _apart(touch, lift) <= _single(0.04)
    if is_tap != (_apart(golden_touch, golden_lift) <= _single(0.04)):
        return False
    if not is_tap:
        return _is_vertical(touch, lift) == _is_vertical(golden_touch, golden_lift)
    if _apart(touch, golden_touch) <= _single(0.14):
        return True
    grown = (_grown(box, golden.size) for box in golden.boxes)
    return any(_holds(box, touch) and _holds(box, golden_touch) for box in grown)


def _points(action: Action, size: Size) -> tuple[Point, Point]:
    if isinstance(action, Swipe | Scroll):
        (x1, y1), (x2, y2) = stroke(action, size)
        return (_single(x1), _single(y1)), (_single(x2), _single(y2))
    assert isinstance(action, Tap | LongPress)
    x, y = map(_single, fraction(action.x, action.y, size))
    return (x, y), (x, y)


def _apart(one: Point, other: Point) -> float:
    dx, dy = _single(one[0] - other[0]), _single(one[1] - other[1])
    return _single(math.sqrt(_single(_single(dx * dx) + _single(dy * dy))))


def _is_vertical(touch: Point, lift: Point) -> bool:
    return _single(abs(lift[1] - touch[1])) >= _single(abs(lift[0] - touch[0]))


def _grown(bounds: Bounds, size: Size) -> tuple[float, float, float, float]:
    """Return left, top, width and height in fractions of the screen, enlarged as in the source."""
    left, width = _grown_side(bounds.left / size[0], (bounds.right - bounds.left) / size[0])
    top, height = _grown_side(bounds.top / size[1], (bounds.bottom - bounds.top) / size[1])
    return left, top, width, height


def _grown_side(start: float, length: float) -> tuple[float, float]:
    change = 1.4 * length  # in double precision, as in NumPy, which provides the boxes there
    return _single(max(0, start - change / 2)), _single(min(1, length + change))


def _holds(box: tuple[float, float, float, float], point: Point) -> bool:
    left, top, width, height = box
    x, y = point
    return left <= x <= _single(left + width) and top <= y <= _single(top + height)


def _single(value: float) -> float:
    """Round a number to single precision."""
    (rounded,) = struct.unpack("f", struct.pack("f", value))
    return float(rounded)


Scorer = Literal["coat", "agentcpm"]
_AITZ: Types = {
    Tap: "click",
    **dict.fromkeys((Swipe, Scroll), "scroll"),
    Type: "type",
    **dict.fromkeys((Key("back"), Key("home"), Key("enter")), "press"),
    **dict.fromkeys((Finish, Impossible), "stop"),
}
_VERTICAL = 0.9  # a vertical swipe's height is at least this multiple of its width


def aitz(
    predicted: Action | None,
    golden: Golden | Action,
    *,
    size: Size | None = None,
    box: Bounds | None = None,
    scorer: Scorer = "coat",
    quirks: bool = False,
) -> Match:
    """Compare an action with the golden one as AITZ does.

    - Taps: an agent of AITZ predicts a box, `box`, of which `predicted` is a point. It is correct
      if 1.2 times the box contains the golden point; or if a golden box, enlarged equally, does,
      and the two enlarged boxes have an intersection over union above 0.5. Without `box`, it is the
      smallest golden box with the tap (as when an element is chosen by number), or else the point.
    - Scrolls: correct in the finger's direction. A swipe is vertical if it moves at least 0.9 times
      as far vertically as horizontally.
    - Typing: correct if one text is a part of the other, or their similarity is above 0.8
      (`Levenshtein.ratio`); case matters.
    - Keys: correct if equal. Finish and Impossible share one type, "stop", and are correct.

    `scorer="agentcpm"` compares as AgentCPM-GUI does (see `check.cagui`), which needs no box. With
    `quirks`, the golden point of a tap is (0, 0), as in CoAT's code, which sets it for scrolls.

    Raises:
        TaskError: if AITZ has no such golden action or scorer, or the screen's size is missing.
    """
    golden = as_golden(golden, size)
    if scorer == "agentcpm":
        return evaluate("AITZ", predicted, golden)
    if scorer != "coat":
        raise no_such_scorer(scorer, get_args(Scorer))

    def is_exact(predicted: Action, golden: Golden) -> bool:
        match predicted, golden.action:
            case Tap(x, y), Tap(golden_x, golden_y):
                target = (0.0, 0.0) if quirks else (golden_x, golden_y)
                return _is_hit(Box(*(box or _box_at((x, y), golden))), target, golden.boxes)
            case Type(text), Type(wanted):
                return one_in_other(text, wanted) or indel_similarity(text, wanted) > 0.8
            case Key(name), Key(golden_name):
                return name == golden_name
        ways = (direction(a, golden.size, bias=_VERTICAL) for a in (predicted, golden.action))
        return len(set(ways)) == 1  # which other actions do not have

    return compared("AITZ", _AITZ, predicted, golden, is_exact)


def _box_at(point: Point, golden: Golden) -> Box:
    return smallest_at(point, (Box(*box) for box in golden.boxes)) or Box(*point, *point)


def _is_hit(predicted: Box, target: Point, boxes: tuple[Bounds, ...]) -> bool:
    grown = enlarged(predicted, 1.2)
    if grown.contains(target):
        return True
    around = (enlarged(Box(*box), 1.2) for box in boxes)
    return any(overlap(grown, box) > 0.5 for box in around if box.contains(target))
