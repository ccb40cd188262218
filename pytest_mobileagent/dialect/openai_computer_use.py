"""OpenAI's computer use: the actions of a `computer_call`, as JSON, and functions for a phone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pytest_mobileagent.action import Action, Type, Wait
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import computer
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, unknown
from pytest_mobileagent.dialect.reading import amount, point

SCREENSHOT = "screenshot"

_WAIT = 2.0  # seconds, as in OpenAI's examples
_SLOW = 0.6  # seconds of a swipe that, like a mouse wheel, does not fling the page


@dataclass(frozen=True, slots=True)
class OpenAiComputerUse(Dialect):
    """The actions of a `computer_call`. Coordinates are pixels of the picture that was sent.

    A reply is the JSON of the call's arguments (`{"action": {…}}` or `{"actions": […]}`), of one
    action (`{"type": "click", …}`), or of a list of any of these. A function call is
    `{"name": "open_app", "arguments": {"name": "Clock"}}`; `computer.PHONE_FUNCTIONS` lists the
    functions that a computer does not have (back, home, …). A closing message is
    `{"type": "message", "content": "…"}`.

    On a touchscreen, a right click is a long press, and the button "back" is the back key. Moving
    the pointer has no effect; a reply that does nothing else is the signal "mouse". A drag is a
    straight line from its first to its last point. `scroll_x` and `scroll_y` are the pixels by
    which the content moves left and up: half of the picture's width or height is a `Scroll`, any
    other distance is a `Swipe` around the point, as far as the screen allows. Keys held during an
    action are ignored. "screenshot" is a signal.

    Source: OpenAI's API reference (Responses, computer_call), guide "Computer use", and the types
    of the package `openai`. The API has no environment for phones: the effect of a mouse on a
    touchscreen is this project's interpretation.
    """

    name = "openai_computer_use"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        actions: list[Action] = []
        signal, moved = "", False
        for each in _flat(computer.json_value(words)):
            if each.get("type") == "screenshot":
                signal = SCREENSHOT
            else:
                actions += self._actions(each, frame)
                moved = moved or each.get("type") == "move"
        mouse = computer.MOUSE if moved and not actions else ""
        return Decision(tuple(actions), signal=signal or mouse)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision as JSON: an object for one action, otherwise a list."""
        calls = [self._call_of(action, frame) for action in decision.actions]
        if decision.signal == SCREENSHOT:
            calls.append({"type": "screenshot"})
        elif decision.signal:
            raise cannot_say(self.name, decision.signal)
        return json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False)

    def _actions(self, call: dict[str, Any], frame: Frame) -> list[Action]:
        name = call.get("type")
        if name in (None, "function", "function_call", "message"):
            return [computer.function_action(call, lambda at: frame.pixel(*at))]
        match name:
            case "click":
                return [_click(str(call.get("button", "left")), call, frame)]
            case "double_click":
                return [DoubleTap(*frame.pixel(*point(call)))]
            case "scroll":
                return _scroll(call, frame)
            case "drag":
                return [_drag(call.get("path"), frame)]
            case "type":
                return [computer.typed(call.get("text"))]
            case "keypress":
                return [computer.one_key(call.get("keys", call.get("key")))]
            case "wait":
                return [Wait(amount(call.get("duration", _WAIT)))]
            case "move":
                return []
        raise unknown("action", name)

    def _call_of(self, action: Action, frame: Frame) -> dict[str, Any]:
        match action:
            case Tap(x, y):
                return {"type": "click", "button": "left", **_at(x, y, frame)}
            case LongPress(x, y):
                return {"type": "click", "button": "right", **_at(x, y, frame)}
            case DoubleTap(x, y):
                return {"type": "double_click", **_at(x, y, frame)}
            case Swipe(x1, y1, x2, y2):
                return {"type": "drag", "path": [_at(x1, y1, frame), _at(x2, y2, frame)]}
            case Scroll(direction, (x, y)):
                return _scrolling(direction, x, y, frame)
            case Type():
                return {"type": "type", "text": computer.typed_text(action, self.name)}
            case Wait(seconds) if seconds == _WAIT:
                return {"type": "wait"}
            case Wait(seconds):
                return {"type": "wait", "duration": seconds}
        return computer.function_call(action, self.name)


def _flat(value: Any) -> list[dict[str, Any]]:
    """Return the individual actions and function calls, unpacked from lists and arguments."""
    if isinstance(value, list):
        return [each for one in value for each in _flat_item(one)]
    return _flat_item(value)


def _flat_item(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        raise DialectError(f"{quoted(value)} is not an action")
    inner = value.get("actions") or value.get("action")
    if inner is None or isinstance(inner, str):
        return [value]
    several = inner if isinstance(inner, list) else [inner]
    for each in several:
        if not isinstance(each, dict):
            raise DialectError(f"{quoted(each)} is not an action")
    return several


def _click(button: str, call: dict[str, Any], frame: Frame) -> Action:
    if button == "back":
        return computer.one_key("back")
    if button not in {"left", "right"}:
        raise DialectError(f"a touchscreen has no button {quoted(button)}")
    at = frame.pixel(*point(call))
    return Tap(*at) if button == "left" else LongPress(*at)


def _drag(path: object, frame: Frame) -> Swipe:
    if not isinstance(path, list) or len(path) < 2:
        raise DialectError(f"a drag needs a path of two points, not {quoted(path)}")
    return Swipe(*frame.pixel(*point(path[0])), *frame.pixel(*point(path[-1])))


def _scroll(call: dict[str, Any], frame: Frame) -> list[Action]:
    across, down = (amount(call.get(name, call.get(other, 0))) for name, other in _SCROLLS)
    if not across and not down:
        return []
    at = frame.pixel(*point(call))
    width, height = frame.shown or frame.size
    if not across and abs(down) == height // 2:
        return [Scroll("up" if down > 0 else "down", at)]
    if not down and abs(across) == width // 2:
        return [Scroll("left" if across > 0 else "right", at)]
    x1, x2 = computer.scrolled_path(at[0], across * frame.size[0] / width, frame.size[0])
    y1, y2 = computer.scrolled_path(at[1], down * frame.size[1] / height, frame.size[1])
    return [Swipe(x1, y1, x2, y2, _SLOW)]


_SCROLLS = (("scroll_x", "scrollX"), ("scroll_y", "scrollY"))


def _scrolling(direction: Direction, x: int, y: int, frame: Frame) -> dict[str, Any]:
    width, height = frame.shown or frame.size
    across = {"left": width // 2, "right": -(width // 2)}.get(direction, 0)
    down = {"up": height // 2, "down": -(height // 2)}.get(direction, 0)
    return {"type": "scroll", **_at(x, y, frame), "scroll_x": across, "scroll_y": down}


def _at(x: int, y: int, frame: Frame) -> dict[str, int]:
    left, top = frame.whole(x, y)
    return {"x": left, "y": top}
