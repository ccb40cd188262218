"""Looks up the package of an app by the name that a model uses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Android's own apps and the most common others, by their English names; and those of AndroidWorld
# whose packages do not contain the names by which its agents open them (its adb_utils.py).
_PACKAGES = {
    "calculator": ("com.google.android.calculator", "com.android.calculator2"),
    "calendar": ("com.google.android.calendar", "com.android.calendar"),
    "camera": ("com.android.camera2", "com.google.android.GoogleCamera"),
    "chrome": ("com.android.chrome",),
    "clock": ("com.google.android.deskclock", "com.android.deskclock"),
    "contacts": ("com.google.android.contacts", "com.android.contacts"),
    "files": ("com.google.android.documentsui", "com.android.documentsui"),
    "gmail": ("com.google.android.gm",),
    "maps": ("com.google.android.apps.maps",),
    "messages": ("com.google.android.apps.messaging", "com.android.messaging"),
    "phone": ("com.google.android.dialer", "com.android.dialer"),
    "photos": ("com.google.android.apps.photos", "com.android.gallery3d"),
    "play store": ("com.android.vending",),
    "pro expense": ("com.arduia.expense",),
    "settings": ("com.android.settings",),
    "simple calendar": ("com.simplemobiletools.calendar.pro",),
    "simple draw": ("com.simplemobiletools.draw.pro",),
    "simple gallery": ("com.simplemobiletools.gallery.pro",),
    "simple sms messenger": ("com.simplemobiletools.smsmessenger",),
    "youtube": ("com.google.android.youtube",),
}
_ALIASES = {
    "activity tracker": "opentracks",
    "broccoli recipe": "broccoli",
    "google chrome": "chrome",
    "browser": "chrome",
    "dialer": "phone",
    "file manager": "files",
    "gallery": "photos",
    "google maps": "maps",
    "google photos": "photos",
    "google play store": "play store",
    "open tracks sports tracker": "opentracks",
    "simple calendar pro": "simple calendar",
    "simple draw pro": "simple draw",
    "simple gallery pro": "simple gallery",
    "simple sms": "simple sms messenger",
    "sms": "messages",
    "system settings": "settings",
    "tasks org": "tasks",
    "vlc player": "vlc",
}


def package_of(name: str, installed: Iterable[str]) -> str:
    """Return the package of an app, given its name; the name itself if none is found.

    An installed package is its own name. Otherwise, names of common apps are tried, and then
    packages that contain the name, the shortest first.
    """
    packages = sorted(installed, key=lambda package: (len(package), package))
    if name in packages:
        return name
    key = " ".join(re.findall(r"\w+", name.lower())).removesuffix(" app")
    key = _ALIASES.get(key, key)
    for package in _PACKAGES.get(key, ()):
        if package in packages:
            return package
    squeezed = key.replace(" ", "")
    parts = ((package, package.lower().split(".")) for package in packages)
    near = [package for package, words in parts if squeezed and squeezed in words]
    near += [package for package in packages if squeezed and squeezed in package.lower()]
    return near[0] if near else name


def name_of(package: str) -> str:
    """Return the capitalised English name of a common app; for others, the package itself."""
    for name, packages in _PACKAGES.items():
        if package in packages:
            return name.title()
    return package
