"""Permission bits, as chmod and its kin are told them."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.commands import Failure

_SHIFTS = {"u": 6, "g": 3, "o": 0}


def new_mode(text: str, old: int, *, is_dir: bool) -> int:
    """Return the mode that `text`, such as 644 or u+x, makes of the old one."""
    if re.fullmatch("[0-7]{1,4}", text):
        return int(text, 8)
    mode = old & 0o7777
    for clause in text.split(","):
        match = re.fullmatch(r"([ugoa]*)((?:[-+=][rwxXst]*)+)", clause)
        if match is None:
            raise Failure(f"bad mode '{text}'")
        who = set(match[1].replace("a", "ugo") or "ugo")
        for operator, letters in re.findall(r"([-+=])([rwxXst]*)", match[2]):
            bits = _bits(who, set(letters), runs=is_dir or bool(mode & 0o111))
            if operator == "=":
                mode &= ~sum(7 << _SHIFTS[each] for each in who)
            mode = mode & ~bits if operator == "-" else mode | bits
    return mode


def _bits(who: set[str], letters: set[str], *, runs: bool) -> int:
    """Return the bits that letters stand for; X is x for what may be run, or entered, already."""
    each = sum({"r": 4, "w": 2, "x": 1, "X": int(runs)}.get(letter, 0) for letter in letters)
    bits = sum(each << _SHIFTS[person] for person in who)
    if "t" in letters:
        bits |= 0o1000
    if "s" in letters:
        bits |= sum({"u": 0o4000, "g": 0o2000, "o": 0}[person] for person in who)
    return bits
