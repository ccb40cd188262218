"""Numbers in text, with the units and currencies that belong to them."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.check.answers.text import CJK, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.check.answers.text import Text

_SMALL, _TENS, _NTH = (WORDS["numbers"][each].split() for each in ("small", "tens", "nth"))
_WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    f"{word}-{_SMALL[one]}" if one else word: 10 * ten + one
    for ten, word in enumerate(_TENS, 2)
    for one in range(10)
}
_MAGNITUDES = {
    word: 10**power
    for words, power in (("hundred", 2), ("k thousand 千", 3), ("万", 4), ("m mn million", 6))
    for word in words.split()
} | {"亿": 10**8, "b": 10**9, "bn": 10**9, "billion": 10**9}
UNITS: dict[str, dict[str, Fraction]] = {}  # name: {dimension or currency: factor to its base}
for _dimension, _names in {**WORDS["units"], **WORDS["currencies"]}.items():
    _factor = Fraction(1)
    for _name in _names.split():
        if _name[0].isdigit():
            _factor = Fraction(_name)
        else:
            UNITS.setdefault(_name, {})[_dimension] = _factor


def any_of(names: Iterable[str]) -> str:
    """Return a pattern of any of the names, which no other letter may follow."""
    longest_first = sorted(names, key=len, reverse=True)
    return rf"(?:{'|'.join(map(re.escape, longest_first))})(?<![a-z](?=[a-z/\d]))"


SPELLED = rf"(?:{'|'.join([*_WORDS, *_NTH, 'hundred', 'thousand', '[mb]illion'])})"
CHINESE = "零〇一二两三四五六七八九十百千万亿点"
CURRENCY = any_of(name for name, each in UNITS.items() if min(each) < "a")
_UNIT = re.compile(rf" ?(?P<unit>{any_of(UNITS)})")
_DIGITS = re.compile(
    rf"(?<![^\W{CJK}])(?<![.,:/])(?<![\w)]-)[-+]?(?P<before>{CURRENCY}\s?)?[-+]?"
    r"(?P<digits>\d{1,3}(?:[,'’ ]\d{3})+(?:\.\d{1,20})?|\d{1,3}(?:\.\d{3})+,\d\d?"
    r"|\d{1,30}(?:[.,]\d{1,20})?)(?P<nth>st|nd|rd|th)?"
    r"(?:\s?(?P<magnitude>(?:k|hundred|thousand|[mb]illion|(?(before)(?:mn?|bn?)|(?!)))\b|[千万亿]))?"
    r"(?![_\d]|[.,:/-]\d|\s?/\s?\d)(?P<attached>\s?%|[a-z])?"
)
_SPELL = re.compile(rf"\b{SPELLED}(?:(?:[ -]| and ){SPELLED})*\b")
_NUMERAL = re.compile(
    rf"(?P<nth>第)?(?<![{CHINESE}\d周])(?<!星期)(?<!礼拜)(?P<numeral>[{CHINESE}]+)"
    rf"(?![些样起下直定般共切旦边面会]|[{CHINESE}])"
)
_NOT_ONE = re.compile(r"\b(this|that|the|which|each|no|any|every|some|another|last|new|other) $")


class Value(NamedTuple):
    """A value from `start` to `end` of a text.

    Its kind is "number", or "counted" if a unit stands beside it, "attached" if letters follow it
    directly; "ordinal"; a dimension or currency of `words.toml`, one value for each meaning;
    "clock" in seconds since midnight, "half" if it does not name the half of the day; "date".
    The value is None if the notation has two meanings.
    """

    start: int
    end: int
    kind: str
    value: Any

    def overlaps(self, others: Iterable[Value]) -> bool:
        """Return whether the value stands at the same place as one of the others."""
        return any(self.start < other.end and other.start < self.end for other in others)


@lru_cache(maxsize=256)
def numbers(text: Text) -> tuple[Value, ...]:
    """Return the numbers of a text, and the amounts that they make with units.

    Durations that follow each other are added: "1 h 30 min".
    """
    each = {each for number in _bare(text.folded) for each in _measured(text, *number)}
    found = sorted(each, key=lambda each: each[:3])
    durations = [each for each in found if each.kind.startswith("duration")]
    for first, second in pairwise(durations):
        gap = text.folded[first.end : second.start].strip(" ,")
        if first.end <= second.start and gap in {"", "and", "零"} and second.value < first.value:
            sum_ = Value(first.start, second.end, "duration", first.value + second.value)
            found = [sum_, *(each for each in found if not each.overlaps([first, second]))]
    return tuple(found)


def _measured(text: Text, number: Value, before: str) -> Iterator[Value]:
    """Yield a number, and what it is in each meaning of the unit before or after it."""
    after = _UNIT.match(text.folded, number.end)
    name = before or (after["unit"] if after else "")
    if number.kind == "ordinal" or not name:
        yield number
        return
    units = UNITS[name]
    if before and after:  # "US$ 5 CAD" is neither
        units = {unit: units[unit] for unit in units if unit in UNITS[after["unit"]]}
    yield number if number.kind == "attached" else number._replace(kind="counted")
    end = after.end() if after else number.end
    for unit, factor in units.items() if number.value is not None else ():
        kind = "duration?" if unit == "duration" and len(units) > 1 else unit  # as "5 m" or 5分
        yield Value(number.start, end, kind, number.value * factor)


def _bare(text: str) -> Iterator[tuple[Value, str]]:
    """Yield the numbers of a text, and the currency before each, or ""."""
    for match in _DIGITS.finditer(text):
        value, before = _value(match["digits"]), (match["before"] or "").strip()
        if value is not None:
            head = text[match.start() : match.start("digits")]
            value *= _MAGNITUDES.get(match["magnitude"], 1) * (-1 if "-" in head else 1)
        kind = "ordinal" if match["nth"] else "attached" if match["attached"] else "number"
        end = match.start("attached") if match["attached"] else match.end()
        yield Value(match.start(), end, kind, value), before
    for match in _SPELL.finditer(text):
        words, after = match[0].replace(" ", "-"), text[match.end() :]
        # As a pronoun, "one" counts nothing.
        if words == "one" and (
            _NOT_ONE.search(text[: match.start()]) or re.match("s? of|s", after)
        ):
            continue
        nth = _NTH.index(words) + 1 if words in _NTH else None
        spelled = nth or _WORDS.get(words)
        value = None if spelled is None else Fraction(spelled)
        yield Value(*match.span(), "ordinal" if nth else "number", value), ""
    for match in _NUMERAL.finditer(text):
        if (value := chinese(match["numeral"])) is not None:
            yield Value(*match.span(), "ordinal" if match["nth"] else "number", value), ""


def _value(digits: str) -> Fraction | None:
    """Return the value of digits with separators; None if 1.200 may be 1200, or 3,5 a list."""
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d\d?|\d+,\d\d", digits):
        return Fraction(digits.replace(".", "").replace(",", "."))
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
    runs = re.findall(r"\d+(?:[.,'’ ]\d+)*", text.folded)
    forms = {
        form for run in runs for form in (run, re.sub("[,' ]", "", run), *re.split(r"\D", run))
    }
    forms |= {re.sub("[.' ]", "", run).replace(",", ".") for run in runs}
    forms |= {re.sub(r"\D", "", run) for run in runs}
    digits = (form for form in forms if re.fullmatch(r"\d{1,30}(\.\d{1,20})?", form))
    if any(Fraction(form) == abs(value) for form in digits):
        return True
    bare = [number.value for number, _ in _bare(text.folded)]
    if any(each is None or abs(each) == abs(value) for each in bare):
        return True
    unread = [match[0] for match in _UNREAD.finditer(text.folded)]
    return any(_FEW[w] == value if w in _FEW else value == 0 or w not in _ZERO for w in unread)
