"""The uiautomator2 package's own keyboard, com.github.uiautomator: it types what broadcasts say."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.content.intent import Reply
from pytest_mobileagent.virtual.sdk.app import App

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.phone import Phone

PACKAGE: Final = "com.github.uiautomator"
KEYBOARD: Final = f"{PACKAGE}/.AdbKeyboard"
DONE: Final = -1  # Activity.RESULT_OK
ACTION: Final = "ADB_KEYBOARD_"


class AdbKeyboard(App):
    """What the app does; the rest comes from its APK."""

    package = PACKAGE

    def on_broadcast(self, intent: Intent) -> Reply | None:
        """Type, clear or press, if this keyboard is the one in use."""
        name = intent.action.removeprefix(ACTION)
        act = _ACTS.get(name) if name != intent.action else None
        if act is None or self.phone.ime.current != KEYBOARD:
            return None
        extras = {key: str(value) for key, value in intent.extras.items()}
        try:
            return Reply(DONE, act(self.phone, extras) or "success")
        except (ValueError, binascii.Error) as error:
            return Reply(0, str(error))


def _input(phone: Phone, extras: dict[str, str]) -> None:
    phone.ime.commit(_text(extras))


def _set(phone: Phone, extras: dict[str, str]) -> None:
    phone.ime.clear()
    phone.ime.commit(_text(extras))


def _text(extras: dict[str, str]) -> str:
    return base64.b64decode(extras.get("text", "")).decode("utf-8", "replace")


def _clear(phone: Phone, _: dict[str, str]) -> None:
    phone.ime.clear()


def _enter(phone: Phone, _: dict[str, str]) -> None:
    phone.ime.enter()


def _key(phone: Phone, extras: dict[str, str]) -> None:
    phone.key(int(extras.get("code", "")))


def _hide(phone: Phone, _: dict[str, str]) -> None:
    phone.ime.hide()
    phone.changed()


def _show(phone: Phone, _: dict[str, str]) -> None:
    phone.ime.show()
    phone.changed()


def _clipboard(phone: Phone, _: dict[str, str]) -> str:
    return base64.b64encode(phone.clipboard.text.encode()).decode()


_ACTS: Final[dict[str, Callable[[Phone, dict[str, str]], str | None]]] = {
    "CLEAR_TEXT": _clear,
    "EDITOR_CODE": _enter,
    "GET_CLIPBOARD": _clipboard,
    "HIDE": _hide,
    "INPUT_KEYCODE": _key,
    "INPUT_TEXT": _input,
    "SET_TEXT": _set,
    "SHOW": _show,
    "SMART_ENTER": _enter,
}
