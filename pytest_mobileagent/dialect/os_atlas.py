"""The actions of OS-Atlas, in the format that its action models learned for phones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import Direction, LongPress, Scroll, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted
from pytest_mobileagent.dialect.reading import OPPOSITE, PAIR, name_for, number, spoken
from pytest_mobileagent.dialect.reading import direction as as_direction

_SCALE = (1000, 1000)
_WITHOUT_ARGUMENTS: dict[str, Action] = {
    "PRESS_BACK": Key("back"), "PRESS_HOME": Key("home"), "PRESS_RECENT": Key("overview"),
    "ENTER": Key("enter"), "PRESS_ENTER": Key("enter"), "WAIT": Wait(), "COMPLETE": Finish(),
    "IMPOSSIBLE": Impossible(),
}  # fmt: skip
_ACTIONS = re.compile(r"(?:^|\n)[ \t*#]*actions?[ \t*]*[:：][ \t*]*\n?", re.IGNORECASE)
_THOUGHTS = re.compile(r"^[ \t*#]*thoughts?[ \t*]*[:：][ \t*]*", re.IGNORECASE)
_ACTION = re.compile(r"[ \t`*]*([A-Za-z]+(?:_[A-Za-z]+)*)\b[ \t]*[:：]?[ \t]*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OsAtlas(Dialect):
    """`actions:` followed by `CLICK <point>[[x, y]]</point>`, `TYPE [words]`, `COMPLETE`, ….

    Points are in thousandths of the picture, (x, y). The first action counts; after the heading,
    its name may be in any case. Source: OS-Atlas (arXiv 2410.23218; eval/data and eval/eval_scripts
    of its repository). Its scorers require the heading in lower case; here, replies without the
    heading are read, too. ENTER is declared for GUI-Act, IMPOSSIBLE (wrongly WAIT) for GUI-Odyssey.

    `scroll` selects whose direction `SCROLL` names, since the models' training data differ: the
    "finger" (AITW, GUI-Odyssey) or the "content" (AndroidControl).
    """

    name = "os_atlas"
    title = "OS-Atlas"

    scroll: Literal["finger", "content"] = "finger"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        cleaned = spoken(words)
        before, *sections = _ACTIONS.split(cleaned, maxsplit=2)
        thought = _THOUGHTS.sub("", before).strip() if sections else ""
        action = self._action(
            sections[0] if sections else cleaned, frame, in_section=bool(sections)
        )
        return Decision((action,), {"thought": thought} if thought else {})

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        thought = parts.get("thought")
        before = f"thoughts:\n{thought}\n" if thought else ""
        return f"{before}actions:\n{self._words(action, frame)}"

    def _action(self, words: str, frame: Frame, *, in_section: bool) -> Action:
        found = _ACTION.match(words.strip())
        name, argument = (found[1], found[2].strip()) if found else ("", "")
        name = name.upper() if in_section else name
        if name in _WITHOUT_ARGUMENTS:
            return _WITHOUT_ARGUMENTS[name]
        match name:
            case "CLICK":
                return Tap(*_point(argument, frame))
            case "LONG_PRESS":
                return LongPress(*_point(argument, frame))
            case "TYPE":
                return Type(_bracketed(argument))
            case "OPEN_APP":
                return Open(_bracketed(argument).strip())
            case "SCROLL":
                return Scroll(self._direction(argument))
        raise lacks(words, "action")

    def _words(self, action: Action, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                return "CLICK <point>[[{},{}]]</point>".format(*frame.thousandths(x, y))
            case LongPress(x, y):
                return "LONG_PRESS <point>[[{},{}]]</point>".format(*frame.thousandths(x, y))
            case Type(typed, None, False, False):
                return f"TYPE [{typed}]"
            case Open(app) if app.strip() == app:
                return f"OPEN_APP [{app}]"
            case Scroll(direction, None):
                return f"SCROLL [{self._turned(direction).upper()}]"
            case Wait():
                return "WAIT"
        if name := name_for(action, _WITHOUT_ARGUMENTS):
            return name
        raise cannot_say(self.title, action)

    def _direction(self, argument: str) -> Direction:
        found = re.match(r"[\[(\s\"']*(up|down|left|right)\b", argument, re.IGNORECASE)
        if found is None:
            raise lacks(argument, "direction")
        return self._turned(as_direction(found[1]))

    def _turned(self, direction: Direction) -> Direction:
        return OPPOSITE[direction] if self.scroll == "content" else direction


def _point(argument: str, frame: Frame) -> tuple[int, int]:
    found = re.match(rf"(?:<\|?\w+\|?>|\s)*{PAIR}", argument)
    if found is None:
        raise lacks(argument, "point")
    return frame.pixel(number(found[1], "x"), number(found[2], "y"), _SCALE)


def _bracketed(argument: str) -> str:
    """Return the text between the first and the last bracket, or a first line without brackets."""
    if not argument.startswith("[") and (line := argument.split("\n", maxsplit=1)[0].strip()):
        return line
    end = argument.rfind("]")
    if end < 0:
        raise DialectError(f"the brackets are not closed in {quoted(argument)}")
    return argument[1:end]
