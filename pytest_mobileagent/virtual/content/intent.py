"""Intents: requests to start an activity or deliver a broadcast, and Android's format of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

AIRPLANE_MODE = "android.intent.action.AIRPLANE_MODE"
MAIN = "android.intent.action.MAIN"
LAUNCHER = "android.intent.category.LAUNCHER"
HOME = "android.intent.category.HOME"
DEFAULT = "android.intent.category.DEFAULT"
NEW_TASK = 0x10000000
CLEAR_TOP = 0x04000000
SINGLE_TOP = 0x20000000
CLEAR_TASK = 0x00008000
RESET_TASK = 0x00200000
RECEIVER_FROM_SHELL = 0x00400000

CHOOSER = "android.intent.action.CHOOSER"
EXTRA_TEXT = "android.intent.extra.TEXT"
EXTRA_SUBJECT = "android.intent.extra.SUBJECT"
EXTRA_STREAM = "android.intent.extra.STREAM"
EXTRA_TITLE = "android.intent.extra.TITLE"
TARGET = "android.intent.extra.INTENT"
REQUEST = "android.content.pm.action.REQUEST_PERMISSIONS"
REQUESTED = "android.content.pm.extra.REQUEST_PERMISSIONS_NAMES"
MANAGE = "android.intent.action.MANAGE_APP_PERMISSIONS"
PACKAGE_NAME = "android.intent.extra.PACKAGE_NAME"
SHARE_SHEET = "com.android.intentresolver/.ChooserActivity"
RESOLVER = "android/com.android.internal.app.ResolverActivity"

PERSONAL = ("tel", "sip", "sms", "smsto", "mailto", "nfc")  # schemes whose data is masked in logs


@dataclass(frozen=True, slots=True)
class Intent:
    """An action, the data it applies to, and the component to handle it, if specified."""

    action: str = ""
    data: str = ""
    type: str = ""
    package: str = ""
    component: str = ""  # package/class, with the full class name
    categories: tuple[str, ...] = ()
    flags: int = 0
    extras: dict[str, Any] = field(default_factory=dict)

    def matches(self, other: Intent) -> bool:
        """Compare intents like Android's filterEquals: everything except flags and extras."""
        same = self.component == other.component != "" or self.package == other.package
        return same and all(
            getattr(self, name) == getattr(other, name)
            for name in ("action", "data", "type", "component", "categories")
        )

    def __str__(self) -> str:
        categories = f"[{','.join(self.categories)}]" if self.categories else ""
        parts = [
            f"{key}={value}"
            for key, value in (
                ("act", self.action),
                ("cat", categories),
                ("dat", redacted(self.data)),
                ("typ", self.type),
                ("flg", f"{self.flags:#x}" if self.flags else ""),
                ("pkg", self.package),
                ("cmp", short(self.component)),
            )
            if value
        ]
        return " ".join([*parts, "(has extras)"] if self.extras else parts)


@dataclass(frozen=True, slots=True)
class Reply:
    """A receiver's answer to a broadcast."""

    code: int = 0
    data: str | None = None


def launch(component: str) -> Intent:
    """Return the intent that a launcher sends for an icon."""
    return Intent(
        MAIN,
        package=component.partition("/")[0],
        component=component,
        categories=(LAUNCHER,),
        flags=NEW_TASK | RESET_TASK,
    )


def chooser(target: Intent) -> Intent:
    """Wrap an intent, so that the user is asked which app should handle it."""
    return Intent(CHOOSER, component=SHARE_SHEET, extras={TARGET: to_plain(target)})


def to_plain(intent: Intent) -> dict[str, Any]:
    """Convert an intent to plain data."""
    return asdict(intent)


def from_plain(plain: dict[str, Any]) -> Intent:
    """Convert plain data from `to_plain` to an intent."""
    return Intent(**{**plain, "categories": tuple(plain["categories"])})


def full(component: str) -> str:
    """Expand `pkg/.Class` to `pkg/pkg.Class`."""
    package, _, name = component.partition("/")
    return f"{package}/{class_name(package, name)}"


def class_name(package: str, name: str) -> str:
    """Return the full name of a class; `.Name` and `Name` are relative to the package."""
    if name.startswith("."):
        return package + name
    return name if "." in name else f"{package}.{name}"


def short(component: str) -> str:
    """Abbreviate `pkg/pkg.Class` to `pkg/.Class`."""
    package, _, name = component.partition("/")
    return (
        f"{package}/{name.removeprefix(package)}" if name.startswith(f"{package}.") else component
    )


def redacted(data: str) -> str:
    """Mask personal data in a URI, as Android's logs do."""
    if not data:
        return ""
    parts = urlsplit(data)
    if parts.scheme in PERSONAL:
        masked = "".join("x" if mark.isalnum() else mark for mark in parts.path)
        return f"{parts.scheme}:{masked}"
    if parts.netloc:
        return f"{parts.scheme}://{parts.netloc}/..."
    return f"{parts.scheme}:..." if parts.scheme else "..."
