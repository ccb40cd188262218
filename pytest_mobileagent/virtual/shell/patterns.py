"""POSIX regular expressions, and shell patterns: `*`, `?` and `[...]`."""

from __future__ import annotations

import asyncio
import posixpath
import re
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeVar

from pytest_mobileagent import patterns
from pytest_mobileagent.patterns import PATIENT, Match, Pattern, PatternError, SlowPatternError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.access import UserFiles

CLASSES = {  # as ranges, with brackets escaped as regular expressions require
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
_BRACKET = re.compile(r"\[(\^?)(\]?(?:\[[:.=].*?[:.=]\]|[^\]])*+)\]", re.DOTALL)
_SHELL_BRACKET = re.compile(r"\[([!^]?)(\]?(?:\\.|\[:\w+:\]|[^\]\\])*+)\]", re.DOTALL)
_ITEM = re.compile(r"\[:(\w+):\]|(.)", re.DOTALL)
_SHELL_ITEM = re.compile(r"\[:(\w+):\]|\\?(.)", re.DOTALL)
_COUNT = re.compile(r"\d*,?\d*\}", re.ASCII)
_GROUPING = "(){}|+?"
_ESCAPES = {"<": r"\b(?=\w)", ">": r"\b(?<=\w)", "`": r"\A", "'": r"\Z", "n": "\n", "t": "\t"}
# Next to a letter, the start or end of a word is a mere word boundary, without look-around.
_BEGINNING = re.compile(r"\\b\(\?=\\w\)(?=\w(?![*?{]))", re.ASCII)
_END = re.compile(r"(?<!\\)(\w)\\b\(\?<=\\w\)", re.ASCII)


def posix(
    expressions: list[str],
    *,
    extended: bool,
    ignore_case: bool = False,
    word: bool = False,
    whole: bool = False,
    fixed: bool = False,
) -> Pattern:
    """Compile POSIX patterns, or `fixed` ones, of which one has to match; or PatternError."""
    parts = [re.escape(e) if fixed else translated(e, extended=extended) for e in expressions]
    source = "|".join(f"(?:{part})" for part in parts) if len(parts) > 1 else "".join(parts)
    source = rf"\A(?:{source})\Z" if whole else source
    flags = re.IGNORECASE if ignore_case else 0
    return patterns.compile(source, flags, longest=True, word=word and not whole)


def translated(pattern: str, *, extended: bool) -> str:
    """Convert a POSIX pattern to Python's syntax."""
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
            raise PatternError("Missing ']'")
        elif char == "*" and not extended and (not out or out[-1] in {"(", "|", "^"}):
            out.append(r"\*")
        elif char in _GROUPING and not extended:
            out.append(re.escape(char))
        elif char == "{" and not _COUNT.match(pattern, at):
            out.append(r"\{")
        elif char == "^" and not extended and out and out[-1] not in {"(", "|"}:
            out.append(r"\^")
        elif char == "$":
            ends = at == len(pattern) or pattern.startswith(("\\)", "\\|"), at)
            out.append(r"\Z" if extended or ends else r"\$")
        else:
            out.append(char)
    return _END.sub(r"\1\\b", _BEGINNING.sub(r"\\b", "".join(out)))


def _escaped(char: str, *, extended: bool) -> str:
    if char in _GROUPING:
        return re.escape(char) if extended else char
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isalnum():
        return f"\\{char}" if char in "wWsSbB123456789" else char
    return re.escape(char)


def _bracket(bracket: re.Match[str], items: re.Pattern[str]) -> str:
    """Convert a bracket expression to Python's syntax."""

    def item(found: re.Match[str]) -> str:
        name, char = found.groups()
        if name and name not in CLASSES:
            raise PatternError(f"bad class '{name}'")
        escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", char or "")
        return CLASSES[name].replace("[", "\\[") if name else escaped

    return f"[{'^' if bracket[1] else ''}{items.sub(item, bracket[2])}]"


def literal(pattern: str) -> str:
    """Return the text that matches a pattern without magic characters."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)


def escape(text: str) -> str:
    """Return a pattern that matches exactly `text`."""
    return re.sub(r"([\\*?\[\]])", r"\\\1", text)


def has_magic(pattern: str) -> bool:
    """Return whether the pattern can match anything except its own text."""
    return re.search(r"(?<!\\)(?:\\\\)*[*?\[]", pattern) is not None


@lru_cache(maxsize=512)
def regex(pattern: str, *, greedy: bool = True) -> str:
    """Return the regular expression equivalent to `pattern`."""
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
    """Return whether `pattern` matches all of `text`; PatternError if the pattern is invalid."""
    if not has_magic(pattern):
        return literal(pattern) == text
    return compiled(pattern).fullmatch(text) is not None


@lru_cache(maxsize=512)
def compiled(pattern: str, *, greedy: bool = True, before: str = "", behind: str = "") -> Pattern:
    """Compile a shell pattern, between the regular expressions `before` and `behind`."""
    return patterns.compile(f"{before}(?:{regex(pattern, greedy=greedy)}){behind}", re.DOTALL)


def glob(pattern: str, files: UserFiles) -> list[str]:
    """Return the sorted names of the files that match a pattern."""
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
        name = literal(part)
        return [name] if files.find(posixpath.join(folder, name), follow=False) else []
    try:
        names = files.listdir(folder or ".")
    except OSError:
        return []
    hidden = part.startswith(".")
    return [name for name in names if matches(part, name) and (hidden or not name.startswith("."))]


# For commands: slow searches run in a thread, and the engine lets other threads run.

_AT_ONCE = 0.01  # seconds, too few to be noticed
_threads = ThreadPoolExecutor(2, thread_name_prefix="patterns")
_T = TypeVar("_T")


async def search(pattern: Pattern, text: str) -> Match | None:
    """Return the first match; SlowPatternError after a while."""
    return await _patiently(lambda seconds: pattern.search(text, seconds=seconds))


async def find_all(pattern: Pattern, text: str) -> list[Match]:
    """Return all matches; SlowPatternError after a while."""
    return await _patiently(lambda seconds: list(pattern.finditer(text, seconds=seconds)))


async def replaced(pattern: Pattern, new: Callable[[Match], str], text: str) -> str:
    """Replace all matches; SlowPatternError after a while."""
    return await _patiently(lambda seconds: pattern.sub(new, text, seconds=seconds))


async def _patiently(work: Callable[[float], _T]) -> _T:
    """Return what `work`, which is given a time limit, finds at once, or in a thread."""
    try:
        return work(_AT_ONCE)
    except SlowPatternError:
        patient = partial(work, PATIENT)
        return await asyncio.get_running_loop().run_in_executor(_threads, patient)
