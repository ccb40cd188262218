r"""Searches text both literally and through the encodings that it passes by itself.

A card number that must not be recorded appears in a shell command as `4111%s1111`, in a URL as
`4111%201111` or `4111+1111`, in JSON nested in JSON as `4111\\u00201111`, and in a broadcast to a
keyboard as base64. `found` looks for it in all of these, and returns its positions in the original
text. A text that somebody hides on purpose is not found, see SECURITY.md.
"""

from __future__ import annotations

import binascii
import json
import re
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Span = tuple[int, int]
    Search = Callable[[str], Iterable[Span]]

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
    """Return the text that an escape stands for."""
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
    for escape in _ESCAPED.finditer(text):
        places += [(at, at + 1) for at in range(end, escape.start())]
        end = escape.end()
        places += [escape.span()] * len(_meaning(escape[0]))
    return places + [(at, at + 1) for at in range(end, len(text))]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
