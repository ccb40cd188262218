"""The canonical actions of a mobile GUI agent.

Coordinates are pixels of the screen that the agent saw, (0, 0) at the top left. Directions are
those of the finger: scrolling "up" moves the finger up and shows what is further down.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, get_args

Direction = Literal["up", "down", "left", "right"]
KeyName = Literal["back", "home", "overview", "enter", "delete", "tab", "volume_up", "volume_down"]


@dataclass(frozen=True, slots=True)
class Tap:
    """Touch the pixel (x, y) and let go."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class LongPress:
    """Touch the pixel (x, y) and hold it for `seconds`."""

    x: int
    y: int
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class DoubleTap:
    """Tap the pixel (x, y) twice, fast enough for Android to take it as one gesture."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Swipe:
    """Move a finger from (x1, y1) to (x2, y2) within `seconds`."""

    x1: int
    y1: int
    x2: int
    y2: int
    seconds: float = 0.3


@dataclass(frozen=True, slots=True)
class Scroll:
    """Move a finger over half of the screen in a direction, through `at` or the screen's centre."""

    direction: Direction
    at: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Type:
    """Type text into the focused field.

    `at` is tapped first, to focus the field there; `clear` empties the field before, `enter`
    presses the enter key afterwards.
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


Touch = Tap | LongPress | DoubleTap | Swipe | Scroll
Action = Touch | Type | Key | Open | Wait | Ask | Finish | Impossible

ACTIONS: tuple[type[Any], ...] = get_args(Action)
_BY_NAME = {action.__name__: action for action in ACTIONS}


def ends_episode(action: Action) -> bool:
    """Whether the agent reports with this action that it is done."""
    return isinstance(action, Finish | Impossible)


def to_json(action: Action) -> dict[str, Any]:
    """Return the action as plain data: its fields, and its class name as "action"."""
    return {"action": type(action).__name__, **dataclasses.asdict(action)}


def from_json(data: dict[str, Any]) -> Action:
    """Return the action that `to_json` made `data` of.

    Raises:
        ValueError: there is no such action, or it has no such fields.
    """
    fields = dict(data)
    name = fields.pop("action", None)
    if not isinstance(name, str) or name not in _BY_NAME:
        msg = f"no action is called {name!r} (there are {', '.join(_BY_NAME)})"
        raise ValueError(msg)
    try:
        if fields.get("at") is not None:
            fields["at"] = tuple(fields["at"])
        action: Action = _BY_NAME[name](**fields)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return action
