"""The actions of AndroidControl, in Google's JSON and in the format of later evaluations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, unknown
from pytest_mobileagent.dialect.qwen import BUTTONS, action_without_point, mobile_use
from pytest_mobileagent.dialect.reading import (
    OPPOSITE,
    name_for,
    number,
    object_in,
    point,
    spoken,
    text,
)
from pytest_mobileagent.dialect.reading import direction as as_direction

if TYPE_CHECKING:
    from collections.abc import Mapping

_Data = dict[str, Any]
_WITHOUT_ARGUMENTS: dict[str, Action] = {
    "navigate_home": Key("home"),
    "navigate_back": Key("back"),
    "wait": Wait(),
}


@dataclass(frozen=True, slots=True)
class AndroidControl(Dialect):
    """`{"action_type": "click", "x": 540, "y": 2273}`, or `{"action": "click", "coordinate": …}`.

    Points are pixels of the screenshot. Both forms are read; `form` says which one is printed.

    - "original": the format of the data set (README of google-research/android_control; arXiv
      2406.03679). The direction of `scroll` is the content's: "down" shows content further down.
      `type` taps, types and presses enter; `input_text` only types.
    - "mobile_use": the golden actions as UI-S1 (X-PLUG/MobileAgent) evaluates them, in the format
      of Qwen-VL's tool: swipes have two points, `type` only types, `system_button` has four names
      (Menu shows the recent apps), `terminate` and `answer` end the episode.
    """

    name = "androidcontrol"
    title = "AndroidControl"

    form: Literal["original", "mobile_use"] = "original"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        data = object_in(spoken(words), "action_type", "action")
        return (_original if "action_type" in data else _mobile_use)(data, frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        data = (_original_fields if self.form == "original" else mobile_use)(action, frame)
        if data is None:
            raise cannot_say(f"{self.title} ({self.form})", action)
        return json.dumps(data, ensure_ascii=False)


def _original(data: _Data, frame: Frame) -> Action:
    name = text(data["action_type"]).strip().lower()
    if name in _WITHOUT_ARGUMENTS:
        return _WITHOUT_ARGUMENTS[name]
    match name:
        case "click":
            return Tap(*_xy(data, frame))
        case "long_press":
            return LongPress(*_xy(data, frame))
        case "scroll":
            return Scroll(OPPOSITE[as_direction(data.get("direction"))])
        case "open_app":
            return Open(text(data.get("app_name")))
        case "type":
            return Type(text(data.get("text")), at=_xy(data, frame), enter=True)
        case "input_text":
            return Type(text(data.get("text")))
    raise unknown("action_type", name)


def _mobile_use(data: _Data, frame: Frame) -> Action:
    match text(data.get("action")).strip().lower():
        case "click":
            return Tap(*_coordinate(data, frame))
        case "long_press":
            return LongPress(*_coordinate(data, frame), seconds=_seconds(data))
        case "swipe":
            return Swipe(*_coordinate(data, frame), *_coordinate(data, frame, "coordinate2"))
        case "type" | "open" | "answer" as name:
            return action_without_point(name, {"text": text(data.get("text"))})
        case "wait":
            return Wait(_seconds(data))
        case "system_button" | "terminate" as name:
            return _named(name, data)
    raise unknown("action", str(data.get("action")))


def _named(name: str, data: _Data) -> Action:
    table: Mapping[str, Action] = {"Success": Finish(), "Failure": Impossible()}
    if name == "system_button":
        table = {button: Key(key) for button, key in BUTTONS.items()}
    value = text(data.get("button" if name == "system_button" else "status"))
    if value.strip().capitalize() not in table:
        raise DialectError(f"{name} must be one of {', '.join(table)}, not {quoted(value)}")
    return table[value.strip().capitalize()]


def _original_fields(action: Action, frame: Frame) -> _Data | None:
    match action:
        case Tap(x, y):
            return {"action_type": "click", **_as_xy(x, y, frame)}
        case LongPress(x, y):
            return {"action_type": "long_press", **_as_xy(x, y, frame)}
        case Scroll(direction, None):
            return {"action_type": "scroll", "direction": OPPOSITE[direction]}
        case Open(app):
            return {"action_type": "open_app", "app_name": app}
        case Type(typed, (x, y), False, True):
            return {"action_type": "type", "text": typed, **_as_xy(x, y, frame)}
        case Type(typed, None, False, False):
            return {"action_type": "input_text", "text": typed}
    name = name_for(Wait() if isinstance(action, Wait) else action, _WITHOUT_ARGUMENTS)
    return {"action_type": name} if name else None


def _xy(data: _Data, frame: Frame) -> tuple[int, int]:
    return frame.pixel(number(data.get("x"), "x"), number(data.get("y"), "y"))


def _coordinate(data: _Data, frame: Frame, name: str = "coordinate") -> tuple[int, int]:
    return frame.pixel(*point(data.get(name)))


def _seconds(data: _Data) -> float:
    return number(data.get("time", 1), "time")


def _as_xy(x: int, y: int, frame: Frame) -> _Data:
    px, py = frame.whole(x, y)
    return {"x": px, "y": py}
