"""What an agent did, in words for a judge: complete, so that what was typed can be compared."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import (
    Ask,
    DoubleTap,
    Key,
    LongPress,
    Open,
    Raw,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.judge import fence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.judge.frames import Frame
    from pytest_mobileagent.judge.prompts.wording import Verbs
    from pytest_mobileagent.screen.screen import Screen

_LONGEST = 400  # characters of one text of an action
_LONGEST_LABEL = 80  # of an element, which may be one that holds many others
_MOST = 20  # actions of one step; programs may do hundreds


def quoted(text: object) -> str:
    """Return a text of the agent or an app in quotation marks, on one line."""
    return fence.quoted(text, _LONGEST)


def in_words(frame: Frame, verbs: Verbs, quote: Callable[[object], str] = quoted) -> str:
    """Return on one line what was done on a frame, and what could not be; "nothing" if nothing.

    `quote` shows what is not ours: typed text, labels of elements, what the user replied.
    """
    done = _each(frame.actions, frame.screen, verbs, quote)
    if frame.reply is not None:
        done.append(f"{verbs.replied} {quote(frame.reply)}")
    undone = _each(frame.undone, frame.screen, verbs, quote)
    if undone or frame.notice:
        done.append(" ".join([verbs.not_done, verbs.then.join(undone)]).strip())
        if frame.notice:
            done[-1] += f" ({quote(frame.notice)})"
    return verbs.then.join(done) or verbs.nothing


def _each(
    actions: Sequence[Action], screen: Screen, verbs: Verbs, quote: Callable[[object], str]
) -> list[str]:
    told = [_in_words(action, screen, verbs, quote) for action in actions[:_MOST]]
    more = len(actions) - len(told)
    return [*told, verbs.more.replace("{COUNT}", str(more))] if more else told


def _in_words(  # noqa: PLR0911 - a case for each kind of action
    action: Action, screen: Screen, verbs: Verbs, quote: Callable[[object], str]
) -> str:
    verb = verbs.of.get(type(action), type(action).__name__)
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y):
            return f"{verb} {_target(screen, x, y, quote)}"
        case Swipe(x1, y1, x2, y2):
            return f"{verb} {_point(x1, y1)} {verbs.to} {_point(x2, y2)}"
        case Scroll(direction):
            return f"{verb} {verbs.directions.get(direction, quote(direction))}"
        case Type():
            return _typed(action, screen, verbs, quote)
        case Key(name):
            return f"{verb} {verbs.keys.get(name, quote(name))}"
        case Ask(text) | Raw(text) | Open(text):
            return f"{verb} {quote(text)}"
        case Wait(seconds):
            return f"{verb} {seconds:g} s" if isinstance(seconds, int | float) else verb
    return verb


def _typed(action: Type, screen: Screen, verbs: Verbs, quote: Callable[[object], str]) -> str:
    parts = [f"{verbs.of[Type]} {quote(action.text)}"]
    if action.at is not None:
        parts.append(f"{verbs.into} {_target(screen, *action.at, quote)}")
    if action.clear:
        parts.append(verbs.cleared)
    if action.enter:
        parts.append(verbs.entered)
    return " ".join(parts)


def _target(screen: Screen, x: int, y: int, quote: Callable[[object], str]) -> str:
    try:
        label = next((element.label for element in screen.at(x, y) if element.label), "")
    except (ScreenError, TypeError):  # no hierarchy, or the agent's coordinates are no numbers
        label = ""
    if not label:
        return _point(x, y)
    short = label if len(label) <= _LONGEST_LABEL else f"{label[:_LONGEST_LABEL]}…"
    return f"{quote(short)} {_point(x, y)}"


def _point(x: int, y: int) -> str:
    """Return a point; an agent's coordinates may be anything."""
    return f"({_number(x)}, {_number(y)})"


def _number(value: float) -> str:
    is_one = isinstance(value, int | float) and math.isfinite(value)
    return str(round(value)) if is_one else "?"
