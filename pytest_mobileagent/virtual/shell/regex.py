"""Translates POSIX regular expressions, basic and extended, to Python's."""

from __future__ import annotations

import re
from functools import lru_cache

CLASSES = {  # as ranges, a bracket of which a regular expression wants escaped
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \t",
    "cntrl": "\0-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@[-`{-~",
    "space": " \t\n\v\f\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_BRACKET = re.compile(r"\[(\^?)(\]?(?:\[[:.=].*?[:.=]\]|[^\]])*)\]", re.DOTALL)
_GROUPING = "(){}|+?"
_ESCAPES = {"<": r"\b(?=\w)", ">": r"\b(?<=\w)", "`": r"\A", "'": r"\Z", "n": "\n", "t": "\t"}


class BadPatternError(Exception):
    """A regular expression makes no sense."""


@lru_cache(maxsize=256)
def compiled(pattern: str, *, extended: bool, ignore_case: bool = False) -> re.Pattern[str]:
    """Compile a POSIX pattern."""
    try:
        return re.compile(
            translated(pattern, extended=extended), re.IGNORECASE if ignore_case else 0
        )
    except re.error as error:
        raise BadPatternError(str(error)) from None


def translated(pattern: str, *, extended: bool) -> str:
    """Return Python's way to write a POSIX pattern."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        bracket = _BRACKET.match(pattern, at)
        if bracket:
            out.append(f"[{bracket[1]}{bracket_items(bracket[2])}]")
            at = bracket.end()
            continue
        char, following = pattern[at], pattern[at + 1 : at + 2]
        at += 2 if char == "\\" and following else 1
        if char == "\\" and following:
            out.append(_escaped(following, extended=extended))
        elif char == "[":
            raise BadPatternError("Missing ']'")
        elif char == "*" and not extended and (not out or out[-1] in {"(", "|", "^"}):
            out.append(r"\*")
        elif char in _GROUPING and not extended:
            out.append(re.escape(char))
        elif char == "{" and not re.match(r"\d*,?\d*\}", pattern[at:]):
            out.append(r"\{")
        elif char == "^" and not extended and out and out[-1] not in {"(", "|"}:
            out.append(r"\^")
        elif char == "$":
            ends = at == len(pattern) or pattern.startswith(("\\)", "\\|"), at)
            out.append(r"(?=\n?\Z)" if extended or ends else r"\$")
        else:
            out.append(char)
    return "".join(out)


def _escaped(char: str, *, extended: bool) -> str:
    if char in _GROUPING:
        return re.escape(char) if extended else char
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isalnum():
        return f"\\{char}" if char in "wWsSbB123456789" else char
    return re.escape(char)


def bracket_items(text: str) -> str:
    """Return what is between brackets as Python wants it; a backslash is a character there."""
    out, at = [], 0
    while at < len(text):
        named = re.compile(r"\[:(\w+):\]").match(text, at)
        if named:
            if named[1] not in CLASSES:
                raise BadPatternError(f"bad class '{named[1]}'")
            out.append(CLASSES[named[1]].replace("[", "\\["))
            at = named.end()
            continue
        char = text[at]
        out.append(f"\\{char}" if char in "\\[]^&~|" else char)
        at += 1
    return "".join(out)
