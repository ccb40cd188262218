"""The calls that CogAgent with 9B parameters makes: `CLICK(box=[[…]])` and the like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import (
    Direction,
    DoubleTap,
    Finish,
    Key,
    KeyName,
    LongPress,
    Open,
    Scroll,
    Tap,
    Type,
)
from pytest_mobileagent.dialect.dialect import DialectError
from pytest_mobileagent.dialect.reading import point, quoted
from pytest_mobileagent.dialect.wording import cannot_say, thousandths

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.dialect.dialect import Frame

# The 9B model scrolls the content, the finger goes the other way.
_FINGER: dict[str, Direction] = {"UP": "down", "DOWN": "up", "LEFT": "right", "RIGHT": "left"}
_KEYS: dict[str, KeyName] = {
    "return": "enter",
    "enter": "enter",
    "back": "back",
    "home": "home",
    "menu": "menu",
    "recent": "overview",
    "appselect": "overview",
    "delete": "delete",
    "backspace": "delete",
    "tab": "tab",
    "escape": "escape",
    "esc": "escape",
    "volumeup": "volume_up",
    "volumedown": "volume_down",
}
_KEY_WORDS: dict[KeyName, str] = {
    "enter": "Return",
    "back": "Back",
    "home": "Home",
    "menu": "Menu",
    "overview": "Recent",
    "delete": "Delete",
    "tab": "Tab",
    "escape": "Escape",
    "volume_up": "VolumeUp",
    "volume_down": "VolumeDown",
}
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\'": "'", '\\"': '"', "\\\\": "\\"}
_BOX = re.compile(r"\[+\s*((?:\d+(?:\.\d+)?\s*[,，]\s*){1,3}\d+(?:\.\d+)?)\s*\]")
_THOUSANDTHS = (1000, 1000)


def called(name: str, arguments: str, frame: Frame, *, submit: bool) -> Action:
    """Return what a call means; with `submit`, typing clears the field and presses enter.

    Raises:
        DialectError: it is none that a phone can do.
    """
    match name:
        case "CLICK":
            return Tap(*box_center(arguments, frame))
        case "DOUBLE_CLICK":
            return DoubleTap(*box_center(arguments, frame))
        case "RIGHT_CLICK" | "LONG_PRESS":
            return LongPress(*box_center(arguments, frame))
        case "TYPE":
            typed = _argument("text", arguments)
            return Type(typed, _named_box(arguments, frame), submit, submit)
        case "SCROLL_UP" | "SCROLL_DOWN" | "SCROLL_LEFT" | "SCROLL_RIGHT":
            finger = _FINGER[name.removeprefix("SCROLL_")]
            return Scroll(finger, _named_box(arguments, frame))
        case "KEY_PRESS":
            return Key(_key(_argument("key", arguments)))
        case "LAUNCH":
            return _launch(arguments)
        case "END":
            return Finish()
    msg = f"there is no operation {quoted(name)} that a phone can do"
    raise DialectError(msg)


def call_of(action: Action, frame: Frame, *, submit: bool) -> str:
    """Return the call that says an action.

    Raises:
        DialectError: there is none.
    """
    match action:
        case Tap(x, y):
            return f"CLICK({_box(x, y, frame)})"
        case DoubleTap(x, y):
            return f"DOUBLE_CLICK({_box(x, y, frame)})"
        case LongPress(x, y):
            return f"RIGHT_CLICK({_box(x, y, frame)})"
        case Type(typed, at, clear, enter) if clear == enter == submit:
            box = f"{_box(*at, frame)}, " if at else ""
            return f"TYPE({box}text={_literal(typed)})"
        case Scroll(direction, at):
            box = f"{_box(*at, frame)}, " if at else ""
            content = next(name for name, finger in _FINGER.items() if finger == direction)
            return f"SCROLL_{content}({box}step_count=5)"
        case Key(name):
            return f"KEY_PRESS(key='{_KEY_WORDS[name]}')"
        case Open(app):
            return f"LAUNCH(app={_literal(app)}, url='None')"
        case Finish(""):
            return "END()"
    raise cannot_say("CogAgent (9B)", action)


def _named_box(arguments: str, frame: Frame) -> tuple[int, int] | None:
    found = re.search(r"\bbox\s*=\s*(\[[^\]]*\])", arguments)
    return box_center(found[1], frame) if found else None


def _argument(name: str, arguments: str) -> str:
    """Return an argument in quotes: to a quote behind which the next argument or the end comes."""
    opened = re.search(rf"\b{name}\s*=\s*(['\"])", arguments)
    if opened is None:
        msg = f"there is no {name}='…' in {quoted(arguments)}"
        raise DialectError(msg)
    for behind in (r"\s*(?:,\s*\w+\s*=|[)）]\s*(?:\n|$))", r"\s*[)）]"):
        literal = re.compile(rf"((?:\\.|[^\\])*?){opened[1]}(?={behind})", re.DOTALL)
        found = literal.match(arguments, opened.end())
        if found:
            return re.sub(r"\\[nt'\"\\]", lambda slash: _ESCAPES[slash[0]], found[1])
    msg = f"the argument {name} does not end in {quoted(arguments)}"
    raise DialectError(msg)


def _key(word: str) -> KeyName:
    key = _KEYS.get(re.sub(r"[\s_-]", "", word).lower())
    if key is None:
        msg = f"a phone has no key {quoted(word)}"
        raise DialectError(msg)
    return key


def _launch(arguments: str) -> Open:
    app = _argument("app", arguments)
    if re.search(r"url\s*=\s*(['\"])(?!None\1|\1)", arguments) or app in ("", "None"):
        msg = f"only apps can be launched, not what {quoted(arguments)} names"
        raise DialectError(msg)
    return Open(app)


def _box(x: int, y: int, frame: Frame) -> str:
    px, py = thousandths(x, y, frame)
    return f"box=[[{px:03d},{py:03d},{px:03d},{py:03d}]]"


def _literal(typed: str) -> str:
    escaped = {char: escape for escape, char in _ESCAPES.items() if char != '"'}
    return "'" + "".join(escaped.get(char, char) for char in typed) + "'"


def box_center(words: str, frame: Frame) -> tuple[int, int]:
    """Return the pixel of the first [[x, y]], or of the centre of [[x1, y1, x2, y2]].

    They are thousandths of the picture.

    Raises:
        DialectError: there is neither, or it lies outside of the picture.
    """
    found = _BOX.search(words)
    if found is None or found[1].count(",") + found[1].count("，") == 2:
        msg = f"there is no point or box in {quoted(words)}"
        raise DialectError(msg)
    return frame.pixel(*point(found[1]), _THOUSANDTHS)
