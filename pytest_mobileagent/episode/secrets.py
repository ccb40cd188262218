r"""Finds what no record may contain, in all forms that texts take by themselves.

Keys and other secrets are known, so their forms are sought (`without_secrets`). What a pattern must
find may have any form: a card number appears in a shell command as `4111%s1111`, in a URL as
`4111%201111` or `4111+1111`, in JSON nested in JSON as `4111\\u00201111`, and in a broadcast to a
keyboard as base64. `found` looks for it in all of these, and returns its positions in the original
text. A text that somebody hides on purpose is not found, see SECURITY.md.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from pytest_mobileagent.processes import environment, may_hold_key
from pytest_mobileagent.urls import passwords_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Span = tuple[int, int]
    Search = Callable[[str], Iterable[Span]]

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


_SHAPES = re.compile(  # of keys of well-known providers
    r"\b(?:sk-[\w-]{24,}|AIza[\w-]{35}|gh[pousr]_\w{36}|github_pat_\w{40}|hf_[A-Za-z]{34}"
    r"|AKIA[0-9A-Z]{16}|xox[abpr]-[\w-]{20})|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


def holds_key(text: str) -> bool:
    """Return whether a text contains a key of the environment, or what looks like a key."""
    return _SHAPES.search(text) is not None or without_secrets(text, keys_here()) != text


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
    forms = sorted({form for word in words for form in _forms(word)}, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, forms))) if forms else None


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


_DEPTH = 4  # maximum number of nested encodings: JSON in JSON in a shell command in JSON
_ESCAPED = re.compile(
    r"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u(?P<code>[0-9a-fA-F]{4})|\\x(?P<byte>[0-9a-fA-F]{2})|\\(?P<char>.)"
    r"|(?P<percent>(?:%[0-9a-fA-F]{2})+)|(?P<space>%s)|(?P<entity>&\#?\w{1,31};)",
    re.DOTALL,
)
_SIGN = re.compile(r"[\\%&]")  # the first character of an escape
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
# Spaces and digits of other widths, as apps and web sites write them, and pluses of a URL's query.
_AS_ASCII = dict.fromkeys(map(ord, "+\xa0\u202f\u3000"), " ") | {
    **dict.fromkeys(range(0x2000, 0x200B), " "),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
}


def found(text: str, search: Search) -> list[Span]:
    """Return the spans where `search` finds something in the text, literally or decoded.

    `search` returns the spans of its matches in the text it is given. A match within base64 covers
    the whole token. The spans are in order and do not overlap.
    """
    return _merged(_found(text, search, _DEPTH))


def masked(text: str, search: Search, mask: str) -> str:
    """Return the text with every match of `search` replaced by `mask` (see `found`)."""
    parts, end = [], 0
    for start, until in found(text, search):
        parts += [text[end:start], mask]
        end = until
    return "".join([*parts, text[end:]])


def _found(text: str, search: Search, depth: int) -> Iterator[Span]:
    yield from search(text)
    if (plain := text.translate(_AS_ASCII)) != text:
        yield from search(plain)
    if not depth:
        return
    for token in _BASE64.finditer(text):
        if any(True for _ in _found(_from_base64(token[0]), search, depth - 1)):
            yield token.span()
    decoded = _ESCAPED.sub(lambda escape: _meaning(escape[0]), text) if _SIGN.search(text) else text
    if decoded != text and (spans := list(_found(decoded, search, depth - 1))):
        places = _places(text)  # needed only for matches
        yield from ((places[start][0], places[end - 1][1]) for start, end in spans if start < end)


def _from_base64(token: str) -> str:
    """Return the text that a token encodes in base64; "" if it is not text."""
    digits = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return binascii.a2b_base64(digits + "=" * (-len(digits) % 4)).decode()
    except ValueError:  # a word that looks encoded, or a picture
        return ""


@lru_cache(10_000)
def _meaning(escape: str) -> str:
    known = _ESCAPED.fullmatch(escape)
    assert known is not None
    kind = str(known.lastgroup)
    if kind == "pair":
        return str(json.loads(f'"{escape}"'))
    if kind in {"code", "byte"}:
        return chr(int(known[kind], 16))
    if kind == "percent":
        return bytes.fromhex(escape.replace("%", "")).decode("utf-8", "surrogateescape")
    if kind == "char":
        return _NAMED.get(known[kind], known[kind])
    return " " if kind == "space" else unescape(escape)


def _places(text: str) -> list[Span]:
    """Return where each character of the unescaped text stands in the escaped one."""
    places, end = list["Span"](), 0
    for each in _ESCAPED.finditer(text):
        places += [(at, at + 1) for at in range(end, each.start())]
        end = each.end()
        places += [each.span()] * len(_meaning(each[0]))
    return places + [(at, at + 1) for at in range(end, len(text))]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
