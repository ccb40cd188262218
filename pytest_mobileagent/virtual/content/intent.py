"""Intents, and the filters that say which of them an activity handles."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
        told = {
            "act": self.action,
            "cat": categories,
            "dat": redacted(self.data),
            "typ": self.type,
            "flg": f"{self.flags:#x}" if self.flags else "",
            "pkg": self.package,
            "cmp": short(self.component),
        }
        parts = [f"{key}={value}" for key, value in told.items() if value]
        return " ".join([*parts, "(has extras)"] if self.extras else parts)


@dataclass(frozen=True, slots=True)
class Reply:
    """A receiver's answer to a broadcast."""

    code: int = 0
    data: str | None = None


def launch(component: str) -> Intent:
    """Return the intent that a launcher sends for an icon."""
    package, flags = component.partition("/")[0], NEW_TASK | RESET_TASK
    return Intent(MAIN, package=package, component=component, categories=(LAUNCHER,), flags=flags)


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
    own = name.startswith(f"{package}.")
    return f"{package}/{name.removeprefix(package)}" if own else component


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


VIEW = "android.intent.action.VIEW"
SEND = "android.intent.action.SEND"
SENDTO = "android.intent.action.SENDTO"
SEND_MULTIPLE = "android.intent.action.SEND_MULTIPLE"
ABOUT_DATA = (VIEW, SEND, SENDTO, SEND_MULTIPLE)  # these require data or a type
BROWSABLE = "android.intent.category.BROWSABLE"
GIVEN = frozenset({DEFAULT, BROWSABLE, "android.intent.category.OPENABLE"})
WEB = ("http", "https")
LOCAL = ("", "content", "file")  # schemes accepted by a filter that only has types


@dataclass(frozen=True, slots=True)
class Filter:
    """An intent filter of a manifest.

    `hosts` may start with a star (`*.example.org`), a star in `paths` matches any text
    (`/course/*`), and `mime_types` may end with a star (`image/*`).
    """

    actions: Sequence[str]
    schemes: Sequence[str] = ()
    hosts: Sequence[str] = ()
    paths: Sequence[str] = ()
    mime_types: Sequence[str] = ()
    categories: Sequence[str] = ()
    lenient: bool = False  # also accepts intents without data, if the action allows it

    def matches(self, intent: Intent) -> bool:
        """Return whether an intent matches the filter."""
        known = set(intent.categories) <= {*self.categories, *GIVEN}
        return known and intent.action in self.actions and self._data_matches(intent)

    def _data_matches(self, intent: Intent) -> bool:
        bare = not intent.data and not intent.type
        if bare and self.lenient and intent.action not in ABOUT_DATA:
            return True
        return self._uri_matches(intent.data) and type_matches(intent.type, self.mime_types)

    def _uri_matches(self, data: str) -> bool:
        scheme = scheme_of(data)
        if not self.schemes:
            return scheme in LOCAL if self.mime_types else not scheme
        if scheme not in self.schemes:
            return False
        if not self.hosts:
            return True
        parts = urlsplit(data)
        host = (parts.hostname or "").lower()
        if not any(_host_matches(host, wanted.lower()) for wanted in self.hosts):
            return False
        return not self.paths or any(fnmatchcase(parts.path, path) for path in self.paths)


def scheme_of(data: str) -> str:
    """Return the scheme of a URI in lower case, or ""."""
    scheme, colon, _ = data.partition(":")
    return scheme.lower() if colon else ""


def type_matches(given: str, wanted: Iterable[str]) -> bool:
    """Return whether a MIME type matches one of several; both sides may contain stars."""
    patterns = list(wanted)
    if not given or not patterns:
        return not given and not patterns
    kind, _, sub = given.lower().partition("/")
    for pattern in patterns:
        other, _, under = pattern.lower().partition("/")
        kinds = other in ("*", kind) or kind == "*"
        if kinds and (under in ("*", sub) or sub == "*"):
            return True
    return False


def _host_matches(host: str, wanted: str) -> bool:
    return host.endswith(wanted[1:]) if wanted.startswith("*") else host == wanted
