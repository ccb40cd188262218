"""The canonical actions of a mobile GUI agent, and checks that a screen permits them.

Those with a finger on the screen, and what coordinates and directions mean, are in `gestures`.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_mobileagent.action.gestures import (
    Direction,
    DoubleTap,
    LongPress,
    Scroll,
    Swipe,
    Tap,
    Touch,
)
from pytest_mobileagent.errors import ScreenError, did_you_mean
from pytest_mobileagent.jsonable import cut, to_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent.screen import Screen


KeyName = Literal[
    "back", "home", "overview", "enter", "delete", "tab", "menu", "escape", "volume_up",
    "volume_down",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Type:
    """Type text into the focused field.

    `at` is tapped first, to focus the field there; `clear` empties the field before typing, and
    `enter` presses the enter key afterwards.
    """

    text: str
    at: tuple[int, int] | None = None
    clear: bool = False
    enter: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """Press a key of the phone."""

    name: KeyName


@dataclass(frozen=True, slots=True)
class Open:
    """Start an app, by its package."""

    app: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for `seconds`."""

    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the user a question."""

    question: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Report that the goal is met, with the answer if the goal asked for one."""

    answer: str = ""


@dataclass(frozen=True, slots=True)
class Impossible:
    """Report that the goal cannot be met."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """A command of an external program, verbatim, for which there is no canonical action.

    Recorded actions of a newer version that this version does not know are also read as `Raw`.
    """

    command: str


Action = Touch | Type | Key | Open | Wait | Ask | Finish | Impossible | Raw

ACTIONS: tuple[type[Any], ...] = get_args(Action)
_BY_NAME = {action.__name__: action for action in ACTIONS}


def ends_episode(action: Action) -> bool:
    """Return whether an action is the agent's report that it is done or gives up."""
    return isinstance(action, Finish | Impossible)


def to_json(action: Action) -> dict[str, Any]:
    """Return the action as plain data: its fields, and its class name as "action"."""
    names = (each.name for each in dataclasses.fields(action))
    return {"action": type(action).__name__, **{name: getattr(action, name) for name in names}}


def from_json(data: Mapping[str, Any]) -> Action:
    """Return the action that `to_json` serialised as `data`; unknown actions become `Raw`."""
    fields = dict(data)
    kind = _BY_NAME.get(str(fields.pop("action", None)))
    if isinstance(fields.get("at"), list):
        fields["at"] = tuple(fields["at"])
    try:
        action: Action = kind(**fields) if kind else Raw(to_line(data))
    except TypeError:  # a field that a newer version has added
        return Raw(to_line(data))
    return action


LONGEST_WAIT = 60.0
LONGEST_TEXT = 100_000  # characters; typing them may take a phone half a minute


def check(action: object, size: tuple[int, int]) -> Action:
    """Return the action if it can be performed on a screen of `size` (width, height in pixels).

    Raises:
        ValueError: if the value is not an action, has a field of the wrong type or too long a text,
            or refers to a point outside the screen.
    """
    if not isinstance(action, Action) or type(action) not in ACTIONS:
        raise ValueError(f"{action!r} is not an action (it is of type {type(action).__name__})")
    for x, y in _points(action):
        _check_point(action, x, y, size)
    for text in _texts(action):
        _check_text(action, text)
    if isinstance(action, Type):
        _check_flags(action, action.clear, action.enter)
    if isinstance(action, Key):
        _check_choice(action, action.name, get_args(KeyName))
    if isinstance(action, Scroll):
        _check_choice(action, action.direction, get_args(Direction))
    if isinstance(action, LongPress | Swipe | Wait):
        _check_seconds(action, action.seconds)
    return action


def _points(action: Action) -> Iterator[tuple[Any, Any]]:
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y):
            yield x, y
        case Swipe(x1, y1, x2, y2):
            yield x1, y1
            yield x2, y2
        case Type(at=at) | Scroll(at=at) if at is not None:
            if not (isinstance(at, tuple) and len(at) == 2):
                raise ValueError(f"{action!r}: `at` must be a pair of pixels, (x, y)")
            yield at


def _texts(action: Action) -> Iterator[Any]:
    match action:
        case Type(text) | Open(text) | Ask(text) | Finish(text) | Impossible(text):
            yield text


def _check_point(action: Action, x: Any, y: Any, size: tuple[int, int]) -> None:
    if not (_is_int(x) and _is_int(y)):
        raise ValueError(f"{action!r}: coordinates must be whole pixels")
    if not (0 <= x < size[0] and 0 <= y < size[1]):
        msg = f"{action!r}: ({x}, {y}) is outside the screen, which is {size[0]}x{size[1]}"
        raise ValueError(msg)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_text(action: Action, text: Any) -> None:
    if not isinstance(text, str):
        raise ValueError(f"{action!r}: the text must be a string, not {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        what = f"the text of {type(action).__name__} has {len(text)} characters"
        raise ValueError(f"{what}; the maximum is {LONGEST_TEXT}")
    if "\0" in text or re.search("[\ud800-\udfff]", text):
        raise ValueError(f"{action!r}: the text must not contain NUL or a lone surrogate")


def _check_flags(action: Type, *flags: Any) -> None:
    if not all(isinstance(flag, bool) for flag in flags):
        raise ValueError(f"{action!r}: `clear` and `enter` must be True or False")


def _check_choice(action: Action, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        hint = did_you_mean(str(value), choices)
        raise ValueError(f"{action!r}: {value!r} is not one of {', '.join(choices)}{hint}")


def _check_seconds(action: Action, seconds: Any) -> None:
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= LONGEST_WAIT:
        raise ValueError(f"{action!r}: seconds must be a number from 0 to {LONGEST_WAIT:g}")


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
            return f"{verb} {cut(str(word), _SHORT)}"
    return f"{verb} {getattr(action, 'seconds', '')} s"


def _target(screen: Screen, x: int, y: int) -> str:
    try:
        label = next((e.label for e in screen.at(x, y) if e.label), "")
    except (ScreenError, TypeError):  # an agent's coordinates may not be numbers
        label = ""
    return _quoted(label) if label else f"({x}, {y})"


def _quoted(text: object) -> str:
    return f'"{cut(" ".join(str(text).split()), _SHORT)}"'
