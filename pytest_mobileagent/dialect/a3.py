"""The actions of A3 (Android Agent Arena): its device's dictionaries, and the paper's format."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted
from pytest_mobileagent.dialect.reading import direction, name_for, number, object_in, spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TOUCHES: Mapping[str, Callable[[int, int], Action]] = {
    "tap": Tap,
    "double_tap": DoubleTap,
    "long_press": LongPress,
}
_KEYS: Mapping[str, Action] = {"enter": Key("enter"), "back": Key("back"), "home": Key("home")}
_NAMES = (
    *("CLICK", "SCROLL", "TYPE", "ENTER", "BACK", "HOME"),
    *("COMPLETE", "IMPOSSIBLE", "OPEN", "LONG_PRESS", "WAIT"),
)
_NAME = "|".join(_NAMES).replace("_", "[_ ]")
# An action without brackets must have the line to itself.
_LINE = re.compile(
    rf"^[\s*`>-]*(?:action\W*)?({_NAME})[ \t]*(?:\[(.*)\]|\((.*)\))?[\s*`.]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CALL = re.compile(rf"\b({_NAME})[ \t]*(?:\[([^\]\n]*)\]|\(([^)\n]*)\))")
_QUOTED = re.compile(r"\"(.*)\"|'(.*)'")
_SECONDS_WAITED = 3.0


@dataclass(frozen=True, slots=True)
class A3(Dialect):
    """`{"action": "tap", "x": 100, "y": 100}`, or `CLICK[100,100]` with `space="paper"`.

    Source of the device's space: YuxiangChai/AITK, aitk/translators/base.py and
    aitk/utils/adb_controller.py. Coordinates are in pixels, durations in milliseconds, `time` in
    seconds. `type` clears the field first, unless `clear=False` (AITK's setting
    clear_before_type). As there, a swipe's duration may be called `time`, and a wait's `duration`.

    Source of the paper's space: A3 section 3.2, which names the actions CLICK, SCROLL, TYPE, ENTER,
    BACK, HOME, COMPLETE, IMPOSSIBLE, OPEN, LONG_PRESS and WAIT, but does not define the format of
    their arguments. AITK's only example is `CLICK[100,100]`. The other actions follow its pattern:
    a mark as `CLICK[5]`, the finger's direction as `SCROLL[up]` or with a mark as `SCROLL[5, up]`,
    an answer as `COMPLETE[…]`. The text before the last action is the "thought".

    In AITK's translators, an unreadable reply ends the episode.
    """

    name = "a3"
    title = "A3"
    on_error = "finish"
    space: Literal["device", "paper"] = "device"
    clear: bool = True

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        reply = spoken(words)
        if self.space == "device":
            return self._of_device(object_in(reply), frame)
        thought, name, argument = _call(reply)
        parts = {"thought": thought} if thought else {}
        return Decision((self._of_paper(name, argument, frame),), parts)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        if isinstance(action, Type) and (action.at or action.enter or action.clear != self.clear):
            raise cannot_say(self.title, action)
        if self.space == "device":
            return json.dumps(_printed(action, frame), ensure_ascii=False)
        thought = parts.get("thought", "")
        return (f"{thought}\n" if thought else "") + _printed_call(action, frame)

    def _of_device(self, fields: Mapping[str, Any], frame: Frame) -> Action:
        kind = str(fields.get("action")).strip().lower()
        if kind in _KEYS:
            return _KEYS[kind]
        if kind in _TOUCHES:
            at = _pixel(fields, "x", "y", frame)
            if kind == "long_press":
                return LongPress(*at, _milliseconds(fields.get("duration", 1000)))
            return _TOUCHES[kind](*at)
        if kind == "swipe":
            lasting = _milliseconds(fields.get("duration", fields.get("time", 1000)))
            start, end = _pixel(fields, "x1", "y1", frame), _pixel(fields, "x2", "y2", frame)
            return Swipe(*start, *end, lasting)
        if kind == "wait":
            lasting = number(fields.get("duration", fields.get("time", _SECONDS_WAITED)), "time")
            return Wait(min(max(lasting, 0.0), 60.0))
        if kind == "end":
            return Finish(str(fields.get("answer") or ""))
        if kind == "type" and "text" in fields:
            return Type(str(fields["text"]), clear=self.clear)
        if kind == "open" and fields.get("app"):
            return Open(str(fields["app"]))
        raise DialectError(f"there is no action {quoted(kind)}, or its text is missing")

    def _of_paper(self, name: str, argument: str, frame: Frame) -> Action:
        if name.lower() in _KEYS:
            return _KEYS[name.lower()]
        if name in {"CLICK", "LONG_PRESS"}:
            return (Tap if name == "CLICK" else LongPress)(*_place(argument, frame))
        if name == "SCROLL":
            return _scrolled(argument, frame)
        if name == "WAIT":
            lasting = number(argument, "time") if argument.strip() else _SECONDS_WAITED
            return Wait(min(max(lasting, 0.0), 60.0))
        text = argument.strip()
        if match := _QUOTED.fullmatch(text):
            text = match[1] or match[2] or ""
        if name in {"TYPE", "OPEN"} and not text:
            raise DialectError(f"{name} needs text")
        texts: Mapping[str, Action] = {
            "TYPE": Type(text, clear=self.clear),
            "OPEN": Open(text),
            "COMPLETE": Finish(text),
            "IMPOSSIBLE": Impossible(text),
        }
        return texts[name]


def _call(words: str) -> tuple[str, str, str]:
    """Return the text before the last action, the action's name, and its argument."""
    found = [*_LINE.finditer(words)] or [*_CALL.finditer(words)]
    if not found:
        raise lacks(words, "action")
    name, *arguments = found[-1].groups()
    thought = words[: found[-1].start()].strip()
    return thought, name.upper().replace(" ", "_"), "".join(each or "" for each in arguments)


def _pixel(fields: Mapping[str, Any], x: str, y: str, frame: Frame) -> tuple[int, int]:
    return frame.pixel(number(fields.get(x), x), number(fields.get(y), y))


def _milliseconds(value: object) -> float:
    return min(max(number(value, "duration") / 1000, 0.0), 60.0)


def _place(argument: str, frame: Frame) -> tuple[int, int]:
    """Return the pixel of "x, y", or the centre of the mark "5"."""
    parts = [each.strip(" ()[]\"'") for each in argument.split(",")]
    if len(parts) == 1:
        return frame.mark(parts[0]).bounds.center
    if len(parts) != 2:
        raise DialectError(f"this is neither a mark nor a point x, y: {quoted(argument)}")
    return frame.pixel(number(parts[0], "x"), number(parts[1], "y"))


def _scrolled(argument: str, frame: Frame) -> Action:
    parts = [each.strip(" ()[]\"'") for each in argument.split(",")]
    if len(parts) == 4:
        x1, y1, x2, y2 = (number(each, "a coordinate") for each in parts)
        return Swipe(*frame.pixel(x1, y1), *frame.pixel(x2, y2))
    *where, finger = parts
    return Scroll(direction(finger), _place(", ".join(where), frame) if where else None)


def _printed(action: Action, frame: Frame) -> dict[str, Any]:
    if kind := name_for(action, _KEYS):
        return {"action": kind}
    match action:
        case Tap(x, y) | DoubleTap(x, y) | LongPress(x, y):
            kind = next(each for each, touch in _TOUCHES.items() if type(action) is touch)
            fields: dict[str, Any] = {"action": kind, **_point(x, y, frame)}
            if isinstance(action, LongPress):
                fields["duration"] = round(action.seconds * 1000)
            return fields
        case Swipe(x1, y1, x2, y2, seconds):
            start, end = _point(x1, y1, frame, "1"), _point(x2, y2, frame, "2")
            return {"action": "swipe", **start, **end, "duration": round(seconds * 1000)}
        case Type(text):
            return {"action": "type", "text": text}
        case Open(app) if app:
            return {"action": "open", "app": app}
        case Wait(seconds):
            return {"action": "wait", "time": seconds}
        case Finish(answer):
            return {"action": "end", "answer": answer}
    raise cannot_say("A3's device", action)


def _printed_call(action: Action, frame: Frame) -> str:
    if key := name_for(action, _KEYS):
        return key.upper()
    match action:
        case Tap(x, y) | LongPress(x, y):
            name = "CLICK" if isinstance(action, Tap) else "LONG_PRESS"
            return f"{name}[{_printed_place(x, y, frame)}]"
        case Scroll(finger, at):
            where = f"{_printed_place(*at, frame)}, " if at else ""
            return f"SCROLL[{where}{finger}]"
        case Swipe(x1, y1, x2, y2):
            ends = {**_point(x1, y1, frame, "1"), **_point(x2, y2, frame, "2")}
            return f"SCROLL[{', '.join(map(str, ends.values()))}]"
        case Wait(seconds):
            return f"WAIT[{seconds}]"
        case Type(text) if text:
            name = "TYPE"
        case Open(text) if text:
            name = "OPEN"
        case Finish(text):
            name = "COMPLETE"
        case Impossible(text):
            name = "IMPOSSIBLE"
        case _:
            raise cannot_say("A3's paper", action)
    if len(text.splitlines()) > 1 or text.endswith(("\n", "\r")):
        raise DialectError(f"a text in brackets must be a single line: {quoted(text)}")
    if text != text.strip() or _QUOTED.fullmatch(text):
        text = f'"{text}"'
    return f"{name}[{text}]" if text else name


def _printed_place(x: int, y: int, frame: Frame) -> str:
    """Return the smallest mark that contains a pixel, or the pixel if there are no marks."""
    if frame.marks:
        return frame.mark_at(x, y).label
    return "{x},{y}".format_map(_point(x, y, frame))


def _point(x: int, y: int, frame: Frame, suffix: str = "") -> dict[str, int]:
    across, down = frame.whole(x, y)
    return {f"x{suffix}": across, f"y{suffix}": down}
