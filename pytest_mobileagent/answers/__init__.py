"""The kinds of values for `episode.answers`: `answers(money("$12.50"))` (docs/answers.md).

An answer states what is expected: certainly, certainly not, or unclear (`read_answer`).

Understanding prose is left to judges and people: an answer states a value if it consists of the
value, words of the goal, and a few frame words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.answers.kinds import (
    Kind,
    date,
    duration,
    exact,
    money,
    name,
    no,
    number,
    one_of,
    phone,
    plain,
    quantity,
    time,
    yes,
)
from pytest_mobileagent.answers.values import UNITS, WORDS, Text, phrase
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from pytest_mobileagent.answers.values import Place

__all__ = [
    "Kind", "Outcome", "Reading", "date", "duration", "exact", "money", "name", "no", "number",
    "one_of", "phone", "quantity", "read_answer", "time", "yes",
]  # fmt: skip

LONGEST = 8_000  # characters; nobody's answer is longer, and copying a screen is not answering
_RATING = re.compile(r"\b(?:ratings?|rated|scores?|stars?)\b|[评打]分")
_QUESTION = re.compile(r"\?|有没有|是不是|是否|能不能|吗")
_NUMBERED = re.compile(r"^\s*\d{1,3}[.)、]\s+", re.MULTILINE)
_DISCLAIMER = re.compile(
    r"\b(do(n'?t| not) know|not (sure|certain)|unsure|unable|could(n'?t| not)|can(no|')?t|guess"
    r"|unknown|no idea|sorry|actually|wait(?=[.,!]))\b"
    r"|不知道|不确定|不清楚|无法|不能|没能|未能|猜|抱歉"
)


class Outcome(StrEnum):
    """Whether an answer states what is expected."""

    STATED = "stated"
    ABSENT = "absent"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Reading:
    """How an answer was read, and why; `said` are the values as they stand in it."""

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
      is the value, apart from words of the goal and frame words.
    - *unclear*: anything else.

    Several values are stated if all of them are, in this order or `any_order`, and no others.

    Raises:
        TaskError: if what is expected is neither text nor a kind, nor a list of them.
    """
    kinds, whole = kinds_of(expected, goal), Text.of(answer[:LONGEST])
    sought = ", ".join(kind.shown for kind in kinds)
    missing = ", ".join(kind.shown for kind in kinds if not kind.may_occur(whole))
    is_readable = len(answer) <= LONGEST and not _DISCLAIMER.search(whole.folded)
    each = parts(answer) if is_readable and not missing else ()
    orders = [order for part in each if (order := _order(part, kinds, goal))]
    if missing or not answer.strip():
        outcome, why = Outcome.ABSENT, f"does not say {missing or sought}"
    elif any(any_order or order == sorted(order) for order in orders):
        outcome, why = Outcome.STATED, f"says {sought}"
    elif orders:
        outcome, why = Outcome.ABSENT, f"does not say {sought} in this order"
    else:
        outcome, why = Outcome.UNCLEAR, f"says {sought} among other things"
    quoted = " ".join(answer.split())
    quoted = f'"{quoted[:300]}{"…" * (len(quoted) > 300)}"' if quoted else "there is no answer"
    places = (place for kind in kinds for place in kind.places(whole))
    said = tuple(dict.fromkeys(whole.shown[start:end] for start, end in places))
    return Reading(outcome, sought, f"the answer {why}: {quoted}", said)


def kinds_of(expected: object, goal: str = "") -> tuple[Kind, ...]:
    """Return the kinds of what is expected; a string is read as what it plainly is."""
    is_one = isinstance(expected, str) or not isinstance(expected, Sequence)
    each: list[Any] = [expected] if is_one else [*expected]  # type: ignore[misc]
    if not each or not all(isinstance(one, str | Kind) for one in each):
        raise TaskError(f"answers({expected!r}): must be text, or a kind, or a list of these")
    is_rating = bool(_RATING.search(goal.lower()))
    return tuple(plain(one, is_rating=is_rating) if isinstance(one, str) else one for one in each)


def _order(part: Text, kinds: Sequence[Kind], goal: str) -> list[Place]:
    """Return where a part of an answer states the values, which it must do completely, or []."""
    if _QUESTION.search(part.folded):
        return []
    text = Text.of(_NUMBERED.sub("", part.shown)) if len(kinds) > 1 else part
    chosen: dict[int, Place] = {}
    taken: list[Place] = []
    # The longest are placed first: "Google Maps" before "Maps".
    for index in sorted(range(len(kinds)), key=lambda index: -len(kinds[index].shown)):
        places = sorted(kinds[index].places(text), key=lambda place: (place[0], -place[1]))
        free = [(s, e) for s, e in places if not any(s < end and start < e for start, end in taken)]
        if not free:
            return []
        chosen[index] = free[0]
        taken += free[:1] if kinds.count(kinds[index]) > 1 else free
    is_named = any(kind.places(Text.of(goal)) for kind in kinds)
    is_stated = _is_filler(text, taken, Text.of("" if is_named else goal))
    return [chosen[index] for index in range(len(kinds))] if is_stated else []


_NEVER = {*WORDS["never"]["en"].split(), *WORDS["never"]["zh"]}
_DENIALS = {"not", "no", "t", "without", *"不没未无非"}
_OR = {"or", "and", "either", "if", "yes", "no", "或", "还", "是", "否", "和"}
_ENDINGS = "(?:ing|ed|es|s|e|(?<=e)d|(?<=en)[dt])?"


def _stem(word: str) -> str:
    """Return an English word without the endings of plurals and verbs; others as they are."""
    return re.sub(rf"(?<=[a-z]{{3}}){_ENDINGS}$", "", word) if word.isascii() else word


def _any_of(words: Iterable[str]) -> str:
    stems = {_stem(word): None for word in words if not re.search(r"\d", word)}
    return "|".join(phrase([stem], _ENDINGS) for stem in stems) or "(?!)"


_FRAMES = re.compile(
    # What stands where a value was taken out is a word: "on •••", but not "turned on."
    rf"[\s{re.escape(WORDS['frame']['signs'])}]|#(?=[#\s])|\b(?:on|in)\b(?=[^\w.,;!]*[\w•])|"
    r"\b(?:mr|mrs|ms|dr|prof)\b(?=\W*•)|(?<=•)(?:先生|女士|老师)|(?<!• )\bof\b|"
    + _any_of((WORDS["frame"]["en"] + WORDS["frame"]["zh"]).split())
)


def _is_filler(text: Text, taken: list[Place], goal: Text) -> bool:
    """Return whether only filler stands beside the values.

    These are frame words and words of the goal, but none of the goal's if one of them is a denial.
    Denials and numbers are filler where they stand as in the goal: "not done", "after 7".
    """
    said = set() if _DENIALS & {*goal.words} else {*goal.words} - _NEVER
    said |= {name for name in UNITS if any(UNITS[name] == UNITS.get(word) for word in said)}
    pairs = (phrase(map(_stem, two), _ENDINGS) for two in pairwise(goal.words) if not _OR & {*two})
    quoted = [m.span(1) for pair in pairs for m in re.finditer(f"(?=({pair}))", text.folded)]
    rest = _FRAMES.sub(" ", text.without([*taken, *quoted], "•").folded)
    return not re.sub(_any_of(said), "", rest).strip()


# How formats wrap an answer: in a code fence, an element, or a call with one text.
_WRAPPED = re.compile(
    r"""(?s)\s*(?:```\w*\n(.*?)\n?```|<\w+>([^<]*)</\w+>|\w+\((?:\w+ ?= ?)?["'](.*)["']\))\s*"""
)
_MARK = re.compile(
    r"(?i)(?:(?:the |my )?(?:final )?answer(?: is)?|(?:最终)?答案[是为]?) ?[*_]*:[ *_]*(?=\S)"
)


def parts(answer: str) -> Iterator[Text]:
    """Yield what may be the answer: the whole, its last paragraph, a last line that is marked.

    A JSON value alone stands for what it contains.
    """
    if wrapped := _WRAPPED.fullmatch(answer):
        answer = next(filter(None, wrapped.groups()), "")
    answer = _json(answer)
    yield Text.of(answer)
    said = Text.of(answer).shown.strip()
    *rest, paragraph = re.split(r"\n[ \t]*\n", said)
    if rest and not _MARK.search("\n".join(rest)):  # else another answer stands there
        yield Text.of(_json(paragraph))
    line = said.rpartition("\n")[2].strip(" #>-").lstrip("*_ ")
    if marked := _MARK.match(line):
        yield Text.of(line[marked.end() :])
    elif "\n" in said and re.fullmatch(r"[^*]+\*\*[.。]?", line):
        yield Text.of(line)


def _json(answer: str) -> str:
    """Return the text in a JSON value: alone, in a list, or in an object of one field."""
    try:
        value = json.loads(answer) if answer.strip()[:1] in {"{", "[", '"'} else answer
    except (ValueError, RecursionError):
        return answer
    if isinstance(value, dict):  # AndroidWorld's agents add `action_type`
        fields = [field for name, field in value.items() if name != "action_type"]
        value = fields[0] if len(fields) == 1 else None
    each = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in each):
        return answer
    return "\n".join(("no", "yes")[one] if isinstance(one, bool) else str(one) for one in each)
