"""The emulator's keyboard: keys by code or name, and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.grpc.protocol import control
from pytest_mobileagent.virtual.system.input import evdev
from pytest_mobileagent.virtual.system.input.keymap import CODES, MODIFIERS, typeable

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

# Offsets of the kinds of key codes from those of the kernel.
_SHIFT: Final = {control.KeyboardEvent.Evdev: 0, control.KeyboardEvent.XKB: 8}
_NAMES: Final = {  # names of the web's keys, with Android's
    "AppSwitch": "APP_SWITCH",
    "ArrowDown": "DPAD_DOWN",
    "ArrowLeft": "DPAD_LEFT",
    "ArrowRight": "DPAD_RIGHT",
    "ArrowUp": "DPAD_UP",
    "AudioVolumeDown": "VOLUME_DOWN",
    "AudioVolumeUp": "VOLUME_UP",
    "Backspace": "DEL",
    "Delete": "FORWARD_DEL",
    "End": "MOVE_END",
    "Enter": "ENTER",
    "Escape": "ESCAPE",
    "GoBack": "BACK",
    "GoHome": "HOME",
    "Home": "MOVE_HOME",
    "PageDown": "PAGE_DOWN",
    "PageUp": "PAGE_UP",
    "Power": "POWER",
    "Tab": "TAB",
}


class Keyboard:
    """Presses keys as they go down, with the modifiers held meanwhile."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._meta = 0

    def take(self, event: Any) -> None:
        """Handle an event: text takes precedence over codes; ValueError for unknown codes."""
        if event.text:
            self._phone.type_text("".join(letter for letter in event.text if typeable(letter)))
        elif event.keyCode:
            if event.codeType not in _SHIFT:
                raise ValueError("key codes are known of the kinds Evdev and XKB")
            self._press(evdev.NAMES.get(event.keyCode - _SHIFT[event.codeType]), event)
        elif event.key in _NAMES:
            self._press(_NAMES[event.key], event)
        elif len(event.key) == 1 and typeable(event.key) and not _goes_up(event):
            self._phone.type_text(event.key)

    def _press(self, name: str | None, event: Any) -> None:
        if name is None:  # unknown to the kernel
            return
        modifier = MODIFIERS.get(CODES[name], 0)
        if modifier:
            self._meta = self._meta & ~modifier if _goes_up(event) else self._meta | modifier
        elif not _goes_up(event):
            self._phone.key(f"KEYCODE_{name}", self._meta)  # a plain 1 would be a code


def _goes_up(event: Any) -> bool:
    return bool(event.eventType == control.KeyboardEvent.keyup)
