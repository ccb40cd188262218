"""Decides whether an answer states what is expected: certainly, certainly not, or unclear.

Understanding prose is left to judges and people: an answer states a value if it consists of the
value, words of the goal, and a few frame words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.answers.kinds import Kind, plain
from pytest_mobileagent.check.answers.text import LONGEST, WORDS, Text, parts
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from pytest_mobileagent.check.answers.text import Place, Token

_QUESTION = re.compile(r"\?|有没有|是不是|是否|能不能|吗")
_DISCLAIMER = re.compile(
    r"\b(do(n'?t| not) know|not (sure|certain)|unsure|unable|could(n'?t| not)|can(no|')?t|guess"
    r"|unknown|no idea|sorry)\b|不知道|不确定|不清楚|无法|不能|没能|未能|猜|抱歉"
)


class Outcome(StrEnum):
    """Whether an answer states what is expected."""

    STATED = "stated"
    ABSENT = "absent"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Reading:
    """How an answer was read: the outcome, what was expected, and the reason, in words.

    `said` are the values, or their words, as they stand in an unclear answer.
    """

    outcome: Outcome
    expected: str
    reason: str
    said: tuple[str, ...] = ()


def read_answer(
    answer: str,
    expected: str | Kind | Sequence[str | Kind],
    goal: str = "",
    *,
    any_order: bool = False,
) -> Reading:
    """Return whether an answer to a goal states what is expected.

    - *absent*: in no notation does the value occur in the answer.
    - *stated*: the whole answer, its last paragraph, or a last line that is marked as the answer
      is the value, apart from words of the goal and frame words (see `frames`).
    - *unclear*: anything else.

    Several values are stated if all of them are, in this order or `any_order`, and no others.

    Raises:
        TaskError: if what is expected is neither text nor a kind, nor a list of them.
    """
    kinds = kinds_of(expected)
    sought = ", ".join(map(str, kinds))
    said = " ".join(answer.split())
    said = f'"{said}"' if len(said) <= 300 else f'"{said[:300]}…"'
    whole = Text.of(answer[:LONGEST])
    missing = [str(kind) for kind in kinds if not kind.may_occur(whole)]
    if not answer.strip() or missing:
        why = f"does not say {', '.join(missing or [sought])}"
        return Reading(
            Outcome.ABSENT,
            sought,
            f"the answer {why}: {said if answer.strip() else 'there is no answer'}",
        )
    if len(answer) <= LONGEST and not _DISCLAIMER.search(whole.folded):
        orders = [order for part in parts(answer) if (order := _order(part, kinds, goal))]
        if any(any_order or order == sorted(order) for order in orders):
            return Reading(Outcome.STATED, sought, f"the answer says {sought}")
        if orders:
            why = f"does not say {sought} in this order"
            return Reading(Outcome.ABSENT, sought, f"the answer {why}: {said}")
    why = f"the answer says {sought} among other things ({said})"
    return Reading(Outcome.UNCLEAR, sought, why, _said(whole, kinds))


def _said(whole: Text, kinds: Sequence[Kind]) -> tuple[str, ...]:
    """Return where an answer says the values: for people, who decide about it."""
    places = [place for kind in kinds for place in kind.places(whole)]
    if not places:
        words = {word.text for kind in kinds for word in Text.of(str(kind)).words}
        framed = _filler(whole, Text.of(""))
        alike = [word for word in whole.words if word.text in words and word not in framed]
        places = [(word.start, word.end) for word in alike]
    return tuple(dict.fromkeys(whole.shown[start:end] for start, end in places))


def kinds_of(expected: object) -> tuple[Kind, ...]:
    """Return the kinds of what is expected; a string is read as what it plainly is.

    Raises:
        TaskError: if it is neither text nor a kind, nor a list of them.
    """
    several = isinstance(expected, Sequence) and not isinstance(expected, str)
    each: list[Any] = [*expected] if several else [expected]  # type: ignore[misc]
    if not each or not all(isinstance(one, str | Kind) for one in each):
        raise TaskError(f"answers({expected!r}): must be text, or a kind, or a list of these")
    return tuple(plain(one) if isinstance(one, str) else one for one in each)


def _order(part: Text, kinds: Sequence[Kind], goal: str) -> list[Place]:
    """Return where a part of an answer states the values, which it must do completely, or []."""
    if _QUESTION.search(part.folded):
        return []
    text = Text.of(_unnumbered(part.shown)) if len(kinds) > 1 else part
    chosen: dict[int, Place] = {}
    taken: list[Place] = []
    # The longest are placed first: "Google Maps" before "Maps".
    for index in sorted(range(len(kinds)), key=lambda index: -len(str(kinds[index]))):
        places = sorted(kinds[index].places(text), key=lambda place: (place[0], -place[1]))
        free = [(s, e) for s, e in places if not any(s < end and start < e for start, end in taken)]
        if not free:
            return []
        chosen[index] = free[0]
        taken += free[:1] if kinds.count(kinds[index]) > 1 else free
    is_named = any(kind.places(Text.of(goal)) for kind in kinds)
    filler = _filler(text, Text.of("" if is_named else goal))
    rest = (token for token in text.tokens if token not in filler)
    is_stated = all(any(s <= each.start and each.end <= e for s, e in taken) for each in rest)
    return [chosen[index] for index in range(len(kinds))] if is_stated else []


def _stem(word: str) -> str:
    """Return an English word without the endings of plurals and verbs; others as they are."""
    is_long = word.isascii() and len(word) > 3
    endings = r"(?<=^..e)[sd]$|(?<=...)(ing|ed|es|s|e|(?<=en)[dt])$"  # used, uses: use
    return re.sub(endings, "", word) if is_long else word


_FRAMES = {_stem(word) for word in WORDS["frame"]["en"].split()}
_FRAMES |= {*WORDS["frame"]["signs"]}
_CHINESE = re.compile("|".join(sorted(WORDS["frame"]["zh"].split(), key=len, reverse=True)))
_NEVER = {*WORDS["never"]["en"].split(), *WORDS["never"]["zh"]}
_DENIALS = {"not", "no", "t", "without", *"不没未无非"}
_OR = {"or", "and", "either", "if", "yes", "no", "或", "还", "是", "否", "和"}


def _filler(text: Text, goal: Text) -> set[Token]:
    """Return the tokens that may stand around a value without changing what is stated.

    These are frame words, words of the goal, and denials and numbers where they stand as in the
    goal: "not done", "after 7". If the goal has a denial, other words of it may not stand alone.
    """
    denies = not _DENIALS.isdisjoint(word.text for word in goal.words)
    said = set() if denies else {_stem(word.text) for word in goal.words}
    framed = {at for match in _CHINESE.finditer(text.folded) for at in range(*match.span())}
    allowed = {
        token
        for token in text.tokens
        if token.text not in _NEVER
        and (token.start in framed or _stem(token.text) in _FRAMES | said)
        and not re.search(r"\d", token.text)
    }
    pairs = {(first.text, _stem(second.text)) for first, second in pairwise(goal.words)}
    for both in pairwise(text.words):
        is_quoted = (both[0].text, _stem(both[1].text)) in pairs
        if is_quoted and not _OR & {both[0].text, both[1].text}:
            allowed |= {*both}
    return allowed


def _unnumbered(text: str) -> str:
    """Return a text without the numbers of a numbered list: 1, 2, 3, …."""
    lines = text.strip().splitlines()
    heads = [re.match(r"\s*(\d{1,3})[.)、]\s+", line) for line in lines]
    numbered = [int(head[1]) for head in heads if head]
    if len(numbered) < 2 or numbered != list(range(1, len(numbered) + 1)):
        return text
    pairs = zip(lines, heads, strict=True)
    return "\n".join(line[head.end() :] if head else line for line, head in pairs)
