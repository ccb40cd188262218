"""Intent filters: which intents an activity handles, by the rules of Android's IntentFilter."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_mobileagent.virtual.content.intent import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.virtual.content.intent import Intent

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
        return (
            intent.action in self.actions
            and set(intent.categories) <= {*self.categories, *GIVEN}
            and self._data_matches(intent)
        )

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
    if wanted.startswith("*"):
        return host.endswith(wanted[1:])
    return host == wanted
