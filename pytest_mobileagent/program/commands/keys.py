"""Android's keys, as what is done with them."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Key, KeyName, Raw, Type
from pytest_mobileagent.program.watching import Act, Erase

if TYPE_CHECKING:
    from collections.abc import Sequence

# What needs another act beside it to say what it does; `merging` looks for these.
SELECT_ALL = Raw("select all")
PASTE = Raw("paste")
TO_THE_END = Raw("to the end of the text")
TO_THE_START = Raw("to the start of the text")
SCREEN_OFF = Raw("switch the screen off")  # which is always on: the power key would, too
WAKE_UP = 224  # the key that does nothing while the screen is on

_CANONICAL: dict[int, KeyName] = {
    3: "home", 4: "back", 24: "volume_up", 25: "volume_down", 61: "tab", 66: "enter",
    82: "menu", 111: "escape", 160: "enter", 187: "overview",
}  # fmt: skip
_NAMES = {
    "HOME": 3, "BACK": 4, "VOLUME_UP": 24, "VOLUME_DOWN": 25, "POWER": 26, "TAB": 61, "ENTER": 66,
    "SLEEP": 223, "WAKEUP": WAKE_UP, "SOFT_SLEEP": 276, "DEL": 67,
    "MENU": 82, "ESCAPE": 111, "FORWARD_DEL": 112, "MOVE_HOME": 122, "CTRL_LEFT": 113,
    "CTRL_RIGHT": 114, "MOVE_END": 123, "NUMPAD_ENTER": 160, "APP_SWITCH": 187, "PASTE": 279,
    "SHIFT_LEFT": 59, "SHIFT_RIGHT": 60, "STAR": 17, "POUND": 18, "COMMA": 55, "PERIOD": 56,
    "SPACE": 62, "GRAVE": 68, "MINUS": 69, "EQUALS": 70, "LEFT_BRACKET": 71, "RIGHT_BRACKET": 72,
    "BACKSLASH": 73, "SEMICOLON": 74, "APOSTROPHE": 75, "SLASH": 76, "AT": 77, "PLUS": 81,
    "NUMPAD_DIVIDE": 154, "NUMPAD_MULTIPLY": 155, "NUMPAD_SUBTRACT": 156, "NUMPAD_ADD": 157,
    "NUMPAD_DOT": 158, "NUMPAD_COMMA": 159, "NUMPAD_EQUALS": 161,
}  # fmt: skip
_NAMES |= {digit: 7 + place for place, digit in enumerate(string.digits)}
_NAMES |= {f"NUMPAD_{digit}": 144 + place for place, digit in enumerate(string.digits)}
_NAMES |= {letter: 29 + place for place, letter in enumerate(string.ascii_uppercase)}
_SIGNS = "*#,. `-=[]\\;'/@+"
_SIGN_NAMES = (
    "STAR POUND COMMA PERIOD SPACE GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH "
    "SEMICOLON APOSTROPHE SLASH AT PLUS"
)
_CHARACTERS = {_NAMES[name]: sign for name, sign in zip(_SIGN_NAMES.split(), _SIGNS, strict=True)}
_CHARACTERS |= {154 + place: sign for place, sign in enumerate("/*-+.,")} | {161: "="}
_CHARACTERS |= {7 + place: digit for place, digit in enumerate(string.digits)}
_CHARACTERS |= {144 + place: digit for place, digit in enumerate(string.digits)}
_CHARACTERS |= {29 + place: letter for place, letter in enumerate(string.ascii_lowercase)}
_SHIFTED = dict(zip("1234567890-=[]\\;'/`,.", '!@#$%^&*()_+{}|:"?~<>', strict=True))
_A, _V = 29, 50
_EDITS: dict[int, Act] = {
    26: SCREEN_OFF, 67: Erase(), 112: Erase(), 122: TO_THE_START, 123: TO_THE_END,
    223: SCREEN_OFF, 276: SCREEN_OFF, 279: PASTE,
}  # fmt: skip
_CTRL_KEYS, _SHIFT_KEYS = {113, 114}, {59, 60}
_SHIFT, _CTRL, _ALT, _META = 0x1, 0x1000, 0x2, 0x10000


def code(word: str) -> int | None:
    """Return the code of a key by its code or name, as "67", "DEL" or "KEYCODE_DEL"."""
    if re.fullmatch("[0-9]{1,5}", word):
        return int(word)
    return _NAMES.get(word.upper().removeprefix("KEYCODE_"))


def pressed(number: int | None, raw: str, meta: int = 0) -> Act:
    """Return what a key does that is pressed with the modifiers `meta`; `raw` if nothing is known.

    `raw` is the command in its own words.
    """
    if number is None or meta & (_ALT | _META):
        return Raw(raw)
    if meta & _CTRL:
        return {_A: SELECT_ALL, _V: PASTE}.get(number) or Raw(raw)
    if number in _CHARACTERS:
        return Type(_character(number, shift=bool(meta & _SHIFT)))
    if meta & _SHIFT:
        return Raw(raw)
    if number in _CANONICAL:
        return Key(_CANONICAL[number])
    return _EDITS.get(number) or Raw(raw)


def together(codes: Sequence[int | None], raw: str) -> Act:
    """Return what keys do that are held down together: the last one, with modifiers."""
    *modifiers, last = codes
    if modifiers and set(modifiers) <= _CTRL_KEYS:
        return pressed(last, raw, _CTRL)
    if modifiers and set(modifiers) <= _SHIFT_KEYS:
        return pressed(last, raw, _SHIFT)
    return Raw(raw)


def _character(number: int, *, shift: bool) -> str:
    plain = _CHARACTERS[number]
    return _SHIFTED.get(plain, plain.upper()) if shift else plain
