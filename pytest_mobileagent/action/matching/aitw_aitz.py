"""The matching rule of Android in the Wild (AITW), which the AITZ and Auto-UI papers share.

Source: google-research/google-research, android_in_the_wild/action_matching.py; Rawles et al. 2023
(arXiv 2307.10088).
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import (
    NO_MATCH,
    Golden,
    Match,
    as_golden,
    cannot_be_golden,
    judged,
)
from pytest_mobileagent.action.matching.geometry import fraction, stroke

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.action.matching.geometry import Point
    from pytest_mobileagent.screen.element import Bounds

_DUAL_POINT = "DUAL_POINT"
_KEYS = {"back": "PRESS_BACK", "home": "PRESS_HOME", "enter": "PRESS_ENTER"}


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
    golden = as_golden(golden, size)
    wanted = _type(golden.action) or cannot_be_golden("AITW", golden.action)
    if predicted is None or _type(predicted) != wanted:
        match = NO_MATCH
    else:
        match = Match(type=True, exact=wanted != _DUAL_POINT or _same(predicted, golden))
    return judged("AITW", predicted, golden, match)


def _type(action: Action) -> str | None:
    match action:
        case Tap() | LongPress() | Swipe() | Scroll():
            return _DUAL_POINT
        case Type():
            return "TYPE"
        case Key(name):
            return _KEYS.get(name)
        case Finish():
            return "STATUS_TASK_COMPLETE"
        case Impossible():
            return "STATUS_TASK_IMPOSSIBLE"
    return None


def _same(predicted: Action, golden: Golden) -> bool:
    """Return whether two gestures are equal."""
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
