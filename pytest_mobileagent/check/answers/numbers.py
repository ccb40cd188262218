"""Numbers in text: digits with their separators, English number words, Chinese numerals."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.check.answers.text import CJK, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.check.answers.text import Text

_SMALL, _TENS, _NTH = (WORDS["numbers"][each].split() for each in ("small", "tens", "nth"))
_WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    f"{word}-{_SMALL[one]}" if one else word: 10 * ten + one
    for ten, word in enumerate(_TENS, 2)
    for one in range(10)
}
_MAGNITUDES = {"k": 10**3, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_MAGNITUDES |= {"千": 10**3, "万": 10**4, "亿": 10**8}
CHINESE = "零〇一二两三四五六七八九十百千万亿点"

_DIGITS = re.compile(
    rf"(?<![^\W{CJK}])(?<![.,:/])(?<![\w)]-)[-+]?"
    r"(?P<digits>\d{1,3}(?:[,'’ ]\d{3})+(?:\.\d{1,20})?|\d{1,30}(?:[.,]\d{1,20})?)"
    r"(?P<nth>st|nd|rd|th)?(?:\s?(?P<magnitude>(?:k|hundred|thousand|[mb]illion)\b|[千万亿]))?"
    r"(?![_\d]|[.,:/-]\d|\s?/\s?\d)(?P<unit>\s?%|[a-z])?"
)
_SPELL = rf"(?:{'|'.join([*_WORDS, *_NTH, 'hundred', 'thousand', '[mb]illion'])})"
_SPELLED = re.compile(rf"\b{_SPELL}(?:(?:[ -]| and ){_SPELL})*\b")
_CHINESE = re.compile(
    rf"(?P<nth>第)?(?<![{CHINESE}\d周])(?<!星期)(?<!礼拜)(?P<numeral>[{CHINESE}]+)"
    rf"(?![些样起下直定般共切旦边面会]|[{CHINESE}])"
)
_NOT_ONE = re.compile(r"\b(this|that|the|which|each|no|any|every|some|another|last|new|other) $")


class Number(NamedTuple):
    """A number from `start` to `end` of a text; `value` is None if it can be read in two ways.

    It has a unit if "%" or letters follow it directly.
    """

    start: int
    end: int
    value: Fraction | None
    is_ordinal: bool = False
    has_unit: bool = False


@lru_cache(maxsize=256)
def numbers(text: Text) -> tuple[Number, ...]:
    """Return the numbers of a text, in order."""
    return tuple(sorted(_numbers(text.folded), key=lambda number: number[:2]))


def _numbers(text: str) -> Iterator[Number]:
    for match in _DIGITS.finditer(text):
        value = _value(match["digits"])
        if value is not None:
            value *= _MAGNITUDES.get(match["magnitude"], 1) * (-1 if match[0][0] == "-" else 1)
        end = match.start("unit") if match["unit"] else match.end()
        yield Number(match.start(), end, value, bool(match["nth"]), bool(match["unit"]))
    for match in _SPELLED.finditer(text):
        words, after = match[0].replace(" ", "-"), text[match.end() :]
        # As a pronoun, "one" counts nothing.
        if words == "one" and (
            _NOT_ONE.search(text[: match.start()]) or re.match("s? of|s", after)
        ):
            continue
        nth = _NTH.index(words) + 1 if words in _NTH else None
        spelled = nth or _WORDS.get(words)
        yield Number(*match.span(), None if spelled is None else Fraction(spelled), bool(nth))
    for match in _CHINESE.finditer(text):
        if (value := chinese(match["numeral"])) is not None:
            yield Number(*match.span(), value, bool(match["nth"]))


def _value(digits: str) -> Fraction | None:
    """Return the value of digits with separators; None if 1.200 may be 1200, or 3,5 a list."""
    if re.fullmatch(r"\d{1,3}([,'’]\d{3})+(\.\d+)?", digits):
        return Fraction(re.sub("[,'’]", "", digits))
    is_unclear = re.search("[ ,'’]", digits) or re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", digits)
    return None if is_unclear else Fraction(digits)


@lru_cache(maxsize=256)
def chinese(numeral: str) -> Fraction | None:
    """Return the value of a Chinese numeral, such as 一千二; None if it is none."""
    import cn2an  # it takes long to import

    try:
        return Fraction(str(cn2an.cn2an(numeral.replace("〇", "零"), "smart")))  # noqa: RUF001
    except ValueError:
        return None


# Notations that are not read, so that it is unclear which number they say.
_UNREAD = re.compile(
    r"\b(half|halves|quarters?|thirds?|fourths?|fifths?|tenths?|dozens?|couple|pair|both|once|twice"
    r"|point|minus|fortnight|none|nothing|any|nil|no|not|an?)\b|[没无半刻成俩仨双负毛角差两]|n't\b"
    r"|[壹贰叁肆伍陆柒捌玖拾]|分之|零下|\d ?(m|mn|bn|b)\b|[\u2044]|\d ?/ ?\d|(?<!\d)\.\d|\dh\d"
)
_FEW = {"a": 1, "an": 1, "once": 1, "both": 2, "twice": 2, "couple": 2, "pair": 2, "双": 2, "俩": 2}
_ZERO = {"none", "nothing", "any", "nil", "no", "not", "n't", "没", "无"}


def may_hold(text: Text, value: Fraction) -> bool:
    """Return whether a number may stand somewhere in a text, even within another value."""
    for run in re.findall(r"\d+(?:[.,'’ ]\d+)*", text.folded):
        plain = {run, *re.split(r"\D", run), re.sub(r"\D", "", run), re.sub("[,' ]", "", run)}
        forms = plain | {re.sub("[.' ]", "", run).replace(",", ".")}
        if any(
            re.fullmatch(r"\d{1,30}(\.\d{1,20})?", f) and Fraction(f) == abs(value) for f in forms
        ):
            return True
    if any(each.value is None or abs(each.value) == abs(value) for each in numbers(text)):
        return True
    unread = [match[0] for match in _UNREAD.finditer(text.folded)]
    return any(_FEW[w] == value if w in _FEW else value == 0 or w not in _ZERO for w in unread)
