"""Gemini's computer use: calls of its predefined functions as JSON, and functions for a phone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from pytest_mobileagent.action import Action, Key, KeyName, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import computer
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted
from pytest_mobileagent.dialect.reading import OPPOSITE, amount, name_for, object_in, text
from pytest_mobileagent.dialect.reading import direction as as_direction

Environment = Literal["mobile", "browser"]

SCREENSHOT, LIST_APPS = "screenshot", "list_apps"
SCALE = (1000.0, 1000.0)
_SIGNALS = {"take_screenshot": SCREENSHOT, "open_web_browser": SCREENSHOT, "list_apps": LIST_APPS}
_WAIT, _HOLD, _OLDER_WAIT = 1.0, 2.0, 5.0  # the default seconds; older functions wait longer
_SLOW = 0.6  # seconds of a swipe that, like a mouse wheel, does not fling the page
_MAGNITUDE = 800.0  # of a scroll, in thousandths of the screen; this is our `Scroll`
# Functions without a point or a text, and the keys that they press; `recents` is our own.
_KEYS: dict[str, KeyName] = {"go_back": "back", "go_home": "home", "recents": "overview"}
_DESKTOP_ONLY = {
    "go_forward": "no key that goes forward",
    "search": "no search page of its own: open an app",
    "navigate": "no address bar of its own: open a browser, and type there",
}


@dataclass(frozen=True, slots=True)
class GeminiComputerUse(Dialect):
    """The predefined functions. Coordinates go from 0 to 999, in thousandths of the screen.

    A reply is the JSON of a call, `{"name": "click", "arguments": {"x": 500, "y": 250}}`, or a list
    of calls; `args` may stand for `arguments`. `computer.PHONE_FUNCTIONS` (ask_user, give_up, …)
    are read, too. A closing message is `{"type": "message", "content": "…"}`.

    `environment` selects the names in which decisions are printed; those of both generations are
    read. "mobile" has click, long_press, type, drag_and_drop, press_key, go_back, open_app and
    wait, and the signals "list_apps" and "screenshot". "browser" is older (click_at, type_text_at,
    scroll_at, …); agents declare go_home, open_app and long_press_at in addition.

    The direction of a scroll is the content's. `scroll_at` is a `Scroll` for the usual magnitude
    of 800, and a `Swipe` of that length for others, as far as the screen allows. Hovering has no
    effect; a reply that does nothing else is the signal "mouse". Pages and key combinations of a
    browser are errors, because a phone does not have them.

    `parse_strictly` reads calls as the two programs below do: points and magnitudes must be
    numbers, and keys are back, escape, home, enter and return.

    Source: Google's documentation "Computer Use" of the Gemini API; google-gemini/
    computer-use-preview, `agent.py` (the older functions, with their defaults); Tongyi-MAI/
    MobileWorld, `gemini_cua_agent.py` (the mobile functions on Android).
    """

    name = "gemini_computer_use"
    environment: Environment = "mobile"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        actions: list[Action] = []
        signal, hovered = "", False
        for name, given in _calls(computer.json_value(words)):
            signal = _SIGNALS.get(name, signal)
            if name not in _SIGNALS:
                actions += _actions(name, given, frame)
            hovered = hovered or name == "hover_at"
        signal = signal or (computer.MOUSE if hovered and not actions else "")
        return Decision(tuple(actions), signal=signal)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        for name, given in _calls(computer.json_value(words)):
            for field in _NUMBERS & given.keys():
                if not isinstance(given[field], int | float) or isinstance(given[field], bool):
                    raise DialectError(f"{field} of {quoted(name)} is {quoted(given[field])}")
            if name == "press_key" and str(given.get("key")).lower() not in _STRICT_KEYS:
                raise DialectError(f"there is no key {quoted(given.get('key'))}")
        return self._read(words, frame)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision as JSON: an object for one call, a list for several."""
        calls = [each for action in decision.actions for each in self._calls_of(action, frame)]
        if decision.signal:
            names = {SCREENSHOT: "take_screenshot", LIST_APPS: "list_apps"}
            name = names.get(decision.signal) if self.environment == "mobile" else None
            if name is None:
                raise cannot_say(self.name, decision.signal)
            calls.append(_call(name))
        return json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False)

    def _calls_of(self, action: Action, frame: Frame) -> list[dict[str, Any]]:
        match action:
            case Swipe(x1, y1, x2, y2):
                ends = (*frame.thousandths(x1, y1), *frame.thousandths(x2, y2))
                names = _DRAGS[self.environment]
                return [_call("drag_and_drop", **dict(zip(names, ends, strict=True)))]
            case Open(app):
                return [_call("open_app", app_name=app)]
            case Key("overview"):
                return [_call("recents")]
            case Key("back"):
                return [_call("go_back")]
        if self.environment == "browser":
            return [_older_call(action, frame)]
        match action:
            case Tap(x, y):
                return [_call("click", **_at(x, y, frame))]
            case LongPress(x, y, seconds):
                return [_call("long_press", **_at(x, y, frame), seconds=seconds)]
            case Type(typed, None, False, enter):
                return [_call("type", text=typed, press_enter=enter)]
            case Key(key):
                return [_call("press_key", key=key)]
            case Wait(seconds):
                return [_call("wait", seconds=seconds)]
        return [computer.function_call(action, self.name)]


_DRAGS: dict[Environment, tuple[str, str, str, str]] = {
    "mobile": ("start_x", "start_y", "end_x", "end_y"),
    "browser": ("x", "y", "destination_x", "destination_y"),
}
_NUMBERS = {name for names in _DRAGS.values() for name in names} | {"magnitude", "seconds"}
_STRICT_KEYS = {"back", "escape", "home", "enter", "return"}


def _calls(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and arguments of calls; a closing message has the name "message"."""
    found = []
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, dict):
            raise DialectError(f"{quoted(each)} is not a call of a function")
        if each.get("type") == "message":
            found.append(("message", each))
            continue
        given = each.get("arguments", each.get("args"))
        given = object_in(given) if isinstance(given, str) and given.strip() else given or {}
        if not isinstance(given, dict):
            raise DialectError(f"the arguments of {quoted(each.get('name'))} are {quoted(given)}")
        found.append((str(each.get("name")), given))
    return found


def _actions(name: str, given: dict[str, Any], frame: Frame) -> list[Action]:
    match name:
        case "click" | "click_at":
            return [Tap(*_pixel(given, "x", "y", frame))]
        case "long_press" | "long_press_at":
            return [LongPress(*_pixel(given, "x", "y", frame), amount(given.get("seconds", _HOLD)))]
        case "type":
            return [Type(text(given.get("text"), name), enter=_flag(given, "press_enter"))]
        case "type_text_at":
            return [_typed_at(given, frame)]
        case "drag_and_drop":
            return [_dragged(given, frame)]
        case "scroll_document":
            return [Scroll(OPPOSITE[as_direction(given.get("direction"))])]
        case "scroll_at":
            return _scrolled(given, frame)
        case "press_key" | "key_combination":
            return [computer.one_key(given.get("key", given.get("keys")))]
        case "open_app":
            return [Open(text(given.get("app_name", given.get("name")), name))]
        case "wait":
            return [Wait(amount(given.get("seconds", _WAIT)))]
        case "wait_5_seconds":
            return [Wait(_OLDER_WAIT)]
        case "hover_at":
            return []
    if name in _KEYS:
        return [Key(_KEYS[name])]
    if name in _DESKTOP_ONLY:
        raise DialectError(f"a phone has {_DESKTOP_ONLY[name]}")
    call = given if name == "message" else {"name": name, "arguments": given}
    return [computer.function_action(call, lambda at: frame.pixel(*at, SCALE))]


def _pixel(given: dict[str, Any], x: str, y: str, frame: Frame) -> tuple[int, int]:
    return frame.pixel(amount(given.get(x), x), amount(given.get(y), y), SCALE)


def _flag(given: dict[str, Any], name: str, default: bool = False) -> bool:
    value = given.get(name)
    return default if value is None else str(value).strip().lower() == "true"


def _typed_at(given: dict[str, Any], frame: Frame) -> Type:
    return Type(
        text(given.get("text"), "type_text_at"),
        at=_pixel(given, "x", "y", frame),
        clear=_flag(given, "clear_before_typing", default=True),
        enter=_flag(given, "press_enter"),
    )


def _dragged(given: dict[str, Any], frame: Frame) -> Swipe:
    x1, y1, x2, y2 = _DRAGS["browser" if "destination_x" in given else "mobile"]
    return Swipe(*_pixel(given, x1, y1, frame), *_pixel(given, x2, y2, frame))


def _scrolled(given: dict[str, Any], frame: Frame) -> list[Action]:
    at = _pixel(given, "x", "y", frame)
    finger = OPPOSITE[as_direction(given.get("direction"))]
    magnitude = amount(given.get("magnitude", _MAGNITUDE))
    if magnitude == _MAGNITUDE:
        return [Scroll(finger, at)]
    way = magnitude / 1000 if finger in {"up", "left"} else -magnitude / 1000
    across, down = (0.0, way) if finger in {"up", "down"} else (way, 0.0)
    x1, x2 = computer.scrolled_path(at[0], across * frame.size[0], frame.size[0])
    y1, y2 = computer.scrolled_path(at[1], down * frame.size[1], frame.size[1])
    return [Swipe(x1, y1, x2, y2, _SLOW)] if (x1, y1) != (x2, y2) else []


def _call(name: str, **given: Any) -> dict[str, Any]:
    return {"name": name, "arguments": given}


def _at(x: int, y: int, frame: Frame) -> dict[str, int]:
    left, top = frame.thousandths(x, y)
    return {"x": left, "y": top}


def _older_call(action: Action, frame: Frame) -> dict[str, Any]:
    """Return the call that expresses an action in the names of the older generation."""
    match action:
        case Tap(x, y):
            return _call("click_at", **_at(x, y, frame))
        case LongPress(x, y, seconds):
            return _call("long_press_at", **_at(x, y, frame), seconds=seconds)
        case Type(typed, (x, y), clear, enter):
            more = {"press_enter": enter, "clear_before_typing": clear}
            return _call("type_text_at", **_at(x, y, frame), text=typed, **more)
        case Scroll(direction, None):
            return _call("scroll_document", direction=OPPOSITE[direction])
        case Scroll(direction, (x, y)):
            return _call("scroll_at", **_at(x, y, frame), direction=OPPOSITE[direction])
        case Wait(seconds) if seconds == _OLDER_WAIT:
            return _call("wait_5_seconds")
        case Key(key):
            name = name_for(key, _KEYS)
            return _call(name) if name else _call("key_combination", keys=key)
    return computer.function_call(action, GeminiComputerUse.name)
