"""Appium's helper app, io.appium.settings: the behaviour of its APK once it is installed."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, Reply
from pytest_mobileagent.virtual.sdk.app import Activity, App
from pytest_mobileagent.virtual.ui import MATCH, Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.notifications import Notification
    from pytest_mobileagent.virtual.ui import View

PACKAGE: Final = "io.appium.settings"
DONE: Final = -1  # Activity.RESULT_OK
APPIUM_IME, UNICODE_IME, EMPTY_IME = (f"{PACKAGE}/.{n}IME" for n in ("Appium", "Unicode", "Empty"))
SMS: Final = "content://sms"
MOST_SMS: Final = 100
_ACTION = re.compile(r"/(\w+)/")


class Start(Activity):
    """The launcher activity: starts the foreground service and finishes."""

    name = ".Settings"
    main = (LAUNCHER,)

    def on_create(self) -> None:
        """Finish at once."""
        if self.intent.action in ("", MAIN):
            self.finish()

    def content(self) -> View:
        """Return an empty view, which is never visible."""
        return Column([], height=MATCH)


class Helper(App):
    """The app's behaviour; everything else comes from its APK."""

    package = PACKAGE
    screens = (Start,)  # replace those that are created from the manifest
    foreground_services = (f"{PACKAGE}.ForegroundService",)

    def on_broadcast(self, intent: Intent) -> Reply | None:
        """Answer Appium's own broadcasts."""
        name = intent.action.removeprefix(f"{PACKAGE}.")
        answer = _ANSWERS.get(name) if name != intent.action else None
        if answer is None:
            return None
        try:
            return Reply(DONE, answer(self.phone, dict(intent.extras)))
        except ValueError as error:
            self.log("APPIUM SETTINGS", str(error), "E")
            return Reply(0)

    def on_typed(self, text: str) -> bool:
        """Handle text typed while one of the app's input methods is in use."""
        ime = self.phone.ime
        if ime.current == UNICODE_IME:
            ime.commit(from_utf7(text))
            return True
        if ime.current == APPIUM_IME and (match := _ACTION.fullmatch(text)):
            if match[1] != "none":
                ime.enter()
            return True
        return False


def from_utf7(text: str) -> str:
    """Decode IMAP's UTF-7: & starts a base64 sequence, - ends it, and &- stands for &."""

    def decoded(match: re.Match[str]) -> str:
        if not match[1]:
            return "&"
        code = match[1].replace(",", "/")
        try:
            return base64.b64decode(code + "=" * (-len(code) % 4)).decode("utf-16-be", "replace")
        except binascii.Error:
            return match[0]

    return re.sub("&([A-Za-z0-9+,]*)-", decoded, text)


def _clipboard(phone: Phone, _: dict[str, Any]) -> str:
    """Return the clipboard, which since Android 10 only the current input method may read."""
    if phone.ime.current != APPIUM_IME:
        return ""
    return base64.b64encode(phone.clipboard.text.encode()).decode()


def _set_locale(phone: Phone, extras: dict[str, Any]) -> str:
    parts = [extras.get(name) for name in ("lang", "script", "country")]
    if not parts[0] or not parts[2]:
        raise ValueError("language and country must be given")
    phone.locales.change(["-".join(str(part) for part in parts if part)])
    return str(phone.props.get("persist.sys.locale"))


def _list_locales(phone: Phone, _: dict[str, Any]) -> str:
    tags = sorted({"en-US", "en-GB", "zh-CN", "ko-KR", "fr-FR", "ar-EG", *phone.locales.tags})
    parts = [tag.split("-") for tag in tags]
    items = [{"language": each[0], "country": each[-1], "script": ""} for each in parts]
    return base64.b64encode(json.dumps({"items": items}).encode()).decode()


def _location(phone: Phone, _: dict[str, Any]) -> str:
    """Return the last known position, if apps may access the location."""
    if phone.settings.text("secure", "location_mode", "0") == "0":
        raise ValueError("the location is switched off")
    message = "The current location has been successfully retrieved from Location Manager"
    phone.log.write("I", "LocationTracker", message, pid=phone.proc.pid(PACKAGE))
    fix = phone.hardware.fix
    return f"{fix.latitude:.5f} {fix.longitude:.5f} {fix.altitude:.5f}"


def _notifications(phone: Phone, _: dict[str, Any]) -> str:
    shown = [_notification(posted) for posted in phone.notifications.posted]
    return json.dumps({"statusBarNotifications": shown})


def _notification(posted: Notification) -> dict[str, Any]:
    return {
        "isGroup": False,
        "packageName": posted.package,
        "isClearable": True,
        "isOngoing": False,
        "id": 0,
        "tag": posted.tag,
        "postTime": round(posted.time * 1000),
        "notification": {
            "title": posted.title,
            "text": posted.text,
            **dict.fromkeys(("bigTitle", "bigText", "tickerText", "subText", "infoText")),
            "template": None,
        },
    }


def _sms(phone: Phone, extras: dict[str, Any]) -> str:
    most = int(extras.get("max", MOST_SMS))
    rows = phone.resolver.query(SMS, sort="date DESC")
    return json.dumps({"items": rows[:most], "total": len(rows)}, default=str)


_ANSWERS: Final[dict[str, Callable[[Phone, dict[str, Any]], str]]] = {
    "clipboard.get": _clipboard,
    "list_locales": _list_locales,
    "locale": _set_locale,
    "location": _location,
    "notifications": _notifications,
    "sms.read": _sms,
}
