"""The packages of the system image."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.virtual.image.event_listener import EventListener
from pytest_mobileagent.virtual.image.home import Launcher
from pytest_mobileagent.virtual.image.permission_controller import PermissionController
from pytest_mobileagent.virtual.image.sheets import IntentResolver, ResolverActivity
from pytest_mobileagent.virtual.providers import STORAGES
from pytest_mobileagent.virtual.sdk.app import App
from pytest_mobileagent.virtual.system.input.ime import ADB, LATIN

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app import app as base
    from pytest_mobileagent.virtual.content.intent import Intent


class Framework(App):
    """The Android framework itself."""

    package, label, version_name, version_code = "android", "Android System", "14", 34
    system = True
    accent = "#0b57d0"
    activities = (ResolverActivity,)


class SystemUi(App):
    """The status bar, navigation bar and toasts."""

    package, label, version_name, version_code = "com.android.systemui", "System UI", "14", 34
    system = True


class Shell(App):
    """The user of adb shell."""

    package, label, version_name, version_code = "com.android.shell", "Shell", "14", 34
    system = True


class Gboard(App):
    """The soft keyboard."""

    package, label = "com.google.android.inputmethod.latin", "Gboard"
    version_name, version_code = "13.3.09", 62_741_510
    system = True
    input_methods: ClassVar = {LATIN: "Gboard"}


class AdbKeyboard(App):
    """The keyboard that types, in any script, the text it receives in broadcasts."""

    package, label, version_name, version_code = "com.android.adbkeyboard", "ADB Keyboard", "2.0", 6
    input_methods: ClassVar = {ADB: "ADB Keyboard"}

    def on_broadcast(self, intent: Intent) -> str | None:
        """Type, press a key or clear text, if this keyboard is the current input method."""
        if self.phone.ime.current != ADB:
            return None
        match intent.action:
            case "ADB_INPUT_TEXT":
                self.phone.ime.commit(str(intent.extras.get("msg", "")))
            case "ADB_INPUT_B64":
                text = base64.b64decode(str(intent.extras.get("msg", ""))).decode(errors="replace")
                self.phone.ime.commit(text)
            case "ADB_INPUT_CODE":
                self.phone.key(int(intent.extras.get("code", -1)))
            case "ADB_EDITOR_CODE":
                self.phone.ime.enter()
            case "ADB_CLEAR_TEXT":
                self.phone.ime.clear()
        return None


IMAGE: tuple[type[base.App], ...] = (
    *(Framework, SystemUi, Launcher, Shell, Gboard, AdbKeyboard, EventListener),
    *(PermissionController, IntentResolver),
    *STORAGES,
)
