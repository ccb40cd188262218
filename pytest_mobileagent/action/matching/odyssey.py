"""The matching rules of GUI-Odyssey.

Source: OpenGVLab/GUI-Odyssey, src/eval_mm/GUIOdyssey_action_matching.py and evaluate_GUIOdyssey.py;
Lu et al. 2024 (arXiv 2406.08451).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action.action import Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
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
    distance,
    edit_similarity,
    fraction,
    hits,
    one_in_other,
)

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Size

Scorer = Literal["odyssey", "agentcpm"]


def odyssey(
    predicted: Action | None,
    golden: Golden | Action,
    *,
    size: Size | None = None,
    scorer: Scorer = "odyssey",
    quirks: bool = False,
) -> Match:
    """Compare an action with the golden one as GUI-Odyssey does.

    - Types are the names of its commands: each key is a separate type.
    - Taps, long presses: correct in a golden box (the intended element, not enlarged), edges
      included, or at most 0.14 of the screen from the golden point, each axis separately.
    - Scrolls: correct in the finger's direction.
    - Typing: correct if one text is a part of the other, ignoring outer spaces, or if the
      Levenshtein distance is at most half of the longer text; case matters.
    - Everything else: correct if of the same type.

    `scorer="agentcpm"` compares as AgentCPM-GUI does (see `check.cagui`). With `quirks`, texts are
    cut at their first colon, as the released code does when it parses commands; with AgentCPM-GUI's
    scorer, the golden key that shows recent apps is home.

    Raises:
        TaskError: if GUI-Odyssey has no action like the golden one, the size of its screen is
            missing, or there is no such scorer.
    """
    golden = as_golden(golden, size)
    if scorer == "agentcpm":
        if quirks and golden.action == Key("overview"):
            golden = replace(golden, action=Key("home"))
        return evaluate("GUI-Odyssey", predicted, golden)
    if scorer != "odyssey":
        raise no_such_scorer(scorer, get_args(Scorer))
    wanted = _type(golden.action) or cannot_be_golden("GUI-Odyssey", golden.action)
    if predicted is None or _type(predicted) != wanted:
        return judged("GUI-Odyssey", predicted, golden, NO_MATCH)
    match predicted, golden.action:
        case (Tap(x, y), Tap(gx, gy)) | (LongPress(x, y), LongPress(gx, gy)):
            apart = distance(fraction(x, y, golden.size), fraction(gx, gy, golden.size))
            exact = hits((x, y), (Box(*box) for box in golden.boxes)) or apart <= 0.14
        case Type(text), Type(golden_text):
            texts = [each.partition(":")[0] if quirks else each for each in (text, golden_text)]
            exact = _same_text(*texts)
        case ((Swipe() | Scroll()), _):
            exact = direction(predicted, golden.size) == direction(golden.action, golden.size)
        case _:
            exact = True
    return judged("GUI-Odyssey", predicted, golden, Match(type=True, exact=exact))


_TYPES: dict[type, str] = {
    Tap: "CLICK",
    LongPress: "LONG_PRESS",
    Swipe: "SCROLL",
    Scroll: "SCROLL",
    Type: "TYPE",
    Finish: "COMPLETE",
    Impossible: "IMPOSSIBLE",
}


def _type(action: Action) -> str | None:
    if isinstance(action, Key):
        return f"PRESS_{action.name.upper()}"
    return _TYPES.get(type(action))


def _same_text(text: str, golden: str) -> bool:
    text, golden = text.strip(), golden.strip()
    return one_in_other(text, golden) or edit_similarity(text, golden) >= 0.5
