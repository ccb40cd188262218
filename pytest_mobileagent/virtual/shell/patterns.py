"""POSIX regular expressions in Python's words, and shell patterns: `*`, `?` and `[...]`."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.userfiles import UserFiles

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
_SHELL_BRACKET = re.compile(r"\[([!^]?)(\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]", re.DOTALL)
_ITEM = re.compile(r"\[:(\w+):\]|(.)", re.DOTALL)
_SHELL_ITEM = re.compile(r"\[:(\w+):\]|\\?(.)", re.DOTALL)
_GROUPING = "(){}|+?"
_ESCAPES = {"<": r"\b(?=\w)", ">": r"\b(?<=\w)", "`": r"\A", "'": r"\Z", "n": "\n", "t": "\t"}


class BadPatternError(Exception):
    """A regular expression makes no sense."""


def translated(pattern: str, *, extended: bool) -> str:
    """Return Python's way to write a POSIX pattern."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        bracket = _BRACKET.match(pattern, at)
        if bracket:
            out.append(_bracket(bracket, _ITEM))
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


def _bracket(bracket: re.Match[str], items: re.Pattern[str]) -> str:
    """Return a set of characters as Python wants it."""

    def item(found: re.Match[str]) -> str:
        name, char = found.groups()
        if name and name not in CLASSES:
            raise BadPatternError(f"bad class '{name}'")
        return (
            CLASSES[name].replace("[", "\\[") if name else re.sub(r"([\\\[\]^&~|])", r"\\\1", char)
        )

    return f"[{'^' if bracket[1] else ''}{items.sub(item, bracket[2])}]"


def escape(text: str) -> str:
    """Return a pattern that matches just `text`."""
    return re.sub(r"([\\*?\[\]])", r"\\\1", text)


def has_magic(pattern: str) -> bool:
    """Whether the pattern can match anything but its own text."""
    return re.search(r"(?<!\\)(?:\\\\)*[*?\[]", pattern) is not None


@lru_cache(maxsize=512)
def regex(pattern: str, *, greedy: bool = True) -> str:
    """Return the regular expression that matches what `pattern` does."""
    out, at = [], 0
    while at < len(pattern):
        char = pattern[at]
        bracket = _SHELL_BRACKET.match(pattern, at) if char == "[" else None
        if bracket:
            out.append(_bracket(bracket, _SHELL_ITEM))
            at = bracket.end()
            continue
        if char == "\\" and at + 1 < len(pattern):
            at += 1
            out.append(re.escape(pattern[at]))
        elif char == "*":
            out.append(".*" if greedy else ".*?")
        else:
            out.append("." if char == "?" else re.escape(char))
        at += 1
    return "".join(out)


def matches(pattern: str, text: str) -> bool:
    """Whether the whole `text` is what `pattern` describes."""
    return re.fullmatch(regex(pattern), text, re.DOTALL) is not None


def glob(pattern: str, files: UserFiles) -> list[str]:
    """Return the sorted names of the files that `pattern` describes."""
    found = ["/"] if pattern.startswith("/") else [""]
    parts = [part for part in re.split(r"/+", pattern) if part]
    for depth, part in enumerate(parts):
        last = depth == len(parts) - 1
        found = [
            posixpath.join(folder, name)
            for folder in found
            for name in _names(part, folder, files)
            if last or files.is_dir(posixpath.join(folder, name))
        ]
    if pattern.endswith("/"):
        found = [f"{name}/" for name in found if files.is_dir(name)]
    return sorted(found)


def _names(part: str, folder: str, files: UserFiles) -> list[str]:
    if not has_magic(part):
        name = re.sub(r"\\(.)", r"\1", part)
        return [name] if files.find(posixpath.join(folder, name), follow=False) else []
    try:
        names = files.listdir(folder or ".")
    except OSError:
        return []
    hidden = part.startswith(".")
    return [name for name in names if matches(part, name) and (hidden or not name.startswith("."))]
