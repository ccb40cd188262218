"""Qwen-VL's tool `mobile_use`, which GUI-Owl and MAI-UI share: JSON in `<tool_call>`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from pytest_mobileagent.action import (
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    KeyName,
    Open,
    Type,
    Wait,
)
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted
from pytest_mobileagent.dialect.reading import (
    OPPOSITE,
    amount,
    direction,
    key_named,
    name_for,
    object_in,
    point,
    text,
)
from pytest_mobileagent.perception.picture import smart_size

Version = Literal["2.5", "3", "gui-owl", "mai-ui"]

# According to the tool's description, "Menu" opens the list of running apps.
BUTTONS: dict[str, KeyName] = {
    "Back": "back", "Home": "home", "Menu": "overview", "Enter": "enter",
}  # fmt: skip
_THOUGHT = re.compile(r"Thought[:：](.*?)(?=^\s*Action[:：]|\Z)", re.DOTALL | re.MULTILINE)
_ACTION = re.compile(r"^\s*Action[:：](.*)", re.DOTALL | re.MULTILINE)
_WAIT = 2.0
_DRAG = 1.0  # seconds; a faster one would be a fling
# The first tag of a thinking model may be in its prompt.
_OPENS, _CLOSES = re.compile("<think(?:ing)?>"), re.compile("</think(?:ing)?>")
_TAGGED = re.compile(r"<thinking>(.*?)</thinking>.*?<tool_call>(.*?)</tool_call>", re.DOTALL)
_POINTS = ("coordinate", "start_coordinate", "end_coordinate")
_MAI_ACTIONS = (
    *("click", "double_click", "long_press", "swipe", "drag", "type", "open", "system_button"),
    *("wait", "answer", "ask_user", "terminate"),
)
_MAI_DEFAULTS = {
    "action": "", "text": "", "button": "", "direction": "up", "start_coordinate": [0, 0],
    "end_coordinate": [0, 0],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Qwen(Dialect):
    """The tool `mobile_use` of Qwen-VL and GUI-Owl.

    `version` selects the coordinates: with "2.5" (Qwen2.5-VL), they are pixels of the picture as
    resized by the model (multiples of 28); with "3" (Qwen3-VL), they go from 0 to 999; with
    "gui-owl" (GUI-Owl 1.5), from 0 to 1000; with "mai-ui" (MAI-UI, Qwen-UI-Agent), from 0 to 999.
    With "3" and "mai-ui", 1000 also means the edge, because some code divides by it, not by 999.

    A reply is text with `<tool_call>{"name": "mobile_use", "arguments": {…}}</tool_call>`, this
    JSON alone, or the arguments alone, which is what a server returns that parses tool calls
    itself. Qwen3.5's calls in XML arrive here as JSON (see `parts`); it has the coordinates of
    "3". The first of several calls counts, as in the originals. "answer" ends the episode, as in
    GUI-Owl's description of the tool; in Qwen3-VL, "terminate" always follows it. "swipe" is the
    finger's path, or its direction in MAI-UI, where "drag" has a path; "tap" means "click", and
    "scroll" means "swipe". A box means its centre. Each version reads all actions, prints its own.

    Source: QwenLM/Qwen3-VL, `cookbooks/mobile_agent.ipynb` and `utils/agent_function_call.py`;
    X-PLUG/MobileAgent, `Mobile-Agent-v3.5/mobile_use` and `android_world_v3.5/…/gui_owl.py`. These
    crash on any other format of the tool call, and ignore the buttons "Menu" and "Enter". This
    class also reads calls without line breaks around them, and presses all buttons of the tool.
    Tongyi-MAI/MAI-UI (4dd07b9), `src/mai_naivigation_agent.py`, asks again up to twice; what its
    calls do is from MobileWorld (d42de47), `agents/utils/action_translation.py`, where a call that
    is unknown or lacks a point is a step without an action. That code does not tell "terminate"
    with "fail" from "success"; here, it means that the task is impossible.
    """

    name = "qwen"
    on_error = "crash"
    version: Version = "3"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        *thoughts, answer = _CLOSES.split(words)
        before, tag, behind = answer.partition("<tool_call>")
        arguments = _arguments(object_in(behind if tag else answer))
        parts = _remarks(before) if tag else {}
        if self.version == "mai-ui":
            thought = _OPENS.split(thoughts[0])[-1].strip() if thoughts else ""
            parts = {"thought": thought} if thought else {}
        return Decision((self._action(arguments, frame),), parts)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as GUI-Owl's program and Qwen's cookbook read it.

        They find the call by the line breaks around it, and crash on any other format. The content
        of the call is read as by `parse`. MAI-UI's program finds it by its tags.
        """
        if self.version == "mai-ui":
            return self._read_as_mai_ui(words, frame)
        begin, end = "<tool_call>\n", "}}\n" if self.version == "gui-owl" else "\n</tool_call>"
        parts = words.split(begin)
        if len(parts) == 1:
            raise DialectError(f"there is no <tool_call> followed by a line break: {quoted(words)}")
        content = parts[1].split(end)[0] + ("}}" if self.version == "gui-owl" else "")
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not isinstance(found.get("arguments"), dict):
            raise DialectError(f"the call is not a JSON object with arguments: {quoted(content)}")
        return self._read(f"{parts[0]}<tool_call>\n{content}\n</tool_call>", frame)

    def _read_as_mai_ui(self, words: str, frame: Frame) -> Decision:
        text = words.strip()
        if "</think>" in text and "</thinking>" not in text:
            text = "<thinking>" + text.replace("</think>", "</thinking>")
        found = _TAGGED.search(text)
        if found is None:
            raise lacks(words, "thought and call in their tags", on_error="ask again")
        try:
            arguments = {**_MAI_DEFAULTS, **json.loads(found[2].strip().strip('"'))["arguments"]}
            points = {name: _numbers(arguments[name]) for name in _POINTS if name in arguments}
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            raise lacks(found[2], "JSON call with right points", on_error="ask again") from None
        parts = {"thought": thought} if (thought := found[1].strip().strip('"')) else {}
        return Decision(self._strict_actions(arguments | points, frame), parts)

    def _strict_actions(self, arguments: dict[str, Any], frame: Frame) -> tuple[Action, ...]:
        """Return the action of MAI-UI's call; none if MobileWorld does not know or accept it."""
        name, button = arguments["action"], str(arguments["button"]).lower()
        if (
            not (name in _MAI_ACTIONS and isinstance(arguments["text"], str))
            or (name == "swipe" and str(arguments["direction"]) not in OPPOSITE)
            or (name == "system_button" and button not in {"back", "home", "enter"})
        ):
            return ()
        for unread in ("coordinate2", "time"):
            arguments.pop(unread, None)
        try:
            return (self._action(arguments, frame),)
        except DialectError:
            return ()

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        arguments = self._arguments(action, frame)
        tool = json.dumps({"name": "mobile_use", "arguments": arguments}, ensure_ascii=False)
        if self.version == "mai-ui":
            thought = parts.get("thought", "")
            return f"<thinking>\n{thought}\n</thinking>\n<tool_call>\n{tool}\n</tool_call>"
        said = (part for part in ("thought", "action") if parts.get(part))
        lines = [f"{part.title()}: {parts[part]}" for part in said]
        return "\n".join([*lines, f"<tool_call>\n{tool}\n</tool_call>"])

    def _scale(self, frame: Frame) -> tuple[float, float]:
        if self.version == "2.5":
            try:
                return smart_size(*(frame.shown or frame.size), least=4 * 28 * 28)
            except ValueError as error:
                raise DialectError(str(error)) from error
        return (1000, 1000) if self.version == "gui-owl" else (999, 999)

    def _pixel(self, arguments: dict[str, Any], name: str, frame: Frame) -> tuple[int, int]:
        if name not in arguments:
            raise DialectError(f"{quoted(arguments.get('action'))} needs a {name}")
        x, y = point(arguments[name])
        if self.version in {"3", "mai-ui"}:
            x, y = (999 if 999 < each <= 1000 else each for each in (x, y))
        return frame.pixel(x, y, self._scale(frame))

    def _action(self, arguments: dict[str, Any], frame: Frame) -> Action:
        name = str(arguments["action"]).strip().lower()
        match name:
            case "click" | "tap":
                return Tap(*self._pixel(arguments, "coordinate", frame))
            case "long_press":
                at = self._pixel(arguments, "coordinate", frame)
                return LongPress(*at, amount(arguments.get("time") or 1.0))
            case "double_click" | "double_tap":
                return DoubleTap(*self._pixel(arguments, "coordinate", frame))
            case "drag":
                begin = self._pixel(arguments, "start_coordinate", frame)
                return Swipe(*begin, *self._pixel(arguments, "end_coordinate", frame), _DRAG)
            case "swipe" | "scroll" if "direction" in arguments and "coordinate2" not in arguments:
                place = arguments.get("coordinate")
                through = self._pixel(arguments, "coordinate", frame) if place else None
                return Scroll(direction(arguments["direction"]), through)
            case "swipe" | "scroll":
                start = self._pixel(arguments, "coordinate", frame)
                return Swipe(*start, *self._pixel(arguments, "coordinate2", frame))
            case _:
                return action_without_point(name, arguments)

    def _arguments(self, action: Action, frame: Frame) -> dict[str, Any]:
        if self.version == "mai-ui" and (mai := self._mai_arguments(action, frame)):
            return mai
        if tool_arguments := mobile_use(action, frame, self._scale(frame)):
            return tool_arguments
        match action:
            case Key(key):
                return {"action": "key", "text": key}
            case Ask(question):
                return {"action": "interact", "text": question}
        raise cannot_say(self.name, action)

    def _mai_arguments(self, action: Action, frame: Frame) -> dict[str, Any] | None:
        """Return the arguments of an action that MAI-UI calls otherwise than the other models."""
        scale = self._scale(frame)
        match action:
            case DoubleTap(x, y):
                return {"action": "double_click", "coordinate": frame.whole(x, y, scale)}
            case LongPress(x, y, 1.0):
                return {"action": "long_press", "coordinate": frame.whole(x, y, scale)}
            case Swipe(x1, y1, x2, y2):
                start, end = frame.whole(x1, y1, scale), frame.whole(x2, y2, scale)
                return {"action": "drag", "start_coordinate": start, "end_coordinate": end}
            case Scroll(way, at):
                place = {"coordinate": frame.whole(*at, scale)} if at else {}
                return {"action": "swipe", "direction": way, **place}
            case Key(key) if button := name_for(key, BUTTONS):
                return {"action": "system_button", "button": button.lower()}
            case Wait(seconds) if seconds == _WAIT:
                return {"action": "wait"}
            case Ask(question):
                return {"action": "ask_user", "text": question}
            case Impossible():
                return {"action": "terminate", "status": "fail"}
        return None


def mobile_use(
    action: Action, frame: Frame, scale: tuple[float, float] | None = None
) -> dict[str, Any] | None:
    """Return the tool's arguments for an action, in the format that all models share.

    The result is None if the tool has no such action.
    """
    match action:
        case Tap(x, y):
            return {"action": "click", "coordinate": frame.whole(x, y, scale)}
        case LongPress(x, y, seconds):
            at = frame.whole(x, y, scale)
            return {"action": "long_press", "coordinate": at, "time": seconds}
        case Swipe(x1, y1, x2, y2):
            start, end = frame.whole(x1, y1, scale), frame.whole(x2, y2, scale)
            return {"action": "swipe", "coordinate": start, "coordinate2": end}
        case Type(typed, None, False, False):
            return {"action": "type", "text": typed}
        case Key(key) if button := name_for(key, BUTTONS):
            return {"action": "system_button", "button": button}
        case Open(app):
            return {"action": "open", "text": app}
        case Wait(seconds):
            return {"action": "wait", "time": seconds}
        case Finish(answer) if answer:
            return {"action": "answer", "text": answer}
        case Finish() | Impossible():
            status = "success" if isinstance(action, Finish) else "failure"
            return {"action": "terminate", "status": status}
    return None


def _arguments(found: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call, which may be given as JSON text."""
    arguments = found.get("arguments", found.get("parameters", found))
    if isinstance(arguments, str):
        arguments = object_in(arguments)
    if not isinstance(arguments, dict) or not isinstance(arguments.get("action"), str):
        raise DialectError(f"{quoted(found)} does not name an action")
    return arguments


def _numbers(value: Any) -> list[float]:
    """Return a point or box as numbers, as MAI-UI's program reads it, which raises on others."""
    numbers = [each / 1 for each in value]
    if len(numbers) not in {2, 4}:
        raise ValueError("neither a point nor a box")
    return numbers


def _remarks(before: str) -> dict[str, str]:
    found = {"thought": _THOUGHT.search(before), "action": _ACTION.search(before)}
    return {part: match[1].strip() for part, match in found.items() if match and match[1].strip()}


def action_without_point(name: str, arguments: dict[str, Any]) -> Action:
    """Return the action of a call that has no point."""
    match name:
        case "type":
            return Type(text(arguments.get("text"), name))
        case "key":
            return Key(key_named(arguments.get("text")))
        case "system_button":
            button = str(arguments.get("button")).strip()
            return Key(BUTTONS.get(button.title()) or key_named(button))
        case "open":
            return Open(text(arguments.get("text"), name))
        case "wait":
            return Wait(amount(arguments.get("time", _WAIT)))
        case "answer":
            return Finish(text(arguments.get("text", ""), name))
        case "interact" | "call_user" | "calluser" | "ask_user":
            return Ask(text(arguments.get("text", ""), name))
        case "terminate":
            status = str(arguments.get("status", "success")).strip().lower()
            return Impossible() if status in {"fail", "failure"} else Finish()
    raise DialectError(f"mobile_use has no action {quoted(name)}")
