"""The commands of OdysseyAgent, the format of GUI-Odyssey's data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_mobileagent.action import Action, Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import Direction, LongPress, Scroll, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import cannot_say, lacks
from pytest_mobileagent.dialect.reading import OPPOSITE, PAIR, name_for, number, spoken
from pytest_mobileagent.dialect.reading import direction as as_direction

_SCALE = (1000, 1000)
_WITHOUT_ARGUMENTS: dict[str, Action] = {
    "PRESS_HOME": Key("home"), "PRESS_BACK": Key("back"), "PRESS_RECENT": Key("overview"),
    "PRESS_ENTER": Key("enter"), "COMPLETE": Finish(), "IMPOSSIBLE": Impossible(),
}  # fmt: skip
_DIRECTIONS: dict[str, Direction] = {each.upper(): each for each in OPPOSITE}
_WITH_ARGUMENT = ("CLICK", "LONG_PRESS", "TYPE", "SCROLL")
# A number before the command ("1. "), as in the history that the model is given, is ignored.
_COMMAND = re.compile(
    r"(?:^|\n)[ \t`*\"']*(?:\d+\.\s*|action\s*[:：]\s*)?"
    r"([A-Z]+(?:[_ ][A-Z]+)?)[ \t`*\"']*(?:(?=\n)|$|[:：][ \t]*(.*))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Odyssey(Dialect):
    """`CLICK: (x, y)`, `SCROLL: UP`, `TYPE: words`, `PRESS_BACK`, `COMPLETE` and the like.

    Points are in thousandths of the screen, (x, y); directions are the finger's. Sources:
    GUI-Odyssey (arXiv 2406.08451; data/format_converter.py and src/eval_mm/evaluate_GUIOdyssey.py),
    SPA-Bench (framework/models/GUI-Odyssey). This class follows the paper where SPA-Bench's parser
    fails: the parser ignores commands without an argument, does not know LONG_PRESS and
    PRESS_RECENT, and cuts typed text at a colon. Text to type ends at the end of its line.
    PRESS_ENTER exists only in SPA-Bench. If no line begins with a command, the whole reply is
    searched for the names, as by that parser. With `submit`, typing clears the field first and
    presses enter afterwards, as in SPA-Bench's device.py.
    """

    name = "odyssey"
    title = "OdysseyAgent"

    submit: bool = False

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        name, argument = _command(spoken(words))
        return self._action(name, argument, frame)

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the action as SPA-Bench's code reads it; every command needs a colon."""
        name, colon, behind = words.partition(":")
        argument = behind.split(":")[0][1:]
        if not colon:
            raise lacks(words, "colon")
        if name == "CLICK":
            across, _, down = argument.strip("()").partition(", ")
            try:
                point = int(across), int(down.partition(", ")[0])
            except ValueError:
                raise lacks(words, "(x, y)") from None
            return Tap(*frame.pixel(*point, _SCALE))
        if "TYPE" in name:
            return Type(argument, clear=self.submit, enter=self.submit)
        for known in ("PRESS_HOME", "PRESS_BACK", "COMPLETE", "IMPOSSIBLE"):
            if known in words:
                return _WITHOUT_ARGUMENTS[known]
        side = next((each for each in _DIRECTIONS if each in argument), None)
        if side is None:
            raise lacks(words, "command")
        return Scroll(_DIRECTIONS[side])

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                return "CLICK: ({}, {})".format(*frame.thousandths(x, y))
            case LongPress(x, y):
                return "LONG_PRESS: ({}, {})".format(*frame.thousandths(x, y))
            case Scroll(direction, None):
                return f"SCROLL: {direction.upper()}"
            case Type(typed, None, clear, enter) if clear == enter == self.submit:
                if typed.strip() == typed and "\n" not in typed:
                    return f"TYPE: {typed}"
        if name := name_for(action, _WITHOUT_ARGUMENTS):
            return name
        raise cannot_say(self.title, action)

    def _action(self, name: str, argument: str, frame: Frame) -> Action:
        if name in _WITHOUT_ARGUMENTS:
            return _WITHOUT_ARGUMENTS[name]
        match name:
            case "CLICK":
                return Tap(*_point(argument, frame))
            case "LONG_PRESS":
                return LongPress(*_point(argument, frame))
            case "TYPE":
                return Type(argument, clear=self.submit, enter=self.submit)
        return Scroll(_direction(argument))


def _command(words: str) -> tuple[str, str]:
    """Return the name of the first command that begins a line, and the text after its colon."""
    for found in _COMMAND.finditer(words):
        name = re.sub(r"\s", "_", found[1]).upper()
        if name in _WITHOUT_ARGUMENTS or name in _WITH_ARGUMENT:
            return name, (found[2] or "").strip()
    return _named(words)


def _named(words: str) -> tuple[str, str]:
    """Return a command whose name occurs anywhere, by the rules of SPA-Bench's parser."""
    before, _, behind = words.partition(":")
    if behind and "TYPE" in before:
        return "TYPE", behind.strip().partition("\n")[0]
    for name in _WITHOUT_ARGUMENTS:
        if behind and name in words:
            return name, ""
    if any(direction in behind for direction in _DIRECTIONS):
        return "SCROLL", behind
    raise lacks(words, "command")


def _direction(argument: str) -> Direction:
    """Return the direction in text that may have other words, as in "DOWN to see more"."""
    for name, direction in _DIRECTIONS.items():
        if name in argument:
            return direction
    return as_direction(argument.strip("[]()\"'. "))


def _point(argument: str, frame: Frame) -> tuple[int, int]:
    found = re.match(PAIR, argument)
    if found is None:
        raise lacks(argument, "point (x, y)")
    return frame.pixel(number(found[1], "x"), number(found[2], "y"), _SCALE)
