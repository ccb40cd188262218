"""The commands of OdysseyAgent, which GUI-Odyssey's data are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.action.action import (
    Direction,
    Finish,
    Impossible,
    Key,
    LongPress,
    Scroll,
    Tap,
    Type,
)
from pytest_mobileagent.dialect.dialect import Decision, Dialect, DialectError
from pytest_mobileagent.dialect.reading import (
    PAIR,
    number,
    quoted,
    reading,
    spoken,
)
from pytest_mobileagent.dialect.reading import (
    direction as as_direction,
)
from pytest_mobileagent.dialect.wording import cannot_say, thousandths

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.dialect.dialect import Frame, OnError

_SCALE = (1000, 1000)
_ALONE: dict[str, Action] = {
    "PRESS_HOME": Key("home"),
    "PRESS_BACK": Key("back"),
    "PRESS_RECENT": Key("overview"),
    "PRESS_ENTER": Key("enter"),
    "COMPLETE": Finish(),
    "IMPOSSIBLE": Impossible(),
}
_DIRECTIONS: dict[str, Direction] = {
    "UP": "up",
    "DOWN": "down",
    "LEFT": "left",
    "RIGHT": "right",
}
_WITH_ARGUMENT = ("CLICK", "LONG_PRESS", "TYPE", "SCROLL")
# A number in front ("1. "), as in the history that the model is shown, is no part of a command.
_COMMAND = re.compile(
    r"(?:^|\n)[ \t`*\"']*(?:\d+\.\s*|action\s*[:：]\s*)?"
    r"([A-Z]+(?:[_ ][A-Z]+)?)[ \t`*\"']*(?:(?=\n)|$|[:：][ \t]*(.*))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Odyssey(Dialect):
    """`CLICK: (x, y)`, `SCROLL: UP`, `TYPE: words`, `PRESS_BACK`, `COMPLETE` and the like.

    Points are thousandths of the screen, (x, y); directions are the finger's. Sources: GUI-Odyssey
    (arXiv 2406.08451; data/format_converter.py and src/eval_mm/evaluate_GUIOdyssey.py), SPA-Bench
    (framework/models/GUI-Odyssey). We follow the paper where SPA-Bench's parser fails: it takes
    every command without an argument for nothing to do, knows no LONG_PRESS and no PRESS_RECENT,
    and cuts typed text at a colon; what is typed ends with its line. PRESS_ENTER is its own. Where
    no line begins with a command, the names are sought in all words, as that parser does. With
    `submit`, typing clears the field first and presses enter afterwards, as SPA-Bench's device.py.
    """

    name: ClassVar[str] = "odyssey"
    on_error: ClassVar[OnError] = "no action"

    submit: bool = False

    def parse(self, words: str, frame: Frame) -> Decision:
        """Return what a model's words mean: the first command in them.

        Raises:
            DialectError: they are none of this dialect.
        """
        with reading(words):
            name, argument = _command(spoken(words))
            return Decision((self._action(name, argument, frame),))

    def parse_strictly(self, words: str, frame: Frame) -> Decision:
        """Return what words mean to SPA-Bench's code, which needs a colon for any command."""
        with reading(words):
            name, colon, behind = words.partition(":")
            argument = behind.split(":")[0][1:]
            if not colon:
                msg = f"there is no colon in {quoted(words)}"
                raise DialectError(msg)
            if name == "CLICK":
                across, _, down = argument.strip("()").partition(", ")
                try:
                    point = int(across), int(down.partition(", ")[0])
                except ValueError:
                    msg = f"there is no (x, y) in {quoted(words)}"
                    raise DialectError(msg) from None
                return Decision((Tap(*frame.pixel(*point, _SCALE)),))
            if "TYPE" in name:
                return Decision((Type(argument, clear=self.submit, enter=self.submit),))
            for known in ("PRESS_HOME", "PRESS_BACK", "COMPLETE", "IMPOSSIBLE"):
                if known in words:
                    return Decision((_ALONE[known],))
            side = next((each for each in _DIRECTIONS if each in argument), None)
            if side is None:
                msg = f"there is no command in {quoted(words)}"
                raise DialectError(msg)
            return Decision((Scroll(_DIRECTIONS[side]),))

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision in the dialect's words.

        Raises:
            DialectError: the dialect cannot say such an action.
        """
        match decision.actions:
            case (Tap(x, y),):
                return "CLICK: ({}, {})".format(*thousandths(x, y, frame))
            case (LongPress(x, y),):
                return "LONG_PRESS: ({}, {})".format(*thousandths(x, y, frame))
            case (Scroll(direction, None),):
                return f"SCROLL: {direction.upper()}"
            case (Type(typed, None, clear, enter),) if clear == enter == self.submit:
                if typed.strip() == typed and "\n" not in typed:
                    return f"TYPE: {typed}"
            case (action,):
                for name, alone in _ALONE.items():
                    if action == alone:
                        return name
        raise cannot_say("OdysseyAgent", decision.actions)

    def _action(self, name: str, argument: str, frame: Frame) -> Action:
        if name in _ALONE:
            return _ALONE[name]
        match name:
            case "CLICK":
                return Tap(*_point(argument, frame))
            case "LONG_PRESS":
                return LongPress(*_point(argument, frame))
            case "TYPE":
                return Type(argument, clear=self.submit, enter=self.submit)
        return Scroll(_direction(argument))


def _command(words: str) -> tuple[str, str]:
    """Return the first line that is a command: its name, and what stands behind the colon."""
    for found in _COMMAND.finditer(words):
        name = re.sub(r"\s", "_", found[1]).upper()
        if name in _ALONE or name in _WITH_ARGUMENT:
            return name, (found[2] or "").strip()
    return _named(words)


def _named(words: str) -> tuple[str, str]:
    """Return the command whose name is somewhere in the words, tested as in SPA-Bench's parser."""
    before, _, behind = words.partition(":")
    if behind and "TYPE" in before:
        return "TYPE", behind.strip().partition("\n")[0]
    for name in _ALONE:
        if behind and name in words:
            return name, ""
    if any(direction in behind for direction in _DIRECTIONS):
        return "SCROLL", behind
    msg = f"there is no command in {quoted(words)}"
    raise DialectError(msg)


def _direction(argument: str) -> Direction:
    """Return the direction that is said, also among other words: "DOWN to see more"."""
    for name, direction in _DIRECTIONS.items():
        if name in argument:
            return direction
    return as_direction(argument.strip("[]()\"'. "))


def _point(argument: str, frame: Frame) -> tuple[int, int]:
    found = re.match(PAIR, argument)
    if found is None:
        msg = f"there is no point (x, y) in {quoted(argument)}"
        raise DialectError(msg)
    return frame.pixel(number(found[1], "x"), number(found[2], "y"), _SCALE)
