"""URLs that may hold secrets, and what of them may be shown and recorded."""

from __future__ import annotations

import base64
import re

# Its name and password, which may hold any character, end at the last @ before the next URL, but
# for one that leads to that URL, as in lists of models: PROVIDER:NAME@URL,PROVIDER:NAME@URL.
_URL = re.compile(
    r"(\w+://)(?:(?:(?!\w+://).)*@(?!\w+://))?((?:(?!\w+://)[^\s?#])*(?:[?#]\S*)?)", re.DOTALL
)


def redact_urls(text: str) -> str:
    """Return a text as it may be shown and recorded: its URLs without what may be secret.

    Names and passwords, and the values of queries, are left out; where it cannot be known what is
    a part of a password, so is more.
    """
    return _URL.sub(lambda url: url[1] + _without_query(url[2]), text)


def hide(text: str, url: str) -> str:
    """Return a text, such as an error's, without what `redact_urls` leaves out of a URL."""
    from urllib.parse import unquote, unquote_plus  # most processes need none

    names = re.findall(r"//(.*)@", url)
    values = re.findall(r"[?&](?:[^&=#]*=)?([^&#]+)", url)
    parts = [*names, *(part for name in names for part in name.split(":", 1)), *values]
    headers = [each for name in names for each in _as_header(unquote(name))]
    for secret in sorted({*parts, *map(unquote_plus, parts), *headers}, key=len, reverse=True):
        if len(secret) >= 3:  # a shorter one protects nothing, and stands in other words
            text = text.replace(secret, "…")
    return text


def passwords_in(text: str) -> list[str]:
    """Return the passwords that stand in the URLs of a text, also as they stand in headers."""
    from urllib.parse import unquote  # most processes need none

    names = [url[1] for url in re.finditer(r"\w+://([^\s/@]*:[^\s/]*)@", text)]
    passwords = [name.partition(":")[2] for name in names]
    headers = [each for name in names for each in _as_header(unquote(name))]
    return [each for each in {*passwords, *map(unquote, passwords), *headers} if each]


def _as_header(name: str) -> list[str]:
    """Return name and password as headers have them (RFC 7617), in both alphabets of base64."""
    content = name.encode("utf-8", "surrogateescape")
    both = base64.b64encode(content), base64.urlsafe_b64encode(content)
    return [each.decode().rstrip("=") for each in both]


def _without_query(rest: str) -> str:
    place, question, query = rest.partition("#")[0].partition("?")
    pairs = (part.partition("=") for part in query.split("&"))
    parts = (f"{name}=…" if equals else "…" for name, equals, _ in pairs)
    return place + question + ("&".join(parts) if query else "")
