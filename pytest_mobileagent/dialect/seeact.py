"""The three lines in which SeeAct answers its multiple-choice question."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Action, Finish, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.dialect.androidworld import actuated
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, unknown
from pytest_mobileagent.dialect.reading import OPPOSITE, direction, spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NAMES = ("ELEMENT", "ACTION", "VALUE")
_WITHOUT_VALUE: Mapping[str, Action] = {
    "KEYBOARD ENTER": Key("enter"), "NAVIGATE HOME": Key("home"), "NAVIGATE BACK": Key("back"),
    "WAIT": Wait(1.0), "TERMINATE": Finish(),
}  # fmt: skip
_TOUCHES: Mapping[str, Callable[[int, int], Action]] = {"CLICK": Tap, "LONG PRESS": LongPress}
_WITH_VALUE = ("INPUT TEXT", "SWIPE", "OPEN APP", "ANSWER")
_FALLBACK = re.compile(r"^[\s*#>`_-]*(element|action|value)[\s*_`]*[:：](.*)$", re.IGNORECASE)
_LETTERS = re.compile(r"^\W*([A-Z]{1,3})(?=\W|$)")


@dataclass(frozen=True, slots=True)
class SeeAct(Dialect):
    """Lines with `ELEMENT: B`, `ACTION: CLICK` and `VALUE: None`; marks have letters.

    Source: google-research/android_world, agents/seeact_utils.py (a port of OSU-NLP-Group/SeeAct to
    Android), whose code this class follows: the last line with each name counts, an unknown letter
    means no element, and `CLICK` and `LONG PRESS` need the value `None`.

    - `SWIPE` names the finger's direction; the swipe is on the element, if the reply names one.
    - `INPUT TEXT` taps the element, types, and presses enter.
    - `ANSWER` is `Finish` with text, `TERMINATE` is `Finish` without text. In the original, an
      answer is only added to the history, and the episode continues until `TERMINATE`.
    - A value is read completely; the original drops the text after a second colon.
    - If no line begins with `ACTION:`, lines that are bold, indented or in another case are read.

    The letter of the chosen element is the named part "element".
    """

    name = "seeact"
    title = "SeeAct"

    def _read(self, words: str, frame: Frame) -> Decision:
        lines = _lines(spoken(words))
        kind = re.sub(r"[\s_.]+", " ", lines["ACTION"].strip(" .*`\"'")).upper()
        letter = _letter(lines.get("ELEMENT", ""), frame)
        at = frame.mark(letter).bounds.center if letter else None
        action = _action(kind, at, lines.get("VALUE"))
        takes_element = kind in _TOUCHES or kind in {"INPUT TEXT", "SWIPE"}
        return Decision((action,), {"element": letter} if letter and takes_element else {})

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the code reads it, which needs exact names and letters.

        The code drops the text of a value after a colon, and takes the first element of a swipe for
        the whole screen. Swipes and texts are what it does to the phone (`actuated`).
        """
        lines: dict[str, str] = {}
        for line in words.split("\n"):
            name, colon, behind = line.partition(":")
            if colon and name in _NAMES:
                lines[name] = behind.split(":")[0].strip()
        kind = re.sub(r"[.]+|\s+", " ", lines.get("ACTION", "")).strip()
        if kind not in (*_WITHOUT_VALUE, *_TOUCHES, *_WITH_VALUE):
            raise unknown("action", kind)
        value = lines.get("VALUE", "").strip(".")
        if (kind in _TOUCHES and value != "None") or (kind == "SWIPE" and value not in OPPOSITE):
            raise DialectError(f"{kind} does not accept the value {quoted(value)}")
        letter = re.sub(r"[.]+|\s+", " ", lines.get("ELEMENT", "None")).strip()
        is_whole = kind == "SWIPE" and letter == "A"
        known = None if is_whole or letter not in frame.marks else letter
        read = self._read(f"ELEMENT: {known}\nACTION: {kind}\nVALUE: {value}", frame)
        actions = tuple(actuated(each, frame, known) for each in read.actions)
        return dataclasses.replace(read, actions=actions)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        kind, at, value = _printed(action)
        if "\n" in value or "\r" in value:
            raise DialectError(f"a SeeAct value must be a single line: {quoted(value)}")
        letter = "None" if at is None else _letter_at(at, parts.get("element"), frame)
        return f"ELEMENT: {letter}\nACTION: {kind}\nVALUE: {value}"

    @staticmethod
    def described(words: str, choices: Mapping[str, str]) -> str:
        """Return the line for a reply in SeeAct's history.

        `choices` are the descriptions of the elements, by letter. The line has the chosen element
        and the action, such as `"Save" button -> CLICK` or `SWIPE: up`.

        Raises:
            DialectError: if the reply has no action.
        """
        lines = _lines(spoken(words))
        kind = re.sub(r"[\s_.]+", " ", lines["ACTION"].strip(" .*`\"'")).upper()
        found = _LETTERS.match(lines.get("ELEMENT", "").upper())
        element = choices.get(found[1], "") if found else ""
        takes_element = kind in _TOUCHES or kind in {"INPUT TEXT", "SWIPE"}
        line = f"{element} -> {kind}" if element and takes_element else kind
        return f"{line}: {lines.get('VALUE')}" if kind in _WITH_VALUE else line


def _lines(words: str) -> dict[str, str]:
    strict, fallback = {}, {}
    for line in words.split("\n"):
        name, colon, value = line.partition(":")
        if colon and name in _NAMES:
            strict[name] = value.strip().strip(".").strip()
        elif match := _FALLBACK.match(line):
            fallback[match[1].upper()] = match[2].strip(" \t\r*`").strip(".").strip()
    found = strict if "ACTION" in strict else fallback
    if not found.get("ACTION"):
        raise DialectError(f"there is no line 'ACTION: …': {quoted(words)}")
    return found


def _letter(element: str, frame: Frame) -> str:
    """Return the label of the mark that the text names, or an empty string."""
    for words in (element, element.upper()):
        if words in frame.marks:
            return words
    found = _LETTERS.match(element)
    return found[1] if found and found[1] in frame.marks else ""


def _action(kind: str, at: tuple[int, int] | None, value: str | None) -> Action:
    if kind in _WITHOUT_VALUE:
        return _WITHOUT_VALUE[kind]
    if kind in _TOUCHES or kind == "INPUT TEXT":
        if at is None:
            raise DialectError(f"{kind} needs one of the listed elements")
        if kind in _TOUCHES:
            if (value or "").strip("\"'").lower() != "none":
                raise DialectError(f"the value of {kind} must be None")
            return _TOUCHES[kind](*at)
    if kind not in _WITH_VALUE:
        raise unknown("action", kind)
    if not value:
        raise DialectError(f"{kind} needs a value")
    if kind == "SWIPE":
        return Scroll(direction(value), at)
    if kind == "INPUT TEXT":
        return Type(value, at=at, enter=True)
    return Open(value) if kind == "OPEN APP" else Finish(value)


def _printed(action: Action) -> tuple[str, tuple[int, int] | None, str]:
    """Return an action's name, its pixel, and its value."""
    for kind, plain in _WITHOUT_VALUE.items():
        if action == plain or (isinstance(action, Wait) and isinstance(plain, Wait)):
            return kind, None, "None"
    match action:
        case Tap(x, y):
            return "CLICK", (x, y), "None"
        case LongPress(x, y):
            return "LONG PRESS", (x, y), "None"
        case Scroll(finger, at):
            return "SWIPE", at, finger
        case Type(text, at, False, True) if text and at:
            return "INPUT TEXT", at, text
        case Open(app) if app:
            return "OPEN APP", None, app
        case Finish(answer):
            return "ANSWER", None, answer
    raise cannot_say("SeeAct", action)


def _letter_at(at: tuple[int, int], chosen: str | None, frame: Frame) -> str:
    """Return `chosen` if its mark contains the pixel, or else the smallest mark that does."""
    if chosen and chosen in frame.marks and frame.marks[chosen].bounds.contains(*at):
        return chosen
    return frame.mark_at(*at).label
