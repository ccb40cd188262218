"""Shell patterns: `*`, `?` and `[...]`, matched against text and against the names of files.

In a pattern a backslash takes away what the next character would mean; quoted text arrives so.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.regex import CLASSES

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.userfiles import UserFiles

_BRACKET = re.compile(r"\[([!^]?)(\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]", re.DOTALL)


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
        bracket = _BRACKET.match(pattern, at) if char == "[" else None
        if bracket:
            out.append(f"[{'^' if bracket[1] else ''}{_bracket(bracket[2])}]")
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


def _bracket(inside: str) -> str:
    """Return what is between the brackets, as a regular expression wants it."""
    inside = re.sub(r"\[:(\w+):\]", lambda match: f"\0{match[1]}\0", inside)
    inside = re.sub(r"\\(.)", r"\1", inside, flags=re.DOTALL)
    inside = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside)
    return re.sub("\0(\\w+)\0", lambda match: CLASSES.get(match[1], "").replace("[", "\\["), inside)
