"""The words that may stand around a value without changing what an answer states.

These are the words of the goal, and a closed list of frame words (`words.toml`). Denials, hedges
and alternatives are never among them: an answer with one of them is left to judges and people.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.text import CJK, WORDS, Text

if TYPE_CHECKING:
    from collections.abc import Callable

_ALLOWED = {*WORDS["frame"]["en"].split(), *WORDS["frame"]["zh"], *WORDS["frame"]["signs"]}
_NEVER = {*WORDS["never"]["en"].split(), *WORDS["never"]["zh"]}

_DISCLAIMER = re.compile(
    r"\b(do(n'?t| not) know|not (sure|certain)|unsure|unable|could(n'?t| not)|can(no|')?t|guess"
    r"|unknown|no idea|sorry)\b|不知道|不确定|不清楚|无法|不能|没能|未能|猜|抱歉"
)


def disclaims(text: Text) -> bool:
    """Return whether an answer says somewhere that its author does not know."""
    return _DISCLAIMER.search(text.folded) is not None


def filler(goal: str, *, names_expected: bool) -> Callable[[str], bool]:
    """Return a function that says whether a word may stand around the value in an answer.

    `names_expected` is whether the goal itself names what is expected, so that the agent has to
    choose: then no word of the goal may.
    """
    said = set() if names_expected else {_stem(word.text) for word in Text.of(goal).words}

    def may_stand(word: str) -> bool:
        return word not in _NEVER and (word in _ALLOWED or _stem(word) in said)

    return may_stand


def quoted(text: Text, goal: str, *, names_expected: bool) -> list[tuple[int, int]]:
    """Return where a text repeats two or more characters of a Chinese goal, such as 未读."""
    folded = "" if names_expected else Text.of(goal).folded
    pairs = re.finditer(rf"(?=([{CJK}]{{2}}))", text.folded)
    return [(pair.start(), pair.start() + 2) for pair in pairs if pair[1] in folded]


def _stem(word: str) -> str:
    """Return an English word without the endings of plurals and verbs; others as they are."""
    return re.sub(r"(?<=..)(ing|ed|es|s|e)$", "", word) if word.isascii() else word
