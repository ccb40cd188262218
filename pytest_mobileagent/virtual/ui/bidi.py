"""The visual order of the parts of a line: a subset of the Unicode bidirectional algorithm.

As in that algorithm, letters of right-to-left scripts have odd levels and others even ones.
Numbers keep their order. A neutral character takes the direction of its neighbours if both
agree, otherwise that of the line. Of the explicit marks, only LRE and PDF (U+202A, U+202C) are
supported.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import Final

RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
EMBEDDED: Final = re.compile("\u202a[^\u202c]*\u202c?")
_MARKS = "\u202a\u202c"
_RTL = {"R", "AL"}
_NUMBERS = {"EN", "AN"}
_JOINTS = {"CS", "ES", "ET"}  # belong to the numbers next to them


def base(text: str) -> int:
    """Return the level of a line by its first strong letter: 1 if right-to-left, else 0."""
    for sign in EMBEDDED.sub("", text):
        kind = unicodedata.bidirectional(sign)
        if kind == "L":
            return 0
        if kind in _RTL:
            return 1
    return 0


def visual(text: str) -> list[tuple[str, bool]]:
    """Return the runs of a line from left to right, each with whether it is right-to-left.

    The characters within a run are in logical order.
    """
    levels = _levels(text)
    runs = [
        ["".join(sign for sign, _ in group if sign not in _MARKS), level]
        for level, group in groupby(zip(text, levels, strict=True), key=lambda pair: pair[1])
    ]
    highest = max(levels, default=0)
    for level in range(highest, 0, -1):  # from the highest level to the lowest odd one
        at = 0
        while at < len(runs):
            end = at
            while end < len(runs) and int(runs[end][1]) >= level:
                end += 1
            runs[at:end] = reversed(runs[at:end])
            at = max(end, at + 1)
    return [(str(run), bool(int(level) % 2)) for run, level in runs]


def _levels(text: str) -> list[int]:
    line = "R" if base(text) else "L"
    kinds = _numbers(_letters(text), line)
    _brackets(text, kinds, line)
    _neutrals(kinds, line)
    of = {"R": 1, "L": 0 if line == "L" else 2, "EN": 2, "AN": 2}
    return [of[kind] for kind in kinds]


def _letters(text: str) -> list[str]:
    """Classify each character as L, R, a number (EN, AN), a number separator, or neutral (N)."""
    kinds: list[str] = []
    for sign in text:
        kind = unicodedata.bidirectional(sign)
        if kind == "NSM":  # a combining mark has the direction of its letter
            kind = kinds[-1] if kinds else "N"
        known = ("L", *_NUMBERS, *_JOINTS)
        kinds.append("R" if kind in _RTL else kind if kind in known else "N")
    for pair in EMBEDDED.finditer(text):
        kinds[pair.start() : pair.end()] = ["L"] * len(pair[0])
    return kinds


def _numbers(kinds: list[str], line: str) -> list[str]:
    """Merge separators into numbers, and treat numbers after left-to-right letters as letters."""
    for at, kind in enumerate(kinds):
        if kind in _JOINTS:
            sides = [kinds[i] for i in (at - 1, at + 1) if 0 <= i < len(kinds)]
            numbers = [side for side in sides if side in _NUMBERS]
            joined = len(numbers) == 2 or (numbers and kind == "ET")
            kinds[at] = numbers[0] if joined else "N"
    before = line
    for at, kind in enumerate(kinds):
        before = kind if kind in ("L", "R") else before
        if kind == "EN" and before == "L":
            kinds[at] = "L"
    return kinds


def _brackets(text: str, kinds: list[str], line: str) -> None:
    """Assign the direction of the contents of a pair of brackets to the brackets themselves."""
    opened: list[int] = []
    for at, sign in enumerate(text):
        if sign in "([{":
            opened.append(at)
        elif sign in ")]}" and opened:
            start = opened.pop()
            inside = {_side(kind) for kind in kinds[start + 1 : at]} - {"N"}
            other = "L" if line == "R" else "R"
            earlier = [_side(kind) for kind in kinds[:start] if _side(kind) != "N"]
            if line in inside or (inside and [line, *earlier][-1] != other):
                kinds[start] = kinds[at] = line
            elif inside:
                kinds[start] = kinds[at] = other


def _neutrals(kinds: list[str], line: str) -> None:
    """Resolve neutral characters to their neighbours' direction if both agree, else the line's."""
    end = 0
    for kind, group in groupby(kinds.copy()):
        start, end = end, end + len(list(group))
        if kind == "N":
            before = _side(kinds[start - 1]) if start else line
            after = _side(kinds[end]) if end < len(kinds) else line
            kinds[start:end] = [before if before == after else line] * (end - start)


def _side(kind: str) -> str:
    return "R" if kind in _NUMBERS else kind
