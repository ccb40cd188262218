"""Content URIs: content://AUTHORITY/PATH?PARAMETERS."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Uri:
    """A URI, with the decoded segments of its path."""

    text: str
    authority: str
    path: tuple[str, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)

    def match(self, pattern: str) -> tuple[str, ...] | None:
        """Match a path pattern such as `data/#`; return the values of # (a number) and *."""
        wanted = pattern.split("/") if pattern else []
        if len(wanted) != len(self.path):
            return None
        found = []
        for part, want in zip(self.path, wanted, strict=True):
            if want == "*" or (want == "#" and part.isdecimal()):
                found.append(part)
            elif part != want:
                return None
        return tuple(found)

    def __str__(self) -> str:
        return self.text


def parse_uri(text: str) -> Uri:
    """Parse a URI."""
    parts = urlsplit(text)
    path = tuple(unquote(part) for part in parts.path.split("/") if part)
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    authority = parts.netloc.rpartition("@")[2]  # a user id may precede an @; there is one user
    return Uri(text, authority, path, parameters)
