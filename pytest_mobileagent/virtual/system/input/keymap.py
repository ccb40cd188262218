"""Android's key codes, and the virtual keyboard's map from keys to characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

SHIFT, CTRL, ALT = 0x1, 0x1000, 0x2
MODIFIERS = {59: SHIFT, 60: SHIFT, 57: ALT, 58: ALT, 113: CTRL, 114: CTRL}

_TABLE = (resources.files(__package__) / "keycodes.txt").read_text("utf-8")
_KEYS = [line.split() for line in _TABLE.splitlines()[1:]]
CODES = {name: int(code) for code, name, *_ in _KEYS}
NAMES = {code: name for name, code in CODES.items()}
LAST_CODE = 317

_TYPED = {"SPACE": [" ", " "]} | {name: typed for _, name, *typed in _KEYS if typed}


@dataclass(frozen=True, slots=True)
class Key:
    """A key press, with the modifiers held during it."""

    name: str
    meta: int = 0

    @property
    def repeats(self) -> bool:
        """Whether the key repeats while it is held down."""
        return bool(self.character) or self.name in ("DEL", "FORWARD_DEL", "ENTER")

    @property
    def character(self) -> str:
        """The character that the key types, or "" if it types none."""
        if self.meta & (CTRL | ALT) or self.name not in _TYPED:
            return ""
        plain, shifted = _TYPED[self.name]
        return shifted if self.meta & SHIFT else plain


def key(word: str | int, meta: int = 0) -> Key:
    """Return the key with a code, name or full name; Android's KEYCODE_UNKNOWN if unknown."""
    if isinstance(word, int) or word.isdecimal():
        return Key(NAMES.get(int(word), "UNKNOWN"), meta)
    name = word.upper().removeprefix("KEYCODE_")
    return Key(name if name in CODES else "UNKNOWN", meta)


def known(word: str) -> bool:
    """Return whether a word is a key's code or name."""
    if word.isdecimal():
        return 0 <= int(word) <= LAST_CODE
    return word.upper().removeprefix("KEYCODE_") in CODES


def typeable(text: str) -> bool:
    """Return whether the virtual keyboard has keys for every character of the text."""
    return all(" " <= character <= "~" or character in "\n\t" for character in text)


def split_keys(text: str) -> list[str]:
    """Split text into runs of characters, and the keys Enter and Tab."""
    return [run for run in re.split(r"([\n\t])", text) if run]
