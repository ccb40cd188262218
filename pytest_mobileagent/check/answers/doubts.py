"""Doubts about an answer's values: ranges, bounds, alternatives, names that contain a number."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.check.answers.words import CHINESE, NAMED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Value(NamedTuple):
    """A number, or a piece with a meaning, and its position; `what` names its kind."""

    start: int
    end: int
    what: str
    text: str


class Doubt(NamedTuple):
    """A part of a text, from `start` to `end`, that is not stated with certainty.

    The words that make it doubtful extend from `sign` to `sign_end`: if the expected answer has
    them too ("not on"), there is no doubt. The members of a list, "6 and 7", are in doubt unless
    all of them are expected.
    """

    start: int
    end: int
    sign: int
    sign_end: int
    is_list: bool = False


_MEASURE = (
    r"(?:个|条|封|张|次|位|本|件|部|台|家|名|杯|份|页|岁|年|月|日|号|元|块|分|秒|点|度|人|米|天)"
)
_APPROXIMATELY = (
    r"about|around|approximately|approx\.?|roughly|nearly|almost|close to|circa|ca\.|some|near"
    r"|somewhere around|just (?:over|under|above|below|about|shy of)|a bit (?:over|under)"
    r"|in the region of|in excess of|as (?:many|few|much|little|high|low) as"
    r"|c\.|an? (?:estimated|average of)"
)
_BOUNDED = (
    r"at (?:the )?(?:least|most|minimum|maximum)"
    r"|(?:no |not )?(?:more|less|fewer|greater|higher|lower|later"
    r"|earlier|larger|smaller|longer|shorter) than|over|under|above|below|up to|upwards of"
    r"|min(?:imum|\.)?(?: of)?|max(?:imum|\.)?(?: of)?|beyond|exceed(?:s|ing)?|exceeded|within"
    r"|before|after|past|another|beneath|short of|well over|next to|out of(?: all)?"
    r"|twice|double|triple|the power of|extra|additional"
)
_PREFIX = re.compile(
    rf"(?:(?<![^\W_])(?:{_APPROXIMATELY}|{_BOUNDED})(?: the| a| an)?\s*"
    r"|(?:[√~≈≅\u223c≃±<>≤≥≦≧≲≳]|[<>]=|=>)\s*)$"
)
_CHINESE_PREFIX = re.compile(
    r"(?:至少|最少|起码|最多|至多|顶多|超过|超出|多于|少于|大于|小于|高于|低于|不到|不足|不止|不只|不下"
    r"|大约|大概|(?<![预节契合公条纽签相违赴])约|(?<![最附靠临])近|将近|接近|差不多|差点|几乎|左右|逾|多达"
    r"|早于|晚于|估计|大致|满|另外?|上)(?:于|过|为|有|是|在|到|要|需要?|花了?)*\s*$"
)
_SUFFIX = re.compile(
    r"(?:\s*\+(?!\s*\d)|\s?plus\b(?! \d)|-?ish\b|-odd\b"
    rf"|(?:\s?{_MEASURE})?(?:以上|以下|以内|之内|左右|上下|多(?![少媒])|余|几|开外|出头|来(?=个)|不到"
    r"|有余|起(?=\W|$)|[之以]?内(?![容存部蒙])|的?[\d两几多]+倍)"
    r"|折|成(?![功为])|号(?!线)|日(?![程记])"
    r"|(?: [^\W\d_]+){0,2},? (?:or (?:so|more|less|fewer|above|below|higher|lower|later|earlier"
    r"|older|under|over|not|thereabouts|something)|and (?:up|above|over|more|counting|change)"
    r"|at (?:the )?(?:least|most|minimum|maximum)|minimum|maximum|max|min|tops|plus|approximately"
    r"|roughly|ish|if not (?:more|less|fewer))\b|\s?(?:mil|mill|mln|mio|lakhs?|crores?|grand)\b"
    r"|(?: [^\W\d_]+)?,? (?:more or less|give or take)| (?:more|fewer|less|extra|squared|cubed)\b"
    r"|['\u2019_]\d{3})"
)
_FROM = re.compile(r"\b(?:from|starting (?:at|from)|as of)\s*$")
_TIME_SUFFIX = re.compile(r"\s?(?:以前|之前|以后|之后|前|后|多)")
_BETWEEN = re.compile(r"(?:\b(?:between|from|in)|从|在|介于|自)\s*(?:the )?$")
_RANGE = re.compile(
    rf"(?:{_MEASURE}|钟| [^\W\d_]{{1,12}})?\s*"
    r"(?:[-\u2010-\u2015\u2212~\u301c\u223c]|->|→|\b(?:up )?to\b|\bthrough\b|\bthru\b|\btill\b"
    r"|\buntil\b|\.\.\.?|至|到|直到)\s*(?:the )?"
)
_AND = re.compile(rf"(?:{_MEASURE})?\s*(?:and|和|与)\s*")
_CHANGE = re.compile(
    r"chang|increas|decreas|ros[e ]|ris(?:en|es|ing)|drop|fell|fallen|grew|grown|went|mov|switch"
    r"|updat|reduc|rais|reschedul|convert|renam|edit|turn|上升|下降|增|改|变|升|降|涨|跌|调"
)
_CHANGED = re.compile(r".{0,6}(?:改|变|增|升|降|涨|跌|调).{0,4}")
_OR = re.compile(r"[^.;!?]*(?:\bor\b|或者?|还是|\bvs\b|\bversus\b|(?<=\s)/|/(?=\s)).*")
_LIST = re.compile(
    rf"(?:{_MEASURE})?\s*(?:(?:[,;·]|&|、|\band\b|\bas well as\b|\bthen\b|以?及|和|与|跟)\s*)+"
)
_TOTAL = re.compile(r"(?: [^\W\d_]+)? (?:out )?of(?: the| all| a total of| them)?\s*")
_CHINESE_TOTAL = re.compile(rf"{_MEASURE}?[^\d,。]{{0,4}}?[中里](?:的|有|只有)*")
_OPERATOR = re.compile(
    r"·|\s*(?:[+*×÷^]|(?<=\s)x(?=\s)|\bplus\b|\btimes\b|\bminus\b|\bmultiplied by\b"
    r"|\bdivided by\b|加上?|减去?|乘以?|除以)\s*"
)
# An equals sign is not an operator: what follows a calculation is its result.
_LETTERS = re.compile(rf"[^\W\d_{CHINESE}]+-?$")
_LETTERS_BEHIND = re.compile(rf"[^\W\d_{CHINESE}]+")
_MAKER = re.compile(r"(?:小米|红米|华为|荣耀|苹果|三星|一加|魅族|安卓手机)\s?$")
_BECAME = re.compile(
    r",? ?(?:became|becomes|turned (?:into|out to be)|before,|(?:and )?later|now)\s*"
    r"|[^\W_]* ?was expected,? (?:but )?|\s?(?:后来|然后|再)[是有变为]*"
)
_IT_IS = re.compile(
    r"\b(?:(?:it|that|this)(?: is|['\u2019]s| was)|there (?:are|is|were)|the (?:answer|number) is)"
    r"(?: now| actually| really)? $"
)
_NOUN = re.compile(rf"\s?([^\W\d_{CHINESE}]+|[{CHINESE}]{{1,3}})")
_NO_NOUNS = frozenset(
    ("and", "but", "or", "is", "are", "on", "in", "at", "of", "so", "then", "now")
)
_GENERATION = re.compile(rf"{NAMED}.")
_PART = re.compile(
    r"\b(?:week|day|chapter|lesson|module|unit|step|page|level|episode|season|part)\s$"
)
_MARKS = frozenset(
    ("no", "v", "ver", "version", "x", "ch", "ep", "p", "pp", "q", "lv", "vol", "rs")
)


def doubts_of_values(text: str, values: Sequence[Value]) -> Iterator[Doubt]:
    """Yield the doubts about values, from the text beside each value and between two of them."""
    for value in values:
        yield from _beside(text, value)
    yield from _numbered(text, values)
    for first, second in pairwise(values):
        if second.start - first.end <= 40:
            yield from _between(text, first, second)


def _beside(text: str, value: Value) -> Iterator[Doubt]:
    before = text[max(0, value.start - 32) : value.start]
    for pattern in (_PREFIX, _CHINESE_PREFIX):
        if found := pattern.search(before):
            yield Doubt(value.start, value.end, value.start - len(found[0]), value.start)
    if found := _SUFFIX.match(text, value.end):
        yield Doubt(value.start, value.end, *found.span())
    if value.what == "Money" and (found := _FROM.search(before)):
        yield Doubt(value.start, value.end, value.start - len(found[0]), value.start)
    if value.what in ("Time", "Date") and (found := _TIME_SUFFIX.match(text, value.end)):
        yield Doubt(value.start, value.end, *found.span())
    if value.what != "number":
        return
    if before.rstrip().endswith(NAMED):
        name = before.rstrip(f" {NAMED}").rpartition(" ")[2]
        at = value.start - len(before) + before.rindex(name)
        yield Doubt(value.start, value.end, at, value.start)
    elif ((found := _LETTERS.search(before)) and found[0] not in _MARKS) or (
        (found := _MAKER.search(before)) and not re.match(_MEASURE, text[value.end :])
    ):
        yield Doubt(value.start, value.end, value.start - len(found[0]), value.start)
    if found := _LETTERS_BEHIND.match(text, value.end) or _GENERATION.match(text, value.end):
        yield Doubt(value.start, value.end, *found.span())


def _numbered(text: str, values: Sequence[Value]) -> Iterator[Doubt]:
    """Yield doubts for numbers that only label a part of the answer: "Week 3: 6 hours"."""
    found = [_PART.search(text[max(0, value.start - 16) : value.start]) for value in values]
    if all(found):
        return
    for value, part in zip(values, found, strict=True):
        if part and value.what == "number":
            yield Doubt(value.start, value.end, value.start - len(part[0]), value.start)


def _between(text: str, first: Value, second: Value) -> Iterator[Doubt]:
    between = text[first.end : second.start]
    sign = (first.end, second.start)
    before = text[max(0, first.start - 24) : first.start]
    if _is_range(before, between, first, second):
        is_change = _CHANGE.search(text[max(0, first.start - 40) : first.start])
        end = first.end if is_change else second.end
        yield Doubt(first.start, end, *sign)
    elif _CHANGED.fullmatch(between):
        yield Doubt(first.start, first.end, *sign)
    elif _OPERATOR.fullmatch(between) or (len(between) <= 24 and _OR.fullmatch(between)):
        yield Doubt(first.start, second.end, *sign)
    elif _TOTAL.fullmatch(between):
        yield Doubt(second.start, second.end, *sign)
    elif _CHINESE_TOTAL.fullmatch(between):
        yield Doubt(first.start, first.end, *sign)
    elif _is_listed(between, first, second):
        yield Doubt(first.start, second.end, *sign, is_list=True)
    elif _is_replaced(text, first, second):
        yield Doubt(first.start, first.end, *sign)
    elif _is_split(text, between, first, second):
        yield Doubt(first.start, second.end, *sign)


def _is_range(before: str, between: str, first: Value, second: Value) -> bool:
    if _BETWEEN.search(before) and _AND.fullmatch(between):
        return not before.rstrip().endswith("in")
    if (
        first.what == second.what == "number"
        and between == "-"
        and (
            max(first.end - first.start, second.end - second.start) >= 7
            or first.text.startswith("0")
        )
    ):
        return False  # part of a phone number
    return bool(_RANGE.fullmatch(between))


def _is_listed(between: str, first: Value, second: Value) -> bool:
    if not _LIST.fullmatch(between) or first.text == second.text:
        return False
    is_split = first.what == "number" and second.what not in ("Date", "Time", "Weekday", "ordinal")
    return first.what == second.what or (is_split and "and" in between)


def _is_replaced(text: str, first: Value, second: Value) -> bool:
    """Return whether a second value replaces the first: "6 became 7", "It is 6. It is 7."."""
    if first.what != second.what or first.text == second.text:
        return False
    between = text[first.end : second.start]
    if _BECAME.fullmatch(between):
        return True
    one, other = _noun(text, first), _noun(text, second)
    return bool(_IT_IS.search(between)) and (one == other or not (one and other))


def _noun(text: str, value: Value) -> str:
    found = _NOUN.match(text, value.end)
    return "" if not found or found[1] in _NO_NOUNS else found[1]


def _is_split(text: str, between: str, first: Value, second: Value) -> bool:
    """Return whether two numbers may be one, with a space between thousands."""
    are_numbers = between == " " and first.what == second.what == "number"
    if between == " " and second.text.startswith("-"):
        return True
    return are_numbers and bool(re.fullmatch(r"\d{3}", text[second.start : second.end]))
