"""The keyboard of the uiautomator2 package, com.github.uiautomator, controlled by broadcasts."""

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
    """The app's behaviour; everything else comes from its APK."""

    package = PACKAGE

    def on_broadcast(self, intent: Intent) -> Reply | None:
        """Type or clear text, if this keyboard is the current input method."""
        name = intent.action.removeprefix(ACTION)
        act = _ACTS.get(name) if name != intent.action else None
        if act is None or self.phone.ime.current != KEYBOARD:
            return None
        extras = {key: str(value) for key, value in intent.extras.items()}
        try:
            told = act(self.phone, extras)
            return Reply(DONE, told if isinstance(told, str) and told else "success")
        except (ValueError, binascii.Error) as error:
            return Reply(0, str(error))


def _type(phone: Phone, extras: dict[str, str]) -> None:
    phone.ime.commit(base64.b64decode(extras.get("text", "")).decode("utf-8", "replace"))


def _hide(phone: Phone, _: dict[str, str]) -> None:
    phone.ime.hide()
    phone.changed()


_ACTS: Final[dict[str, Callable[[Phone, dict[str, str]], object]]] = {
    "CLEAR_TEXT": lambda phone, _: phone.ime.clear(),
    "EDITOR_CODE": lambda phone, _: phone.ime.enter(),
    "GET_CLIPBOARD": lambda phone, _: base64.b64encode(phone.clipboard.text.encode()).decode(),
    "HIDE": _hide,
    "INPUT_TEXT": _type,
    "SMART_ENTER": lambda phone, _: phone.ime.enter(),
}
