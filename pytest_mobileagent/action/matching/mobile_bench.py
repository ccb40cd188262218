"""The matching rules of Mobile-Bench-v2: that of its paper, and that of its released code.

Source: Mobile-Bench-v2 (arXiv 2505.11891), section 4.2; gezelligheid0314/Mobile-Bench-v2, eval.py
and utils.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action.action import Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import (
    NO_MATCH,
    Golden,
    Match,
    as_golden,
    judged,
    no_such_scorer,
)
from pytest_mobileagent.action.matching.geometry import (
    Box,
    common_characters,
    direction,
    smallest_at,
    stroke,
)

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.action.matching.geometry import Point
    from pytest_mobileagent.screen.element import Bounds

Scorer = Literal["paper", "code"]
_ANYTHING = "无人应答"  # "nobody answers": a golden text that contains this accepts any text


def mobile_bench(
    predicted: Action | None,
    golden: Golden | Action,
    *,
    size: Size | None = None,
    box: Bounds | None = None,
    scorer: Scorer = "paper",
) -> Match:
    """Compare an action with the golden one as Mobile-Bench-v2 does.

    An agent of Mobile-Bench-v2 chooses a marked element: `box` is its area. Without it, the area is
    the smallest golden box that contains the predicted action (for a scroll, its start).

    `scorer="paper"` follows the paper:

    - Taps: correct if the golden point is inside the area, not on an edge; without any boxes, only
      the exact point is correct.
    - Scrolls: correct if both ends of the golden scroll are in the area, if there is one, and the
      finger's direction is the same.
    - Typing: correct if the F1 score of the characters, in any order, is at least 0.5.
    - Everything else, which the paper does not mention, is correct if it is equal.

    `scorer="code"` follows the released code for noisy and ambiguous data: the golden y is
    compared with the area's right and bottom edges; F1 must be above 0.5, for strings that
    are cut at their first parenthesis; a golden text with "无人应答" accepts any text; scrolls
    and keys are never correct. `Match.type` is counted as for ambiguous data; for noisy
    data, the code counts no type as correct.

    Raises:
        TaskError: if the size of the golden action's screen is missing, or there is no such
            scorer.
    """
    golden = as_golden(golden, size)
    if scorer not in get_args(Scorer):
        raise no_such_scorer(scorer, get_args(Scorer))
    decide = _by_paper if scorer == "paper" else _by_code
    match = NO_MATCH if predicted is None else decide(predicted, golden, box)
    return judged("Mobile-Bench-v2", predicted, golden, match)


def _by_paper(predicted: Action, golden: Golden, box: Bounds | None) -> Match:
    match predicted, golden.action:
        case Tap(x, y), Tap(gx, gy):
            area = _area((x, y), golden, box)
            exact = area.surrounds((gx, gy)) if area else (x, y) == (gx, gy)
        case (Swipe() | Scroll()) as scroll, (Swipe() | Scroll()) as wanted:
            ends = _ends(wanted, golden.size)
            area = _area(_ends(scroll, golden.size)[0], golden, box)
            inside = area is None or all(map(area.surrounds, ends))
            exact = inside and direction(scroll) == direction(wanted)
        case Type(text), Type(wanted_text):
            exact = 4 * common_characters(text, wanted_text) >= len(text) + len(wanted_text)
        case _:
            return Match(
                type=type(predicted) is type(golden.action), exact=predicted == golden.action
            )
    return Match(type=True, exact=exact)


def _by_code(predicted: Action, golden: Golden, box: Bounds | None) -> Match:
    match predicted, golden.action:
        case Tap(x, y), Tap(gx, gy):
            area = _area((x, y), golden, box) or Box(x, y, x, y)
            exact = area.left < gx < area.right and area.right < gy < area.bottom
        case Type(text), Type(wanted):
            exact = _ANYTHING in wanted or _f1(re.split("[()]", text, maxsplit=1)[0], wanted) > 0.5
        case _:
            exact = False
    named = _NAMES.get(type(golden.action))
    return Match(type=named is not None and named in _as_read(predicted), exact=exact)


def _area(point: Point, golden: Golden, box: Bounds | None) -> Box | None:
    """Return the chosen area; None if no areas are known."""
    if box is not None:
        return Box(*box)
    if not golden.boxes:
        return None
    return smallest_at(point, (Box(*each) for each in golden.boxes)) or Box(*point, *point)


def _ends(action: Swipe | Scroll, size: Size) -> tuple[Point, Point]:
    """Return where a finger touches the screen and where it leaves it, in pixels."""
    if isinstance(action, Swipe):
        return (action.x1, action.y1), (action.x2, action.y2)
    (x1, y1), (x2, y2) = stroke(action, size)
    return (x1 * size[0], y1 * size[1]), (x2 * size[0], y2 * size[1])


_NAMES: dict[type, str] = {Tap: "click", Swipe: "scroll", Scroll: "scroll", Type: "input"}


def _as_read(action: Action) -> str:
    """Return the action in the text form in which the code searches for the name of a type."""
    text = f"({action.text})" if isinstance(action, Type) else ""
    return _NAMES.get(type(action), "") + text


def _f1(predicted: str, golden: str) -> float:
    """Return an F1 score with the source's rounding errors, which put some values above 0.5."""
    common = common_characters(predicted, golden)
    if not common:
        return 0.0
    precision, recall = common / len(predicted), common / len(golden)
    return 2 * precision * recall / (precision + recall)
