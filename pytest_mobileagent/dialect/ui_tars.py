"""UI-TARS: `Thought: …` and `Action: click(start_box='(x,y)')`, one or several calls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_mobileagent.action import Action, Ask, Finish, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
from pytest_mobileagent.dialect.parts import (
    Call,
    DialectError,
    begins_call,
    call,
    cannot_say,
    escaped,
    quoted,
    unknown,
    without_fences,
)
from pytest_mobileagent.dialect.reading import OPPOSITE, amount, key_named, point
from pytest_mobileagent.perception.picture import smart_size

Version = Literal["1", "1.5", "doubao"]

_BOX = re.compile(r"<\|?/?(?:box_start|box_end)\|?>")
_ACTION = re.compile(r"(?m)^[ \t]*Action[:：][ \t\n]*")
_INLINE_ACTION = re.compile(r"Action[:：][ \t\n]*")
_REFLECTION = re.compile(r"Reflection[:：](.*?)Action_Summary[:：](.*)", re.DOTALL)
_THOUGHT = re.compile(r"(?:Thought|Action_Summary)[:：](.*)", re.DOTALL)
_WAIT = 5.0  # seconds for which, according to the prompt, wait() sleeps
_SUBMIT = "\n"


@dataclass(frozen=True, slots=True)
class UiTars(Dialect):
    r"""The calls of UI-TARS.

    `version` selects the coordinates: with "1" (Qwen2-VL) and "doubao", they go from 0 to 1000;
    with "1.5" (Qwen2.5-VL), they are pixels of the picture as resized by the model (multiples of
    28). All versions read all formats of a point: `start_box='(x,y)'` with or without box tokens,
    `point='<point>x y</point>'`, and boxes, which stand for their centre.

    `scroll(point, direction)` names the side of the content to show, so the finger moves in the
    opposite direction; `scroll(start_box, end_box)` of version 1 is the finger's path. A line break
    at the end of text presses enter. `call_user` asks the user its text, or else the thought.

    Source: bytedance/UI-TARS, `codes/ui_tars/prompt.py` and `action_parser.py` (package `ui-tars`),
    README_v1.md and README_coordinates.md. Where the code and the prompt differ, this class follows
    the prompt: the parser strips leading spaces from text, drops text that is only a line
    break, strips "n" and "\\" from its end, and does not read box tokens.

    If a reply is unreadable, OSWorld's `uitars_agent.py`, to which the project refers for acting,
    asks up to three times, and then ends the episode.
    """

    name = "ui_tars"
    on_error = "ask again"
    version: Version = "1.5"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        before, calls = _halves(_BOX.sub("", without_fences(words)))
        actions: list[Action] = []
        at = 0
        while not actions or begins_call(calls, at):
            found = call(calls, at)
            actions.append(self._action(found, frame))
            at = found.end
        parts = _remarks(before)
        asked = (Ask(parts.get("thought", "")) if each == Ask("") else each for each in actions)
        return Decision(tuple(asked), parts)

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision in the format of this version."""
        calls = "\n\n".join(self._call(action, frame) for action in decision.actions)
        if not calls:
            raise cannot_say(self.name, "doing nothing")
        thought = decision.said.get("thought", "")
        if thought and Ask("") in decision.actions:
            raise cannot_say(self.name, "asking nothing")
        if reflection := decision.said.get("reflection", ""):
            return f"Reflection: {reflection}\nAction_Summary: {thought}\nAction: {calls}"
        return f"Thought: {thought}\nAction: {calls}" if thought else f"Action: {calls}"

    def _scale(self, frame: Frame) -> tuple[float, float]:
        if self.version != "1.5":
            return (1000, 1000)
        try:
            return smart_size(*(frame.shown or frame.size))
        except ValueError as error:
            raise DialectError(str(error)) from error

    def _action(self, called: Call, frame: Frame) -> Action:
        match called.name.lower():
            case "click" | "left_single" | "tap":
                return Tap(*self._point(called, frame, "start_box", "point", "start_point"))
            case "left_double" | "double_click" | "double_tap":
                return DoubleTap(*self._point(called, frame, "start_box", "point", "start_point"))
            case "long_press" | "right_single":
                at = self._point(called, frame, "start_box", "point", "start_point")
                seconds = called.get("time")
                return LongPress(*at, amount(seconds)) if seconds else LongPress(*at)
            case "drag" | "select" | "swipe":
                return self._swipe(called, frame)
            case "scroll":
                return self._scroll(called, frame)
            case "type":
                return _typed(called.arguments.get("content", called.arguments.get("0", "")))
            case "press_home" | "press_back" | "press_enter" | "press_recent" | "press_menu":
                return Key(key_named(called.name.lower().removeprefix("press_")))
            case "hotkey" | "press" | "key":
                return Key(key_named(called.get("key", "hotkey", "press", "0")))
            case "open_app" | "open":
                if app := called.get("app_name", "app", "0"):
                    return Open(app)
                raise DialectError("open_app needs the name of an app")
            case "wait":
                seconds = called.get("time", "t", "0")
                return Wait(amount(seconds) if seconds else _WAIT)
            case "finished":
                return Finish(called.get("content", "0"))
            case "call_user":
                return Ask(called.get("content", "0"))
        raise unknown("action", called.name)

    def _point(self, called: Call, frame: Frame, *names: str) -> tuple[int, int]:
        return frame.pixel(*point(called.get(*names, "0")), self._scale(frame))

    def _swipe(self, called: Call, frame: Frame) -> Swipe:
        start = self._point(called, frame, "start_box", "start_point", "point")
        end = frame.pixel(*point(called.get("end_box", "end_point", "1")), self._scale(frame))
        return Swipe(*start, *end)

    def _scroll(self, called: Call, frame: Frame) -> Swipe | Scroll:
        if called.get("end_box", "end_point"):
            return self._swipe(called, frame)
        words = called.get("direction").lower()
        found = next((each for each in get_args(Direction) if each in words), None)
        if found is None:
            raise DialectError(f"scroll needs a direction, not {quoted(words)}")
        has_point = called.get("start_box", "point", "start_point")
        at = self._point(called, frame, "start_box", "point", "start_point") if has_point else None
        return Scroll(OPPOSITE[found], at)

    def _call(self, action: Action, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                return f"click({self._place('point', x, y, frame)})"
            case DoubleTap(x, y):
                return f"left_double({self._place('point', x, y, frame)})"
            case LongPress(x, y, seconds):
                return f"long_press({self._place('point', x, y, frame)}, time='{seconds!r}')"
            case Swipe(x1, y1, x2, y2):
                start = self._place("start_point", x1, y1, frame)
                end = self._place("end_point", x2, y2, frame)
                return f"{'scroll' if self.version == '1' else 'drag'}({start}, {end})"
            case Scroll(direction, at):
                place = f"{self._place('point', *at, frame)}, " if at else ""
                return f"scroll({place}direction='{OPPOSITE[direction]}')"
            case Type(text, None, False, enter) if _typed(text) == Type(text):
                return f"type(content='{escaped(text + _SUBMIT * enter)}')"
            case Key("home" | "back" | "enter" as key):
                return f"press_{key}()"
            case Key(key):
                return f"hotkey(key='{key}')"
            case Open(app) if app:
                return f"open_app(app_name='{escaped(app)}')"
            case Wait(seconds):
                return "wait()" if seconds == _WAIT else f"wait(time='{seconds!r}')"
            case Finish(answer):
                return f"finished(content='{escaped(answer)}')"
            case Ask(question):
                return f"call_user(content='{escaped(question)}')" if question else "call_user()"
        raise cannot_say(self.name, action)

    def _place(self, name: str, x: int, y: int, frame: Frame) -> str:
        left, top = frame.whole(x, y, self._scale(frame))
        if self.version == "doubao":
            return f"{name}='<point>{left} {top}</point>'"
        name = "end_box" if name == "end_point" else "start_box"
        if self.version == "1":
            return f"{name}='<|box_start|>({left},{top})<|box_end|>'"
        return f"{name}='({left},{top})'"


def _halves(words: str) -> tuple[str, str]:
    """Return the text before the last "Action:", and the text after it."""
    found = list(_ACTION.finditer(words)) or list(_INLINE_ACTION.finditer(words))
    if not found:
        raise DialectError(f'"Action:" is missing in {quoted(words)}')
    return words[: found[-1].start()], words[found[-1].end() :].lstrip("`")


def _remarks(before: str) -> dict[str, str]:
    if match := _REFLECTION.search(before):
        return {"reflection": match[1].strip(), "thought": match[2].strip()}
    thought = match[1].strip() if (match := _THOUGHT.search(before)) else ""
    return {"thought": thought} if thought else {}


def _typed(content: str) -> Type:
    # Models write the line break unescaped, escaped, or doubly escaped.
    text = re.sub(r"(?:\n|\\n)+\Z", "", content)
    return Type(text, enter=text != content)
