"""Describes actions in plain words, for people and for the histories shown to models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Raw,
    Scroll,
    Swipe,
    Tap,
    Type,
)
from pytest_mobileagent.errors import ScreenError

if TYPE_CHECKING:
    from pytest_mobileagent.screen.screen import Screen


_VERBS = {LongPress: "long press", DoubleTap: "double tap", Impossible: "give up"}
_SHORT = 40  # characters of an action's text


def in_words(action: Action, screen: Screen) -> str:
    """Return an action in words, with the name of the element that it touches.

    Texts of more than 40 characters are cut.
    """
    verb = _VERBS.get(type(action), type(action).__name__.lower())
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y):
            return f"{verb} {_target(screen, x, y)}"
        case Swipe(x1, y1, x2, y2):
            return f"{verb} ({x1}, {y1}) to ({x2}, {y2})"
        case Type(text) | Ask(text) | Finish(text) | Impossible(text) | Raw(text):
            return f"{verb} {_quoted(text)}" if text else verb
        case Scroll(word) | Key(word) | Open(word):
            return f"{verb} {_cut(str(word))}"
    return f"{verb} {getattr(action, 'seconds', '')} s"


def _target(screen: Screen, x: int, y: int) -> str:
    try:
        label = next((e.label for e in screen.at(x, y) if e.label), "")
    except (ScreenError, TypeError):  # an agent's coordinates may not be numbers
        label = ""
    return _quoted(label) if label else f"({x}, {y})"


def _quoted(text: object) -> str:
    return f'"{_cut(" ".join(str(text).split()))}"'


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"
