"""The matching rules of Android in the Zoo (AITZ).

Source: IMNearth/CoAT, coat/evaluate.py; Zhang et al. 2024 (arXiv 2403.02713).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action.action import Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import (
    NO_MATCH,
    Golden,
    Match,
    as_golden,
    cannot_be_golden,
    judged,
    no_such_scorer,
)
from pytest_mobileagent.action.matching.agentcpm import evaluate
from pytest_mobileagent.action.matching.geometry import (
    Box,
    direction,
    enlarged,
    indel_similarity,
    one_in_other,
    overlap,
    smallest_at,
)

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.action.matching.geometry import Point
    from pytest_mobileagent.screen.element import Bounds

Scorer = Literal["coat", "agentcpm"]
# A swipe is vertical if its vertical extent is at least this multiple of its horizontal one.
_VERTICAL = 0.9


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
      smallest golden box that contains the tap (as when an agent chooses an element by its number),
      or else just the point.
    - Scrolls: correct in the finger's direction. A swipe is vertical if it moves at least 0.9 times
      as far vertically as horizontally.
    - Typing: correct if one text is a part of the other, or their similarity is above 0.8
      (`Levenshtein.ratio`); case matters.
    - Keys: correct if equal. Finish and Impossible share one type, "stop", and are correct.

    `scorer="agentcpm"` compares as AgentCPM-GUI does (see `check.cagui`), which needs no box. With
    `quirks`, the golden point of a tap is (0, 0), as in the released code of CoAT, which sets it
    for scrolls only.

    Raises:
        TaskError: if AITZ has no action like the golden one, the size of its screen is missing, or
            there is no such scorer.
    """
    golden = as_golden(golden, size)
    if scorer == "agentcpm":
        return evaluate("AITZ", predicted, golden)
    if scorer != "coat":
        raise no_such_scorer(scorer, get_args(Scorer))
    wanted = _type(golden.action) or cannot_be_golden("AITZ", golden.action)
    if predicted is None or _type(predicted) != wanted:
        return judged("AITZ", predicted, golden, NO_MATCH)
    match predicted, golden.action:
        case Tap(x, y), Tap(golden_x, golden_y):
            target = (0.0, 0.0) if quirks else (golden_x, golden_y)
            exact = _is_hit(Box(*(box or _box_at((x, y), golden))), target, golden.boxes)
        case Type(text), Type(golden_text):
            exact = one_in_other(text, golden_text) or indel_similarity(text, golden_text) > 0.8
        case Key(name), Key(golden_name):
            exact = name == golden_name
        case ((Swipe() | Scroll()), _):
            way = direction(golden.action, golden.size, bias=_VERTICAL)
            exact = direction(predicted, golden.size, bias=_VERTICAL) == way
        case _:
            exact = True
    return judged("AITZ", predicted, golden, Match(type=True, exact=exact))


def _type(action: Action) -> str | None:
    match action:
        case Tap():
            return "click"
        case Swipe() | Scroll():
            return "scroll"
        case Type():
            return "type"
        case Key("back" | "home" | "enter"):
            return "press"
        case Finish() | Impossible():
            return "stop"
    return None


def _box_at(point: Point, golden: Golden) -> Box:
    return smallest_at(point, (Box(*box) for box in golden.boxes)) or Box(*point, *point)


def _is_hit(predicted: Box, target: Point, boxes: tuple[Bounds, ...]) -> bool:
    grown = enlarged(predicted, 1.2)
    if grown.contains(target):
        return True
    around = (enlarged(Box(*box), 1.2) for box in boxes)
    return any(overlap(grown, box) > 0.5 for box in around if box.contains(target))
