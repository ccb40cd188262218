"""UI-Venus: `<think>…</think><action>Click(box=(x,y))</action>`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_mobileagent.action import Action, Ask, Finish, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import (
    Call,
    DialectError,
    call,
    cannot_say,
    escaped,
    lacks,
    quoted,
    unknown,
    without_fences,
)
from pytest_mobileagent.dialect.reading import OPPOSITE, key_named, point

Version = Literal["1.5", "2"]

_SCALE = (1000, 1000)
_WAIT = 1.0  # seconds, in the programs of version 1.5
_HOLD = 0.5
_SWIPE = 1.0
_THOUGHT, _CONCLUSION, _ACTION = "thought", "conclusion", "action"
_TAGS = {_THOUGHT: "think", _CONCLUSION: "conclusion"}
_PRESS = re.compile(r"press(back|home|enter|recent)")
# How the programs write the characters of a text that adb's shell would read.
_FULL_WIDTH = str.maketrans("()|", "\uff08\uff09\uff5c")
_CONTENT = re.compile(r"(?s)content=(?P<quote>['\"])((?:\\.|(?!(?P=quote)).)*)(?P=quote)\s*\)")
_STRING = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_CALL = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_PAIR = re.compile(r"\(\s*([\d.]+)\s*,\s*([\d.]+)\s*\)")


@dataclass(frozen=True, slots=True)
class UiVenus(Dialect):
    """The calls of UI-Venus. Coordinates go from 0 to 999, and are divided by 1000.

    A reply has its thought in `<think>` and its call in `<action>`; version "1.5" adds a
    `<conclusion>`. `version` selects the names: "1.5" has `Click(box=…)`, `Scroll(start=…, end=…)`,
    `Launch(app=…)` and `CallUser(content=…)`, which also answers questions; "2" has
    `Click(point=…)`, `DoubleClick`, `Swipe`, `LaunchApp`, `GetScreenshot`, and `Answer(content=…)`
    beside `CallUser`. Both versions read all of these. `Scroll(direction=…)` names the side of the
    content to show. With "1.5", `CallUser` ends the episode with an answer; with "2", it asks the
    user. Typing empties the field first, as in the program of "1.5".

    Source: inclusionAI/UI-Venus, branch UI-Venus-1.5 (c3a1442), `Venus_framework` and
    `models/navigation` (whose `parse_answer` is what `parse_strictly` follows); version 2: 81945ac,
    `Venus_framework_mobile`, by its description only. In version 1.5, a reply that cannot be read
    ends the program's run, and is a step without an action in `models/navigation`.
    """

    name = "ui_venus"
    version: Version = "2"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        said = {part: text for part, tag in _TAGS.items() if (text := _within(words, tag))}
        answer = without_fences(words.rpartition("</think>")[2])
        calls = _within(answer, "action") or answer.partition("<action>")[2] or answer
        return Decision((self._action(call(calls), frame),), said)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the released code reads it; an unknown call is no action."""
        if self.version == "2":
            return self._read_as_version_2(words, frame)
        said: dict[str, str] = {}
        for part, tag in (*_TAGS.items(), (_ACTION, "action")):
            _, opened, rest = words.partition(f"<{tag}>")
            if not opened:
                raise lacks(words, f"<{tag}>", on_error="crash")
            said[part] = rest.partition(f"</{tag}>")[0].strip("\n")
        named = _CALL.fullmatch(said.pop(_ACTION).strip())
        if named is None:
            raise DialectError(f"{quoted(words)} has no call that is closed")
        return Decision((self._strict_action(named[1], _arguments(named[2]), frame),), said)

    def _read_as_version_2(self, words: str, frame: Frame) -> Decision | Action:
        calls = _within(words, "action")
        bare = _STRING.sub("", calls)
        if _CALL.fullmatch(calls) is None or bare.count("(") != bare.count(")"):
            raise DialectError(f"{quoted(words)} has no call that is closed")
        found = call(calls)
        if found.name.lower() == "scroll":
            raise unknown("action", found.name)
        for each in found.arguments.values():
            if re.match(r"\s*[\[(]", each) and max(point(each)) >= _SCALE[0]:
                raise DialectError(f"{quoted(each)} is outside the picture")
        action = self._action(found, frame)
        if isinstance(action, Type):
            text = action.text if _CONTENT.search(calls) else ""  # a quote is not escaped
            action = Type(text.translate(_FULL_WIDTH), clear=True)
        return Decision((action,), {_THOUGHT: _within(words, "think")})

    def _action(self, called: Call, frame: Frame) -> Action:
        match called.name.lower():
            case "click":
                return Tap(*_pixel(called, frame, "box", "point", "0"))
            case "doubleclick":
                return DoubleTap(*_pixel(called, frame, "box", "point", "0"))
            case "longpress":
                return LongPress(*_pixel(called, frame, "box", "point", "0"), _HOLD)
            case "drag" | "swipe" | "scroll":
                return _moved(called, frame)
            case "type":
                return Type(called.get("content", "0"), clear=True)
            case "launch" | "launchapp":
                if app := called.get("app", "0"):
                    return Open(app)
                raise DialectError(f"{called.name} needs the name of an app")
            case "wait":
                return Wait(_WAIT)
            case "getscreenshot":
                return Wait(0.0)
            case "finished" | "answer":
                return Finish(called.get("content", "0"))
            case "calluser":
                said = called.get("content", "0")
                return Finish(said) if self.version == "1.5" else Ask(said)
        if pressed := _PRESS.fullmatch(called.name.lower()):
            return Key(key_named(pressed[1]))
        raise unknown("action", called.name)

    def _strict_action(self, name: str, given: dict[str, str | None], frame: Frame) -> Action:
        """Return the action of a call of version 1.5, by the rules of its `parse_answer`."""
        match name:
            case "Click" | "LongPress":
                at = _strict_pixel(name, given.get("box"), frame)
                return Tap(*at) if name == "Click" else LongPress(*at, _HOLD)
            case "Scroll" if "direction" in given and not all(
                _pair(given.get(end)) for end in ("start", "end")
            ):
                width, height = frame.size
                x = int(width * 3 / 4)
                return Swipe(x, int(height * 5 / 7), x, int(height * 2 / 5), _SWIPE)
            case "Drag" | "Scroll":
                start = _strict_pixel(name, given.get("start"), frame)
                return Swipe(*start, *_strict_pixel(name, given.get("end"), frame), _SWIPE)
            case "Launch":
                app = given.get("app", "")
            case "Finished":
                return Finish(given.get("content", "") or "")
            case "Type" | "CallUser":
                app = given.get("content")
            case "Wait":
                return Wait(_WAIT)
            case "PressBack" | "PressHome" | "PressEnter" | "PressRecent":
                return Key(key_named(name.removeprefix("Press").lower()))
            case _:
                raise unknown("action", name)
        if app is None:
            raise DialectError(f"{name} lacks its text")
        if name == "Launch":
            return Open(app)
        return Finish(app) if name == "CallUser" else Type(app.translate(_FULL_WIDTH), clear=True)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        thought, conclusion = (parts.get(part, "") for part in (_THOUGHT, _CONCLUSION))
        said = f"<think>{thought}</think>" if thought else ""
        ends = f"<conclusion>{conclusion}</conclusion>" if conclusion else ""
        if any(f"<{tag}" in text for text in (thought, conclusion) for tag in ("/", "action")):
            raise cannot_say(self.name, "a tag in its thoughts")
        return f"{said}<action>{self._call_of(action, frame)}</action>{ends}"

    def _call_of(self, action: Action, frame: Frame) -> str:
        is_older = self.version == "1.5"
        place = "box" if is_older else "point"
        match action:
            case Tap(x, y):
                return f"Click({place}={_at(x, y, frame)})"
            case DoubleTap(x, y) if not is_older:
                return f"DoubleClick({place}={_at(x, y, frame)})"
            case LongPress(x, y, seconds) if seconds == _HOLD:
                return f"LongPress({place}={_at(x, y, frame)})"
            case Swipe(x1, y1, x2, y2):
                name = "Scroll" if is_older else "Swipe"
                return f"{name}(start={_at(x1, y1, frame)}, end={_at(x2, y2, frame)})"
            case Type(text, None, True, False):
                return f"Type(content='{escaped(text)}')"
            case Open(app) if app:
                return f"{'Launch' if is_older else 'LaunchApp'}(app='{escaped(app)}')"
            case Wait(seconds) if seconds == _WAIT:
                return "Wait()"
            case Key("back" | "home" | "enter" as key):
                return f"Press{key.title()}()"
            case Key("overview"):
                return "PressRecent()"
            case Ask(question) if not is_older:
                return f"CallUser(content='{escaped(question)}')"
            case Finish(answer):
                name = ("CallUser" if is_older else "Answer") if answer else "Finished"
                return f"{name}(content='{escaped(answer)}')"
        raise cannot_say(self.name, action)


def _within(words: str, tag: str) -> str:
    """Return the text in a tag; empty if it is missing or not closed."""
    found = re.search(rf"<{tag}>(.*?)</{tag}>", words, re.DOTALL)
    return found[1].strip() if found else ""


def _pixel(called: Call, frame: Frame, *names: str) -> tuple[int, int]:
    return frame.pixel(*point(called.get(*names)), _SCALE)


def _moved(called: Call, frame: Frame) -> Swipe | Scroll:
    if called.get("end", "1"):
        start, end = _pixel(called, frame, "start", "0"), _pixel(called, frame, "end", "1")
        return Swipe(*start, *end, _SWIPE)
    words = called.get("direction").lower()
    found = next((each for each in get_args(Direction) if each in words), None)
    if found is None:
        raise DialectError(f"{called.name} needs a start and an end, or a direction")
    return Scroll(OPPOSITE[found])


def _at(x: int, y: int, frame: Frame) -> str:
    left, top = frame.thousandths(x, y)
    return f"({left},{top})"


def _arguments(words: str) -> dict[str, str | None]:
    """Return the arguments of a call as version 1.5 splits them: at commas outside of quotes."""
    given: dict[str, str | None] = {}
    for part in _split(words.strip()):
        name, equals, value = part.partition("=")
        given[name.strip()] = value.strip("'").strip() if equals else None
    return given


def _split(words: str) -> list[str]:
    parts, part, quote, depth = [], "", "", 0
    for char in words:
        if not quote and char in "\"'":
            quote = char
        elif char == quote:
            quote = ""
        elif not quote:
            depth += {"(": 1, ")": -1}.get(char, 0)
            if char == "," and depth == 0:
                parts.append(part.strip())
                part = ""
                continue
        part += char
    return parts + ([part.strip()] if part.strip() else [])


def _pair(value: str | None) -> re.Match[str] | None:
    return _PAIR.match((value or "").replace(" ", ""))


def _strict_pixel(name: str, value: str | None, frame: Frame) -> tuple[int, int]:
    found = _pair(value)
    if found is None or max(each.count(".") for each in found.groups()) > 1:
        raise DialectError(f"{name} lacks its point")
    return frame.pixel(float(found[1]), float(found[2]), _SCALE)
