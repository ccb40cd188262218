"""Keys and other secrets, which no record contains, in all forms that texts take by themselves."""

from __future__ import annotations

import base64
import json
import os
import re
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from pytest_mobileagent.processes import environment, may_hold_key
from pytest_mobileagent.urls import passwords_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HIDDEN = "…"  # replaces a secret
_KEY = "_API_KEY"  # the suffix of variables that hold a provider's key
_LEAST = 8  # characters of a secret; a shorter one may occur in unrelated words


def keys_here() -> list[str]:
    """Return the keys in the environment, longest first.

    An agent with its own client may repeat them, for example from a provider's error message.
    Passwords in URLs, such as those of proxies, are keys as well.
    """
    variables = environment()
    keys = {value.strip() for name, value in variables.items() if name.endswith(_KEY)}
    keys |= {word for value in variables.values() if "@" in value for word in passwords_in(value)}
    return _longest_first(keys)


def secrets_of(environment: Mapping[str, str]) -> list[str]:
    """Return the values of variables that hold keys or other secrets, judging by their names."""
    return _longest_first(value for name, value in environment.items() if may_hold_key(name))


def secret_bytes(secrets: Iterable[str]) -> list[bytes]:
    """Return secrets as they appear in files and output, longest first."""
    return [os.fsencode(each) for each in _longest_first(secrets)]


def without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Return plain data with secrets masked in its strings, as they are and in other forms."""
    sought = _any_form(tuple(_longest_first(secrets)))
    return value if sought is None else _without(sought, value)


def _without(sought: re.Pattern[str], value: Any) -> Any:
    match value:
        case str():
            return sought.sub(HIDDEN, value)
        case list() | tuple():
            return [_without(sought, each) for each in value]
        case dict():
            return {sought.sub(HIDDEN, str(n)): _without(sought, each) for n, each in value.items()}
    return value


@lru_cache(16)
def _any_form(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern of words as they are, and as JSON, URLs, HTML and headers spell them."""
    forms = {form for word in words for form in _forms(word)}
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if forms else None


def _forms(word: str) -> Iterator[str]:
    for ascii_only in (True, False):
        in_json = json.dumps(word, ensure_ascii=ascii_only)[1:-1]
        yield from (in_json, json.dumps(in_json)[1:-1])
    yield from (word, quote(word), quote(word, safe=""), quote_plus(word), escape(word))
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        in_base64 = encode(word.encode("utf-8", "surrogateescape")).decode()
        yield from (in_base64, in_base64.rstrip("="))


def _longest_first(secrets: Iterable[str]) -> list[str]:
    """Return the words that are long enough to be hidden, longest first."""
    return sorted({each for each in secrets if len(each) >= _LEAST}, key=len, reverse=True)
