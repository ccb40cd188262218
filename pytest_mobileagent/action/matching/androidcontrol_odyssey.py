"""The matching rules of AndroidControl, by its three published scorers, and of GUI-Odyssey.

AndroidControl's own paper counts correct steps (Li et al. 2024, arXiv 2406.03679), but published no
scorer. Source of GUI-Odyssey's rule: OpenGVLab/GUI-Odyssey, evaluate_GUIOdyssey.py and
GUIOdyssey_action_matching.py in src/eval_mm; Lu et al. 2024 (arXiv 2406.08451).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.action import Finish, Impossible, Key, KeyName, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import (
    NO_MATCH,
    Golden,
    Match,
    agentcpm,
    as_golden,
    cannot_be_golden,
    compared,
    judged,
    no_such_scorer,
)
from pytest_mobileagent.action.matching.geometry import (
    Box,
    direction,
    distance,
    edit_similarity,
    enlarged,
    fraction,
    fractions,
    hits,
    one_in_other,
    one_in_other_caseless,
)

if TYPE_CHECKING:
    from pytest_mobileagent.action import Action
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
      and excludes `Open`. With `quirks`, a golden long press is a tap, as its conversion has it.
    - "os-atlas" (OS-Copilot/OS-Atlas, eval/eval_scripts/android_control/evaluation_unify.py; arXiv
      2410.23218), which compares actions as text, such as "TYPE [Oslo]", and ignores boxes. Types
      are the names of its commands: each key is a separate type. Taps, long presses: correct at
      most 140 thousandths of the screen from the golden point, each axis in thousandths separately;
      the source has only whole thousandths, but here, points are not rounded. Scrolls: correct in
      the finger's direction. Everything else: correct if of the same type. Typing, `Open`: correct
      if the strings are equal. The source also requires a token F1 above 0.5, but of one word only.
      So strings are also correct if their first words are equal, ignoring case. The last word of a
      text includes the closing bracket: "Oslo" is not the first word of "Oslo S".

    `Open` is compared by its text, a package or, as in the data, the app's name.

    Raises:
        TaskError: if the scorer is unknown or has no such action, or the size is missing.
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
            rule = "AndroidControl (os-atlas)"
            return compared(rule, _COMMANDS | _MORE_COMMANDS, predicted, golden, _same_by_os_atlas)
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


# The commands as which both data sets write actions; each key has one of its own.
_COMMANDS: dict[type | Key, str] = {
    Tap: "CLICK",
    LongPress: "LONG_PRESS",
    **dict.fromkeys((Swipe, Scroll), "SCROLL"),
    Type: "TYPE",
    **{Key(name): f"PRESS_{name.upper()}" for name in get_args(KeyName)},
    Finish: "COMPLETE",
    Impossible: "IMPOSSIBLE",
}
_MORE_COMMANDS: dict[type | Key, str] = {Open: "OPEN_APP", Wait: "WAIT"}


def _same_by_os_atlas(predicted: Action, golden: Golden) -> bool:
    match predicted, golden.action:
        case (Tap(x, y), Tap(gx, gy)) | (LongPress(x, y), LongPress(gx, gy)):
            apart = distance(_thousandths(x, y, golden.size), _thousandths(gx, gy, golden.size))
            return apart <= 0.14 * 1000
        case (Type(text), Type(golden_text)) | (Open(text), Open(golden_text)):
            return text == golden_text or _first_word(text) == _first_word(golden_text)
    return direction(predicted, golden.size) == direction(golden.action, golden.size)


def _thousandths(x: float, y: float, size: Size) -> Point:
    return x * 1000 / size[0], y * 1000 / size[1]


def _first_word(text: str) -> str:
    """Return the part of a bracketed text that the source compares: up to the first space."""
    return f"[{text}]".split(maxsplit=1)[0].lower()


OdysseyScorer = Literal["odyssey", "agentcpm"]


def odyssey(
    predicted: Action | None,
    golden: Golden | Action,
    *,
    size: Size | None = None,
    scorer: OdysseyScorer = "odyssey",
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
        TaskError: if GUI-Odyssey has no such action or scorer, or the size is missing.
    """
    golden = as_golden(golden, size)
    if scorer == "agentcpm":
        if quirks and golden.action == Key("overview"):
            golden = replace(golden, action=Key("home"))
        return agentcpm.evaluate("GUI-Odyssey", predicted, golden)
    if scorer != "odyssey":
        raise no_such_scorer(scorer, get_args(OdysseyScorer))

    def is_exact(predicted: Action, golden: Golden) -> bool:
        match predicted, golden.action:
            case (Tap(x, y), Tap(gx, gy)) | (LongPress(x, y), LongPress(gx, gy)):
                apart = distance(fraction(x, y, golden.size), fraction(gx, gy, golden.size))
                return hits((x, y), (Box(*box) for box in golden.boxes)) or apart <= 0.14
            case Type() as typed, Type() as wanted:
                texts = (
                    each.text.partition(":")[0] if quirks else each.text for each in (typed, wanted)
                )
                one, other = map(str.strip, texts)
                return one_in_other(one, other) or edit_similarity(one, other) >= 0.5
        return direction(predicted, golden.size) == direction(golden.action, golden.size)

    return compared("GUI-Odyssey", _COMMANDS, predicted, golden, is_exact)
