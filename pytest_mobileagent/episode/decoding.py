r"""Searches text both literally and through the encodings it may contain.

A card number that must not be recorded appears in a shell command as `4111%s1111`, in a URL as
`4111%201111` or `4111+1111`, in JSON nested in JSON as `4111\\u00201111`, and in a payload as
base64. `found` looks for it in all of these, and returns its positions in the original text.
"""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Span = tuple[int, int]
    Search = Callable[[str], Iterable[Span]]

_DEPTH = 4  # maximum number of nested encodings: JSON in JSON in a shell command in JSON
_INVISIBLE = "\0\u00ad\u200b-\u200f\u2060\ufeff"  # soft hyphens, and zero-width spaces and marks
_ESCAPED = re.compile(
    rf"(?P<nothing>\x1b\[[0-9;]*[A-Za-z]|[{_INVISIBLE}]+)"
    r"|(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|%u(?P<wide>[0-9a-fA-F]{4})"
    r"|\\(?:u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>000[0-9a-fA-F]{5})|u\{(?P<braced>[0-9a-fA-F]{1,5})\})"
    r"|\\(?:x(?P<two>[0-9a-fA-F]{2})|(?P<octal>[0-3][0-7]{2})|(?P<char>.))"
    r"|(?P<percent>(?:%[0-9a-fA-F]{2})+)|(?P<space>%s)|(?P<entity>&\#?\w{1,31};)",
    re.DOTALL,
)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_LEAST_SPELLED = 12  # base64 digits that encode 8 characters at any offset
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{4,})*={0,2}")
_HEX = re.compile(
    r"(?:[0-9a-fA-F]{2}:){7,}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{2} ){7,}[0-9a-fA-F]{2}"
    r"|(?:[0-9a-fA-F]{2}){4,}[0-9a-fA-F]?"
)
_SIGN = re.compile(rf"[\\%&\x1b{_INVISIBLE}]")  # the first character of an escape
_SPACES = dict.fromkeys(map(ord, "\xa0\u202f\u3000"), " ") | dict.fromkeys(
    range(0x2000, 0x200B), " "
)
# Full-width characters.
_AS_ASCII = _SPACES | {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
# Texts in a binary payload.
_SPELLED = re.compile(rb"[\t\n\r -~]{8,}|(?:[ -~]\0){8,}|(?:\0[ -~]){8,}")


@dataclass(frozen=True, slots=True)
class _View:
    """A decoded text, with the original position of each of its pieces.

    A piece is a character that was escaped, or a stretch of text that was not.
    """

    text: str
    places: list[int]  # where pieces begin in `text`
    sources: list[Span]  # their positions in the original

    def source(self, span: Span) -> Span:
        """Return the original position of a span of the decoded text."""
        return self._of(span[0])[0], self._of(span[1] - 1)[1]

    def _of(self, place: int) -> Span:
        piece = bisect_right(self.places, place) - 1
        start, end = self.sources[piece]
        following = self.places[piece + 1] if piece + 1 < len(self.places) else len(self.text)
        if following - self.places[piece] == end - start:  # an unescaped stretch
            offset = start + place - self.places[piece]
            return offset, offset + 1
        return start, end


def found(text: str, search: Search) -> list[Span]:
    """Return the spans where `search` finds something in the text, literally or decoded.

    `search` returns the spans of its matches in the text it is given. A match within an encoding
    that cannot be removed in part, such as base64, covers the whole encoded token. The spans are
    in order and do not overlap.
    """
    return _merged(_found(text, search, _DEPTH))


def masked(text: str, search: Search, mask: str) -> str:
    """Return the text with every match of `search` replaced by `mask` (see `found`)."""
    parts, end = [], 0
    for start, until in found(text, search):
        parts += [text[end:start], mask]
        end = until
    return "".join([*parts, text[end:]])


def readings(text: str) -> list[str]:
    """Return the text, followed by the results of removing its layers of possible escapes.

    A key may contain what looks like an escape, and is searched for in strings that were decoded.
    """
    read = [text]
    while len(read) <= _DEPTH and (decoded := _unescaped(read[-1])) != read[-1]:
        read.append(decoded)
    return read


def _found(text: str, search: Search, depth: int) -> Iterator[Span]:
    yield from search(text)
    if "+" in text:  # a space, in the query of a URL
        yield from search(text.replace("+", " "))
    if not text.isascii():
        yield from search(text.translate(_AS_ASCII))
    if depth:
        yield from _payloads(text, search, depth)
        if _SIGN.search(text):
            decoded = _unescaped(text)
            spans = list(_found(decoded, search, depth - 1)) if decoded != text else []
            if spans:  # positions are needed only for matches
                yield from map(_decoded(text).source, spans)


def _payloads(text: str, search: Search, depth: int) -> Iterator[Span]:
    """Yield the spans of base64 and hexadecimal tokens that encode a match."""
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for token in pattern.finditer(text):
            if any(
                True
                for decoded in _texts(decode(token[0]))
                for _ in _found(decoded, search, depth - 1)
            ):
                yield token.span()


def _texts(payloads: Iterable[bytes]) -> Iterator[str]:
    """Yield the texts in possible payloads: all of a payload, or texts among its other bytes."""
    for payload in payloads:
        try:
            yield payload.decode("utf-8")
        except ValueError:  # a picture, a word that looks encoded, or text in another encoding
            pass
        else:
            if b"\0" not in payload:
                continue
        yield from (each.replace(b"\0", b"").decode() for each in _SPELLED.findall(payload))


def _from_base64(token: str) -> Iterator[bytes]:
    """Yield what a token encodes in base64, even if it begins after a part of a path."""
    digits_only = re.sub(r"\\n|\s|=", "", token).replace("-", "+").replace("_", "/")
    for start in range(4 if len(digits_only) >= _LEAST_SPELLED else 1):
        digits = digits_only[start : len(digits_only) - ((len(digits_only) - start) % 4 == 1)]
        yield binascii.a2b_base64(digits + "=" * (-len(digits) % 4))


def _from_hex(token: str) -> Iterator[bytes]:
    digits = re.sub("[ :]", "", token)
    for start in range(len(digits) % 2 + 1):
        yield bytes.fromhex(digits[start : start + len(digits) // 2 * 2])


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda escape: _character(escape[0]), text)


@lru_cache(10_000)
def _character(text: str) -> str:
    """Return the character or text that an escape stands for."""
    escape = _ESCAPED.fullmatch(text)
    return "".join(char for char, _ in _characters(escape)) if escape else text


def _decoded(text: str) -> _View:
    """Return the text with one layer of all its escapes removed."""
    parts, places, sources = list[str](), list[int](), list["Span"]()
    length = end = 0

    def add(part: str, start: int, until: int) -> None:
        nonlocal length
        if part:
            parts.append(part)
            places.append(length)
            sources.append((start, until))
            length += len(part)

    for escape in _ESCAPED.finditer(text):
        add(text[end : escape.start()], end, escape.start())
        end = escape.start()
        for char, width in _characters(escape):
            add(char, end, end + width)
            end += width
        end = escape.end()
    add(text[end:], end, len(text))
    return _View("".join(parts), places, sources)


def _characters(escape: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Yield the characters that an escape stands for, each with its length in the escaped text."""
    kind, text = str(escape.lastgroup), escape[0]
    if kind == "nothing":
        return
    if kind == "percent":
        decoded = bytes.fromhex(text.replace("%", "")).decode("utf-8", "surrogateescape")
        yield from ((char, 3 * len(char.encode("utf-8", "surrogateescape"))) for char in decoded)
    elif kind == "pair":
        code = 0x10000 + ((int(text[2:6], 16) - 0xD800) << 10) + int(text[8:12], 16) - 0xDC00
        yield chr(code), len(text)
    elif kind == "octal":
        yield chr(int(escape[kind], 8)), len(text)
    elif kind in {"wide", "four", "eight", "braced", "two"}:
        yield chr(int(escape[kind], 16)), len(text)
    elif kind == "char":
        yield _NAMED.get(escape[kind], escape[kind]), len(text)
    elif kind == "space":
        yield " ", len(text)
    else:
        yield unescape(text), len(text)


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
