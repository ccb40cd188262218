"""Android's key codes, and the virtual keyboard's map from keys to characters."""

from __future__ import annotations

import re
from dataclasses import dataclass

SHIFT, CTRL, ALT = 0x1, 0x1000, 0x2
MODIFIERS = {59: SHIFT, 60: SHIFT, 57: ALT, 58: ALT, 113: CTRL, 114: CTRL}

NAMES = """
UNKNOWN SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP
DPAD_DOWN DPAD_LEFT DPAD_RIGHT DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR A B C
D E F G H I J K L M N O P Q R S T U V W X Y Z COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT
SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET
RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK FOCUS PLUS MENU
NOTIFICATION SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND
MEDIA_FAST_FORWARD MUTE PAGE_UP PAGE_DOWN PICTSYMBOLS SWITCH_CHARSET BUTTON_A BUTTON_B
BUTTON_C BUTTON_X BUTTON_Y BUTTON_Z BUTTON_L1 BUTTON_R1 BUTTON_L2 BUTTON_R2 BUTTON_THUMBL
BUTTON_THUMBR BUTTON_START BUTTON_SELECT BUTTON_MODE ESCAPE FORWARD_DEL CTRL_LEFT
CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ BREAK MOVE_HOME
MOVE_END INSERT FORWARD MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD F1 F2
F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 NUM_LOCK NUMPAD_0 NUMPAD_1 NUMPAD_2 NUMPAD_3 NUMPAD_4
NUMPAD_5 NUMPAD_6 NUMPAD_7 NUMPAD_8 NUMPAD_9 NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT
NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN
NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO CHANNEL_UP CHANNEL_DOWN ZOOM_IN ZOOM_OUT TV WINDOW
GUIDE DVR BOOKMARK CAPTIONS SETTINGS
""".split()  # noqa: SIM905 - in the order of their codes, from 0
CODES = {name: code for code, name in enumerate(NAMES)} | {
    "APP_SWITCH": 187,
    "LANGUAGE_SWITCH": 204,
    "CONTACTS": 207,
    "CALENDAR": 208,
    "MUSIC": 209,
    "CALCULATOR": 210,
    "ASSIST": 219,
    "BRIGHTNESS_DOWN": 220,
    "BRIGHTNESS_UP": 221,
    "SLEEP": 223,
    "WAKEUP": 224,
    "VOICE_ASSIST": 231,
    "CUT": 277,
    "COPY": 278,
    "PASTE": 279,
    "ALL_APPS": 284,
}
LAST_CODE = 317

_SHIFTED = dict(zip("1234567890-=[]\\;'/`,.", '!@#$%^&*()_+{}|:"?~<>', strict=True))
_PLAIN = {
    "COMMA": ",", "PERIOD": ".", "SPACE": " ", "GRAVE": "`", "MINUS": "-", "EQUALS": "=",
    "LEFT_BRACKET": "[", "RIGHT_BRACKET": "]", "BACKSLASH": "\\", "SEMICOLON": ";",
    "APOSTROPHE": "'", "SLASH": "/", "AT": "@", "PLUS": "+", "STAR": "*", "POUND": "#",
    "NUMPAD_DIVIDE": "/", "NUMPAD_MULTIPLY": "*", "NUMPAD_SUBTRACT": "-", "NUMPAD_ADD": "+",
    "NUMPAD_DOT": ".", "NUMPAD_COMMA": ",", "NUMPAD_EQUALS": "=", "NUMPAD_LEFT_PAREN": "(",
    "NUMPAD_RIGHT_PAREN": ")",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Key:
    """A key that goes down and up, with the modifiers held meanwhile."""

    name: str
    meta: int = 0

    @property
    def repeats(self) -> bool:
        """Whether it acts again and again while it is held down."""
        return bool(self.character) or self.name in ("DEL", "FORWARD_DEL", "ENTER")

    @property
    def character(self) -> str:
        """What it types; nothing for keys that only do something."""
        if self.meta & (CTRL | ALT):
            return ""
        plain = _PLAIN.get(self.name) or self.name.removeprefix("NUMPAD_")
        if not re.fullmatch(r"[^A-Z]|[A-Z]", plain):
            return ""
        if self.meta & SHIFT:
            return _SHIFTED.get(plain, plain)
        return plain.lower()


def key(word: str | int, meta: int = 0) -> Key:
    """Find a key by code, name or full name; unknown ones are KEYCODE_UNKNOWN, as in Android."""
    if isinstance(word, int) or word.isdecimal():
        by_code = {code: name for name, code in CODES.items()}
        return Key(by_code.get(int(word), "UNKNOWN"), meta)
    name = word.upper().removeprefix("KEYCODE_")
    return Key(name if name in CODES else "UNKNOWN", meta)


def known(word: str) -> bool:
    """Tell whether this is a key's code or name."""
    if word.isdecimal():
        return 0 <= int(word) <= LAST_CODE
    return word.upper().removeprefix("KEYCODE_") in CODES


def typeable(text: str) -> bool:
    """Tell whether the virtual keyboard has keys for all of a text."""
    return all(" " <= character <= "~" or character in "\n\t" for character in text)


def split_keys(text: str) -> list[str]:
    """Split a text into runs of characters, and the keys Enter and Tab."""
    return [run for run in re.split(r"([\n\t])", text) if run]
