"""The matching rules of AndroidControl, by its three published scorers.

The data set's own paper counts correct steps (Li et al. 2024, arXiv 2406.03679), but published no
scorer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action.action import (
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.action.matching import (
    NO_MATCH,
    Golden,
    Match,
    agentcpm,
    as_golden,
    cannot_be_golden,
    judged,
    no_such_scorer,
    os_atlas,
)
from pytest_mobileagent.action.matching.geometry import (
    distance,
    enlarged,
    fraction,
    fractions,
    hits,
    one_in_other_caseless,
)

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.action.matching.geometry import Point

Scorer = Literal["qwen2.5-vl", "agentcpm", "os-atlas"]
_RADIUS = 0.04


def androidcontrol(
    predicted: Action | None,
    golden: Golden | Action,
    *,
    size: Size | None = None,
    scorer: Scorer = "qwen2.5-vl",
    quirks: bool = False,
) -> Match:
    """Compare an action with the golden one as a published scorer of AndroidControl does.

    `scorer` names it:

    - "qwen2.5-vl", as UI-S1 evaluates (X-PLUG/MobileAgent, UI-S1/evaluation/qwenvl_utils.py). Taps
      and long presses: correct in a golden box enlarged to 1.2 times its size, or at most 0.04 of
      the screen from the golden point. Typing and `Open`: correct if one text is a part of the
      other, ignoring case and outer spaces. A golden `Open` with boxes, the app's icons, may also
      be a tap on one of them. Swipes in any direction and waits are correct, keys if they are
      equal. Reports, which that code cannot compare, are correct if they have the same type.
    - "agentcpm" (see `agentcpm.evaluate`): interprets golden boxes as all elements of the screen,
      and excludes `Open`. With `quirks`, a golden long press is a tap, as in the released
      conversion.
    - "os-atlas" (see `os_atlas.evaluate`): at most 0.14 of the screen away; ignores boxes.

    `Open` is compared by its text, a package or, as in the data, the app's name.

    Raises:
        TaskError: if the scorer has no action like the golden one, the size of its screen is
            missing, or there is no such scorer.
    """
    golden = as_golden(golden, size)
    match scorer:
        case "qwen2.5-vl":
            return judged("AndroidControl", predicted, golden, _qwen(predicted, golden))
        case "agentcpm":
            if quirks and isinstance(golden.action, LongPress):
                golden = replace(golden, action=Tap(golden.action.x, golden.action.y))
            return agentcpm.evaluate("AndroidControl", predicted, golden, android_control=True)
        case "os-atlas":
            return os_atlas.evaluate("AndroidControl", predicted, golden)
    raise no_such_scorer(scorer, get_args(Scorer))


def _qwen(predicted: Action | None, golden: Golden) -> Match:
    match predicted, golden.action:
        case (Tap(x, y), Tap(gx, gy)) | (LongPress(x, y), LongPress(gx, gy)):
            exact = _is_hit(fraction(x, y, golden.size), fraction(gx, gy, golden.size), golden)
        case Tap(x, y), Open():
            if not golden.boxes:
                return NO_MATCH
            icon = fractions(golden.boxes[0], golden.size).center
            exact = _is_hit(fraction(x, y, golden.size), icon, golden)
        case (Type(text), Type(wanted)) | (Open(text), Open(wanted)):
            exact = one_in_other_caseless(text, wanted)
        case Key(text), Key(wanted):
            exact = text == wanted
        case (
            (Swipe() | Scroll(), Swipe() | Scroll())
            | (Wait(), Wait())
            | (Finish(), Finish())
            | (Impossible(), Impossible())
        ):
            exact = True
        case _:
            if not isinstance(golden.action, _GOLDEN):
                cannot_be_golden("AndroidControl", golden.action)
            return NO_MATCH
    return Match(type=True, exact=exact)


_GOLDEN = Tap | LongPress | Swipe | Scroll | Type | Key | Open | Wait | Finish | Impossible


def _is_hit(point: Point, wanted: Point, golden: Golden) -> bool:
    boxes = (enlarged(fractions(box, golden.size), 1.2) for box in golden.boxes)
    return hits(point, boxes) or distance(wanted, point) <= _RADIUS
