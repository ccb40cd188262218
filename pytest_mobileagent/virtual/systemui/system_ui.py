"""The services that the system's own windows show and control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.display import Display
    from pytest_mobileagent.virtual.system.hardware import Power, Radios
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.keyguard import Keyguard
    from pytest_mobileagent.virtual.system.locales import Locales
    from pytest_mobileagent.virtual.system.notifications import Notifications, Shade
    from pytest_mobileagent.virtual.system.packages.packages import Packages
    from pytest_mobileagent.virtual.system.telephony import Telephony

SYSTEM_UI = "com.android.systemui"


@dataclass(frozen=True, eq=False)
class SystemUi:
    """The services behind the status bar, shade, lock screen and keyboard."""

    clock: Clock
    files: FileSystem
    changes: Changes
    settings: Settings
    display: Display
    locales: Locales
    power: Power
    radios: Radios
    packages: Packages
    ime: InputMethods
    activities: Activities
    telephony: Telephony
    notifications: Notifications
    shade: Shade
    keyguard: Keyguard

    def t(self, english: str, **values: object) -> str:
        """Return one of the system's texts in the phone's language."""
        return self.packages.app("android").t(english, **values)

    def call_text(self) -> str:
        """Return the duration of a call in the background, or "" if there is none."""
        dialer = self.settings.text("secure", "dialer_default_application")
        if self.telephony.state != "OFFHOOK" or self.activities.top.package == dialer:
            return ""
        minutes, seconds = divmod(self.telephony.seconds, 60)
        return self.locales.current.digits(f"{minutes:02}:{seconds:02}")

    def time_text(self) -> str:
        """Return the time of day as the status bar shows it."""
        locales = self.locales
        return locales.current.clock(self.clock.now(), long_clock=locales.long_clock)
