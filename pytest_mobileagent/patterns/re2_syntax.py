"""Translates Python's syntax of regular expressions into RE2's."""

from __future__ import annotations

import re
from typing import Final

_TOKEN = re.compile(
    r"(?P<escape>\\(?:[dDwWsS]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.))"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*+\])|(?P<flags>\(\?[a-zA-Z-]+[:)])"
    r"|(?P<most>\{(?=,\d+\}))|(?P<char>.)",
    re.DOTALL,
)
_IN_SET = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|.", re.DOTALL)
_SPACE = r"\t-\r\x1c-\x20"
_WIDE_SPACE = rf"{_SPACE}\x{{85}}\x{{a0}}\x{{1680}}\x{{2000}}-\x{{200a}}\x{{2028}}\x{{2029}}"
_WIDE_SPACE += r"\x{202f}\x{205f}\x{3000}"
_INK = r"\x00-\x08\x0e-\x1b\x21-\x7f"  # all characters that are not white space
_WIDE_INK = r"\x00-\x08\x0e-\x1b\x21-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}"
_WIDE_INK += r"\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}"
_WIDE_INK += r"\x{3001}-\x{10ffff}"
_ESCAPES: Final = {  # RE2's equivalents of Python's escapes in a set, by whether strings are ASCII
    True: {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACE, "S": _INK, "W": r"\W", "D": r"\D"},
    False: {"d": r"\p{Nd}", "w": r"\p{L}\p{N}_", "s": _WIDE_SPACE, "S": _WIDE_INK, "D": r"\P{Nd}"},
}


class UnsupportedError(Exception):
    """A pattern has a feature that RE2 does not support."""


def for_re2(pattern: str, flags: int, *, narrow: bool, java: bool) -> str:
    """Return a pattern in RE2's syntax, for ASCII strings (`narrow`) or for all strings.

    Raises:
        UnsupportedError: if RE2 lacks a feature that the pattern uses.
    """
    out: list[str] = []
    at = 0
    while at < len(pattern):
        found = _TOKEN.match(pattern, at)
        if found is None or found["char"] == "[":  # an unclosed set
            raise UnsupportedError
        at = found.end()
        kind, part = found.lastgroup, found[0]
        if kind == "escape":
            out.append(_escaped(part, narrow=narrow))
        elif kind == "set":
            out.append(_set(part, narrow=narrow, java=java))
        elif kind == "flags" and set(part[2:-1]) - set("ims-"):
            raise UnsupportedError
        elif kind == "most":
            out.append("{0")
        elif flags & re.VERBOSE and part.isspace():
            continue
        elif flags & re.VERBOSE and part == "#":
            end = pattern.find("\n", at)
            at = len(pattern) if end < 0 else end
        else:
            out.append(part)
    return "".join(out)


def _escaped(token: str, *, narrow: bool) -> str:
    """Return RE2's equivalent of an escape outside a set."""
    letter = token[1]
    if letter in "dwsDWS":
        inner = _ESCAPES[narrow][letter.lower()]
        return f"[{'^' if letter.isupper() else ''}{inner}]"
    if letter in "bB" and not narrow:  # RE2's word boundaries are those of ASCII
        raise UnsupportedError
    if letter in "bBA":
        return token
    if letter == "Z":
        return r"\z"
    return _character(token)


def _character(token: str) -> str:
    """Return RE2's equivalent of an escape for a single character."""
    letter = token[1:2]
    if letter in "uU" and len(token) > 2:
        return rf"\x{{{token[2:]}}}"
    if letter.isascii() and letter.isalnum():
        if letter not in "aftnrvx0pP":
            raise UnsupportedError
        return token
    return token if letter.isascii() else letter


def _set(token: str, *, narrow: bool, java: bool) -> str:
    """Return RE2's equivalent of a set of characters."""
    negated = token.startswith("[^")
    body = token[2 if negated else 1 : -1]
    if java and ("[" in body or "&&" in body):  # nested sets
        raise UnsupportedError
    out = []
    for item in _IN_SET.findall(body):
        if item == "\\b":
            out.append(r"\x08")
        elif len(item) == 2 and item[0] == "\\" and item[1] in "dwsDWS":
            if item[1] not in _ESCAPES[narrow]:
                raise UnsupportedError
            out.append(_ESCAPES[narrow][item[1]])
        elif item[0] == "\\":
            out.append(_character(item))
        else:
            out.append(f"\\{item}" if item in "[]" else item)
    return f"[{'^' if negated else ''}{''.join(out)}]"
