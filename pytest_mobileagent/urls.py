"""Redacts URLs that may contain secrets."""

from __future__ import annotations

import base64
import re

# The name and password, which may contain any character, end at the last @ before the next URL,
# unless that @ leads to the URL, as in lists of models: PROVIDER:NAME@URL,PROVIDER:NAME@URL.
_URL = re.compile(
    r"(\w+://)(?:(?:(?!\w+://).)*@(?!\w+://))?((?:(?!\w+://)[^\s?#])*(?:[?#]\S*)?)", re.DOTALL
)


def redact_urls(text: str) -> str:
    """Return the text with secrets removed from its URLs, so that it may be shown and recorded.

    Names, passwords and the values of queries are removed, and more than that if it is unclear
    where a password ends.
    """
    return _URL.sub(lambda url: url[1] + _without_query(url[2]), text)


def hide(text: str, url: str) -> str:
    """Return text, such as an error message, without the secrets of a URL (see `redact_urls`)."""
    from urllib.parse import unquote, unquote_plus  # most processes never need these

    names = re.findall(r"//(.*)@", url)
    values = re.findall(r"[?&](?:[^&=#]*=)?([^&#]+)", url)
    parts = [*names, *(part for name in names for part in name.split(":", 1)), *values]
    headers = [each for name in names for each in _as_header(unquote(name))]
    for secret in sorted({*parts, *map(unquote_plus, parts), *headers}, key=len, reverse=True):
        if len(secret) >= 3:  # a shorter secret protects nothing, and may occur in unrelated words
            text = text.replace(secret, "…")
    return text


def passwords_in(text: str) -> list[str]:
    """Return the passwords in the URLs of the text, also in the form that headers use."""
    from urllib.parse import unquote  # most processes never need it

    names = [url[1] for url in re.finditer(r"\w+://([^\s/@]*:[^\s/]*)@", text)]
    passwords = [name.partition(":")[2] for name in names]
    headers = [each for name in names for each in _as_header(unquote(name))]
    return [each for each in {*passwords, *map(unquote, passwords), *headers} if each]


def _as_header(name: str) -> list[str]:
    """Return name and password as in headers (RFC 7617), in both alphabets of base64."""
    content = name.encode("utf-8", "surrogateescape")
    both = base64.b64encode(content), base64.urlsafe_b64encode(content)
    return [each.decode().rstrip("=") for each in both]


def _without_query(rest: str) -> str:
    place, question, query = rest.partition("#")[0].partition("?")
    pairs = (part.partition("=") for part in query.split("&"))
    parts = (f"{name}=…" if equals else "…" for name, equals, _ in pairs)
    return place + question + ("&".join(parts) if query else "")
