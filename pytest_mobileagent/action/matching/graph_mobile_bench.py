"""Our own matching rule: an action on a recorded page matches that of an edge of the graph.

It is also the default rule of graphs, as described in docs/recorded-pages.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action.action import Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import (
    NO_MATCH,
    Golden,
    Match,
    as_golden,
    judged,
    no_such_scorer,
)
from pytest_mobileagent.action.matching.geometry import common_characters, direction

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Size

_NEAR = 0.04  # of the screen on each axis, if no box says what a touch may hit


Scorer = Literal["keywords"]
_SEPARATORS = re.compile(r"""[，。/:*?"“”<>|]""")  # replaced by commas in ColorBench


def graph(
    predicted: Action | None,
    golden: Golden | Action,
    *,
    size: Size | None = None,
    scorer: Scorer | None = None,
) -> Match:
    """Compare an action with that of an edge of a graph of recorded pages.

    - Taps, long presses, double taps: of the same kind, and in one of the golden boxes; without
      boxes, at most 0.04 of the screen away on each axis.
    - Swipes and scrolls: in the finger's direction; if there are boxes, and the action says where
      the finger starts, it must start in one of them.
    - Typing: the F1 score of the characters, in any order, is at least 0.5, or by the scorer
      "keywords", one text has all parts of the other between punctuation marks, as in ColorBench
      (src/test/graph_tools.py of MadeAgents/ColorBench). If the action names a field, and there are
      boxes, the field must be in one of them. Whether the field is cleared first and whether enter
      follows does not matter.
    - Everything else: correct if equal, except that the seconds of a wait do not matter.

    The golden action itself is always correct, even if its point is outside its boxes.

    Raises:
        TaskError: if the size of the golden action's screen is missing, or the scorer is unknown.
    """
    if scorer is not None and scorer not in get_args(Scorer):
        raise no_such_scorer(scorer, get_args(Scorer))
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
    return 4 * common_characters(text, wanted) >= len(text) + len(wanted)


def _has_keywords(text: str, wanted: str) -> bool:
    one, other = (_SEPARATORS.sub(",", each.lower().replace(" ", "")) for each in (text, wanted))
    return all(each in one for each in other.split(",")) or all(
        each in other for each in one.split(",")
    )


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
