"""Keys: Android's codes, the characters that they type, and what each key does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import MAIN, NEW_TASK, SINGLE_TOP, Intent
from pytest_mobileagent.virtual.ui import Input, editing, touch

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.log import Log
    from pytest_mobileagent.virtual.system.accessibility.events import Events
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.capture import Sight
    from pytest_mobileagent.virtual.system.hardware import Audio, Power
    from pytest_mobileagent.virtual.system.input.ime import Clipboard, InputMethods
    from pytest_mobileagent.virtual.system.keyguard import Keyguard
    from pytest_mobileagent.virtual.system.notifications import Shade
    from pytest_mobileagent.virtual.system.packages.packages import Packages
    from pytest_mobileagent.virtual.system.telephony import Telephony
    from pytest_mobileagent.virtual.system.windows import Windows
    from pytest_mobileagent.virtual.ui.layout import UiState


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


CURSOR = {
    "DPAD_LEFT": "left",
    "DPAD_RIGHT": "right",
    "MOVE_HOME": "home",
    "MOVE_END": "end",
    "SELECT_ALL": "all",  # not a key, but the meaning of Ctrl+A
}
SHORTCUTS = {"A": "SELECT_ALL", "C": "COPY", "V": "PASTE", "X": "CUT"}  # with Ctrl
UNLOCKING = frozenset(  # keys with a different function, or none, on the lock screen
    ("BACK", "ESCAPE", "HOME", "APP_SWITCH", "MENU", "SPACE", "ENTER", "NUMPAD_ENTER", "DEL")
)
WITHOUT_LOOKING = frozenset(("POWER", "WAKEUP", "CALL", "ENDCALL"))  # work while the screen is off
STARTING = {  # keys that start an activity by action
    "ALL_APPS": "android.intent.action.ALL_APPS",
    "ASSIST": "android.intent.action.ASSIST",
    "CALL": "android.intent.action.CALL_BUTTON",
    "SETTINGS": "android.settings.SETTINGS",
    "VOICE_ASSIST": "android.intent.action.VOICE_ASSIST",
}
APPLICATIONS = {  # keys that start the app of a category
    "CALCULATOR": "android.intent.category.APP_CALCULATOR",
    "CALENDAR": "android.intent.category.APP_CALENDAR",
    "CONTACTS": "android.intent.category.APP_CONTACTS",
    "ENVELOPE": "android.intent.category.APP_EMAIL",
    "EXPLORER": "android.intent.category.APP_BROWSER",
    "MUSIC": "android.intent.category.APP_MUSIC",
}
FOCUS = {"DPAD_UP": True, "DPAD_LEFT": True, "DPAD_DOWN": False, "DPAD_RIGHT": False}


@dataclass(eq=False)
class Keys:
    """Dispatches keys; while the screen is off, only keys that wake it have an effect."""

    clock: Clock
    changes: Changes
    clipboard: Clipboard
    audio: Audio
    power: Power
    ime: InputMethods
    activities: Activities
    shade: Shade
    keyguard: Keyguard
    windows: Windows
    events: Events
    log: Log
    packages: Packages
    telephony: Telephony
    sight: Sight

    def __post_init__(self) -> None:
        """Map the system's own keys to their functions."""
        self._system: dict[str, Callable[[], object]] = {
            "HOME": self.activities.home,
            "BACK": self.back,
            "ESCAPE": self.back,
            "APP_SWITCH": self.activities.overview,
            "CALL": self._call,
            "ENDCALL": self._end_call,
            "SYSRQ": self.sight.keep,
            "POWER": self.power.toggle,
            "SLEEP": self.power.sleep,
            "WAKEUP": self.power.wake,
            "NOTIFICATION": self.shade.pull,
            "VOLUME_UP": lambda: self.audio.adjust(+1),
            "VOLUME_DOWN": lambda: self.audio.adjust(-1),
            "VOLUME_MUTE": self.audio.mute,
            "BRIGHTNESS_UP": lambda: self.power.adjust_brightness(+26),
            "BRIGHTNESS_DOWN": lambda: self.power.adjust_brightness(-26),
        }

    def press(self, key: Key) -> None:
        """Press and release a key."""
        self.clock.input_happened()
        if not self.power.awake and key.name not in WITHOUT_LOOKING:
            return
        act = self._system.get(key.name)
        if self.keyguard.showing and key.name in UNLOCKING:
            self._on_keyguard(key)
        elif act:
            act()
        elif key.name in STARTING or key.name in APPLICATIONS:
            self._start(key.name)
        elif key.meta & CTRL:
            self._in_field(Key(SHORTCUTS.get(key.name, "")))
        elif self.keyguard.takes_keys and key.character:
            self.keyguard.press(key.character)
        elif not self._in_field(key):
            self._in_window(key)
        self.changes.note()

    def _on_keyguard(self, key: Key) -> None:
        keyguard = self.keyguard
        if key.name in ("BACK", "ESCAPE"):
            (self.shade.push if self.shade.open else keyguard.back)()
        elif keyguard.asking and key.name in ("ENTER", "NUMPAD_ENTER"):
            if not self._in_field(key):
                keyguard.enter()
        elif key.name == "DEL":
            if not self._in_field(key):
                keyguard.delete()
        elif key.name in ("MENU", "SPACE", "ENTER"):
            keyguard.dismiss()

    def _call(self) -> None:
        """Answer a ringing call, or open the dialer."""
        if self.telephony.state == "RINGING":
            self.telephony.answer()
        elif self.power.awake:
            self._start("CALL")

    def _end_call(self) -> None:
        """Hang up, or turn the screen off if there is no call."""
        (self.telephony.hang_up if self.telephony.call else self.power.sleep)()

    def _start(self, name: str) -> None:
        """Start the activity that a key opens."""
        category = APPLICATIONS.get(name)
        action, categories = (MAIN, (category,)) if category else (STARTING[name], ())
        intent = Intent(action, categories=categories, flags=NEW_TASK | SINGLE_TOP)
        if self.packages.resolve(intent):
            self.activities.start(intent, uid=1000)
        elif category:
            why = "because the activity to which it is registered was not found"
            line = f"application launch key {why}: keyCode=KEYCODE_{name}, category={category}"
            self.log.system("W", "WindowManager", f"Dropping {line}")

    def back(self) -> None:
        """Close the keyboard, or a menu or dialog, or else leave the activity."""
        window = self.windows.active
        if self.ime.shown:
            self.ime.hide()
        elif window.kind == "shade":
            self.shade.push()
        elif window.kind == "menu":
            window.record.close_menu()
        elif window.kind == "dialog":
            self.windows.cancel(window)
        else:
            self.activities.back()

    def _in_field(self, key: Key) -> bool:
        """Pass a key to the focused text field; return False if the field does not use it."""
        windows, ime = self.windows, self.ime
        field, state = windows.focused_field(), windows.active.state
        if field is None:
            return False
        done = True
        match key.name:
            case "ENTER" | "NUMPAD_ENTER" | "DPAD_CENTER":
                ime.enter()
            case "DEL" | "FORWARD_DEL":
                ime.edit(partial(editing.delete, forward=key.name == "FORWARD_DEL"))
            case "PASTE":
                ime.commit(self.clipboard.text)
            case "COPY" | "CUT":
                self._copy(field, state, cut=key.name == "CUT")
            case "CLEAR":
                ime.clear()
            case name if name in CURSOR:
                editing.move(field, state, CURSOR[name])
            case _:
                done = bool(key.character) and ime.commit(key.character)
        return done

    def _copy(self, field: Input, state: UiState, *, cut: bool) -> None:
        if state.anchor is None:
            return
        start, end = sorted((state.anchor, state.cursor))
        self.clipboard.text = field.text[start:end]
        if cut:
            self.ime.edit(editing.delete)

    def _in_window(self, key: Key) -> None:
        """Handle a key outside text fields: move the focus, click, scroll or open the menu."""
        windows = self.windows
        if key.name == "TAB":
            windows.focus_next(back=bool(key.meta & SHIFT))
        elif key.name in FOCUS:
            windows.focus_next(back=FOCUS[key.name])
        elif key.name in ("ENTER", "NUMPAD_ENTER", "DPAD_CENTER", "SPACE"):
            self._click_focused()
        elif key.name in ("PAGE_UP", "PAGE_DOWN"):
            self._page(1 if key.name == "PAGE_UP" else -1)
        elif key.name == "MENU":
            self._open_overflow()

    def _click_focused(self) -> None:
        window, box = self.windows.active, self.windows.focused()
        if box is None or isinstance(box.view, Input) or not box.view.enabled:
            return
        left, top, right, bottom = box.visible or box.bounds
        with self.activities.guard(window.record.package):
            touch.tap(box, (left + right) // 2, (top + bottom) // 2, window.state)
        self.changes.note()
        self.events.click(window, box)

    def _page(self, way: int) -> None:
        window = self.windows.active
        for box in window.box.walk():
            if box.reach > 0 and box.visible:
                height = box.visible[3] - box.visible[1]
                touch.scroll(box, 0, way * height, window.state)
                return

    def _open_overflow(self) -> None:
        window = self.windows.active
        for box in window.box.walk():
            if box.view.menu and box.view.desc == "More options":
                window.state.menu = box.key
                return
