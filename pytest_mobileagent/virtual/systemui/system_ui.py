"""The services that the system's own windows show and control, and the wallpaper behind them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image, UnidentifiedImageError

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.configuration import Display, Locales
    from pytest_mobileagent.virtual.system.hardware import Power, Radios
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.keyguard import Keyguard
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


WALLPAPER: Final = "/data/system/users/0/wallpaper_orig"  # where Android stores the chosen picture
_CROPPED: Final = "/data/system/users/0/wallpaper"  # what Android crops it to, and loads at boot
_HILLS: Final = Path(__file__).with_name("hills.png")


def wallpaper(files: FileSystem) -> bytes:
    """Return the wallpaper as an encoded picture; an unreadable file counts as missing."""
    if files.is_file(WALLPAPER) and _readable(data := files.read(WALLPAPER)):
        return data
    return _hills()


def load_wallpaper(files: FileSystem) -> None:
    """Load the wallpaper found at boot."""
    if files.is_file(_CROPPED):
        files.rename(_CROPPED, WALLPAPER)  # so that one chosen later takes effect at the next boot


def wallpaper_stamp(files: FileSystem) -> int:
    """Return a number that changes when the wallpaper does."""
    return hash(files.stat(WALLPAPER)) if files.is_file(WALLPAPER) else 0


@lru_cache(1)
def _readable(data: bytes) -> bool:
    try:
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return False
    return True


@cache
def _hills() -> bytes:
    return _HILLS.read_bytes()
