"""The scorer of OS-Atlas.

Source: OS-Copilot/OS-Atlas, eval/eval_scripts/android_control/evaluation_unify.py (arXiv
2410.23218). It compares actions as text, such as "TYPE [Oslo]".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from pytest_mobileagent.action.matching import NO_MATCH, Match, cannot_be_golden, judged
from pytest_mobileagent.action.matching.geometry import direction, distance

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Golden, Size
    from pytest_mobileagent.action.matching.geometry import Point


def evaluate(rule: str, predicted: Action | None, golden: Golden) -> Match:
    """Compare an action with the golden one as OS-Atlas does.

    - Types are the names of its commands: each key is a separate type.
    - Taps, long presses: correct at most 140 thousandths of the screen from the golden point, each
      axis in thousandths separately. The source has only whole thousandths; here, points are not
      rounded.
    - Typing, `Open`: correct if the texts are equal. The source also requires a token F1 above 0.5,
      but of one word only. So texts are also correct if their first words are equal, ignoring case.
      The last word of a text includes the closing bracket: "Oslo" is not the first word of "Oslo
      S".
    - Scrolls: correct in the finger's direction. Everything else: correct if of the same type.

    Raises:
        TaskError: if OS-Atlas has no action like the golden one.
    """
    wanted = _type(golden.action) or cannot_be_golden(f"{rule} (os-atlas)", golden.action)
    if predicted is None or _type(predicted) != wanted:
        return judged(rule, predicted, golden, NO_MATCH)
    match predicted, golden.action:
        case (Tap(x, y), Tap(gx, gy)) | (LongPress(x, y), LongPress(gx, gy)):
            apart = distance(_thousandths(x, y, golden.size), _thousandths(gx, gy, golden.size))
            exact = apart <= 0.14 * 1000
        case (Type(text), Type(golden_text)) | (Open(text), Open(golden_text)):
            exact = text == golden_text or _first_word(text) == _first_word(golden_text)
        case ((Swipe() | Scroll()), _):
            exact = direction(predicted, golden.size) == direction(golden.action, golden.size)
        case _:
            exact = True
    return judged(rule, predicted, golden, Match(type=True, exact=exact))


_TYPES: dict[type, str] = {
    Tap: "CLICK",
    LongPress: "LONG_PRESS",
    Swipe: "SCROLL",
    Scroll: "SCROLL",
    Type: "TYPE",
    Open: "OPEN_APP",
    Wait: "WAIT",
    Finish: "COMPLETE",
    Impossible: "IMPOSSIBLE",
}


def _type(action: Action) -> str | None:
    if isinstance(action, Key):
        return f"PRESS_{action.name.upper()}"
    return _TYPES.get(type(action))


def _thousandths(x: float, y: float, size: Size) -> Point:
    return x * 1000 / size[0], y * 1000 / size[1]


def _first_word(text: str) -> str:
    """Return the part of a bracketed text that the source compares: up to the first space."""
    return f"[{text}]".split(maxsplit=1)[0].lower()
