"""Qwen-VL's tool `mobile_use`, which GUI-Owl shares: JSON in `<tool_call>`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    KeyName,
    LongPress,
    Open,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.dialect.dialect import (
    Decision,
    Dialect,
    DialectError,
    Frame,
    Parts,
    cannot_say,
    quoted,
)
from pytest_mobileagent.dialect.reading import amount, key_named, name_for, object_in, point, text
from pytest_mobileagent.perception.picture import smart_size

Version = Literal["2.5", "3", "gui-owl"]

# According to the tool's description, "Menu" opens the list of running apps.
BUTTONS: dict[str, KeyName] = {
    "Back": "back",
    "Home": "home",
    "Menu": "overview",
    "Enter": "enter",
}
_THOUGHT = re.compile(r"Thought[:：](.*?)(?=^\s*Action[:：]|\Z)", re.DOTALL | re.MULTILINE)
_ACTION = re.compile(r"^\s*Action[:：](.*)", re.DOTALL | re.MULTILINE)
_WAIT = 2.0


@dataclass(frozen=True, slots=True)
class Qwen(Dialect):
    """The tool `mobile_use` of Qwen-VL and GUI-Owl.

    `version` selects the coordinates: with "2.5" (Qwen2.5-VL), they are pixels of the picture as
    resized by the model (multiples of 28); with "3" (Qwen3-VL), they go from 0 to 999; with
    "gui-owl" (GUI-Owl 1.5), from 0 to 1000. With "3", 1000 also means the edge, because the
    cookbook divides by 999, and other code divides by 1000.

    A reply is text with `<tool_call>{"name": "mobile_use", "arguments": {…}}</tool_call>`, this
    JSON alone, or the arguments alone, which is what a server returns that parses tool calls
    itself. Qwen3.5's calls in XML arrive here as JSON (see `markers`); it has the coordinates of
    "3". The first of several calls counts, as in the originals. "answer" ends the episode, as in
    GUI-Owl's description of the tool; in Qwen3-VL, "terminate" always follows it. "swipe" is the
    finger's path, "tap" means "click", and "scroll" means "swipe".

    Source: QwenLM/Qwen3-VL, `cookbooks/mobile_agent.ipynb` and `utils/agent_function_call.py`;
    X-PLUG/MobileAgent, `Mobile-Agent-v3.5/mobile_use` and `android_world_v3.5/…/gui_owl.py`. These
    crash on any other format of the tool call, and ignore the buttons "Menu" and "Enter". This
    class also reads calls without line breaks around them, and presses all buttons of the tool.
    """

    name = "qwen"
    on_error = "crash"
    version: Version = "3"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        answer = words.rpartition("</think>")[2]
        before, tag, behind = answer.partition("<tool_call>")
        arguments = _arguments(object_in(behind if tag else answer))
        parts = _remarks(before) if tag else {}
        return Decision((self._action(arguments, frame),), parts)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as GUI-Owl's program and Qwen's cookbook read it.

        They find the call by the line breaks around it, and crash on any other format. The content
        of the call is read as by `parse`.
        """
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

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        arguments = self._arguments(action, frame)
        tool = json.dumps({"name": "mobile_use", "arguments": arguments}, ensure_ascii=False)
        lines = [
            f"{part.title()}: {parts[part]}" for part in ("thought", "action") if parts.get(part)
        ]
        return "\n".join([*lines, f"<tool_call>\n{tool}\n</tool_call>"])

    def _scale(self, frame: Frame) -> tuple[float, float]:
        if self.version == "2.5":
            try:
                return smart_size(*(frame.shown or frame.size), least=4 * 28 * 28)
            except ValueError as error:
                raise DialectError(str(error)) from error
        return (999, 999) if self.version == "3" else (1000, 1000)

    def _pixel(self, arguments: dict[str, Any], name: str, frame: Frame) -> tuple[int, int]:
        if name not in arguments:
            raise DialectError(f"{quoted(arguments.get('action'))} needs a {name}")
        x, y = point(arguments[name])
        if self.version == "3":
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
            case "swipe" | "scroll":
                start = self._pixel(arguments, "coordinate", frame)
                return Swipe(*start, *self._pixel(arguments, "coordinate2", frame))
            case _:
                return action_without_point(name, arguments)

    def _arguments(self, action: Action, frame: Frame) -> dict[str, Any]:
        if tool_arguments := mobile_use(action, frame, self._scale(frame)):
            return tool_arguments
        match action:
            case Key(key):
                return {"action": "key", "text": key}
            case Ask(question):
                return {"action": "interact", "text": question}
        raise cannot_say(self.name, action)


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
        case "interact" | "call_user" | "calluser":
            return Ask(text(arguments.get("text", ""), name))
        case "terminate":
            failed = str(arguments.get("status", "success")).strip().lower() == "failure"
            return Impossible() if failed else Finish()
    raise DialectError(f"mobile_use has no action {quoted(name)}")
