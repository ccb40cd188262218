"""Our own matching rule, for graphs of recorded pages, and those of Mobile-Bench-v2.

By our rule, an action on a recorded page matches that of an edge of the graph. It is the default
rule of graphs (docs/recorded-pages.md). Source of the others: Mobile-Bench-v2 (arXiv 2505.11891),
section 4.2; gezelligheid0314/Mobile-Bench-v2, eval.py and utils.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action import Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
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
    from collections.abc import Callable

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.action.matching.geometry import Point
    from pytest_mobileagent.screen.element import Bounds

_NEAR = 0.04  # of the screen on each axis, if no box says what a touch may hit
GraphScorer = Literal["keywords"]
_SEPARATORS = re.compile(r"""[，。/:*?"“”<>|]""")  # replaced by commas in ColorBench


def graph(
    predicted: Action | None,
    golden: Golden | Action,
    *,
    size: Size | None = None,
    scorer: GraphScorer | None = None,
) -> Match:
    """Compare an action with that of an edge of a graph of recorded pages.

    - Taps, long presses, double taps: of the same kind, and in one of the golden boxes; without
      boxes, at most 0.04 of the screen away on each axis.
    - Swipes and scrolls: in the finger's direction; if there are boxes, and the action says where
      the finger starts, it must start in one of them.
    - Typing: the F1 score of the characters, in any order, is at least 0.5, or by the scorer
      "keywords", one text has all parts of the other between punctuation marks, as in ColorBench
      (src/test/graph_tools.py of MadeAgents/ColorBench). If the action names a field, and there are
      boxes, the field must be in one of them. `clear` and `enter` do not matter.
    - Everything else: correct if equal, except that the seconds of a wait do not matter.

    The golden action itself is always correct, even if its point is outside its boxes.

    Raises:
        TaskError: if the size of the golden action's screen is missing, or the scorer is unknown.
    """
    if scorer is not None and scorer not in get_args(GraphScorer):
        raise no_such_scorer(scorer, get_args(GraphScorer))
    golden = as_golden(golden, size)
    is_said = _shares_characters if scorer is None else _has_keywords
    match = NO_MATCH if predicted is None else _match(predicted, golden, is_said)
    return judged("the rule of graphs", predicted, golden, match)


def _match(predicted: Action, golden: Golden, is_said: Callable[[str, str], bool]) -> Match:
    if predicted == golden.action:
        return Match(type=True, exact=True)
    match predicted, golden.action:
        case (
            (Tap(x, y), Tap(gx, gy))
            | (LongPress(x, y), LongPress(gx, gy))
            | (DoubleTap(x, y), DoubleTap(gx, gy))
        ):
            exact = _hits((x, y), golden, (gx, gy))
        case (Swipe() | Scroll()) as scroll, (Swipe() | Scroll()) as wanted:
            size = golden.size
            exact = direction(scroll, size) == direction(wanted, size) is not None
            exact = exact and _begins_inside(scroll, golden)
        case Type(text, at), Type(wanted_text):
            exact = is_said(text, wanted_text)
            exact = exact and (at is None or not golden.boxes or _hits(at, golden, at))
        case _:
            same_type = type(predicted) is type(golden.action)
            return Match(type=same_type, exact=same_type and isinstance(predicted, Wait))
    return Match(type=True, exact=exact)


def _shares_characters(text: str, wanted: str) -> bool:
    """Return whether the F1 score of the characters is at least 0.5."""
    return 4 * common_characters(text, wanted) >= len(text) + len(wanted)


def _has_keywords(text: str, wanted: str) -> bool:
    one, other = (_SEPARATORS.sub(",", each.lower().replace(" ", "")) for each in (text, wanted))
    has_all = all(each in one for each in other.split(","))
    return has_all or all(each in other for each in one.split(","))


def _hits(point: tuple[int, int], golden: Golden, wanted: tuple[int, int]) -> bool:
    if golden.boxes:
        return any(box.contains(*point) for box in golden.boxes)
    return all(
        abs(one - other) <= _NEAR * side
        for one, other, side in zip(point, wanted, golden.size, strict=True)
    )


def _begins_inside(scroll: Swipe | Scroll, golden: Golden) -> bool:
    """Return whether a finger starts in one of the boxes; a scroll of the page has no start."""
    start = (scroll.x1, scroll.y1) if isinstance(scroll, Swipe) else scroll.at
    return start is None or not golden.boxes or _hits(start, golden, start)


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

    - Taps: correct if the golden point is in the area, not on an edge; without boxes, if equal.
    - Scrolls: correct if both ends of the golden scroll are in the area, if there is one, and the
      finger's direction is the same.
    - Typing: correct if the F1 score of the characters, in any order, is at least 0.5.
    - Everything else, which the paper does not mention, is correct if it is equal.

    `scorer="code"` follows the released code for noisy and ambiguous data: the golden y is compared
    with the area's right and bottom edges; F1 must be above 0.5, for strings that are cut at their
    first parenthesis; a golden text with "无人应答" accepts any text; scrolls and keys are never
    correct. `Match.type` is counted as for ambiguous data; for noisy data, no type is correct.

    Raises:
        TaskError: if the size of the golden action's screen is missing, or the scorer is unknown.
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
            exact = _shares_characters(text, wanted_text)
        case _:
            same_type = type(predicted) is type(golden.action)
            return Match(type=same_type, exact=predicted == golden.action)
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
