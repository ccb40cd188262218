"""English and Chinese text as it is compared, and the numbers, amounts, times and dates in it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CJK = "㐀-鿿豈-﫿぀-ヿ"  # Han, hiragana and katakana, which are written without spaces
WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
_UNIFIED = {
    "'": "[\u2018-\u201b\u2032`]",
    '"': "[\u201c-\u201f\u2033«»]",
    "-": "[\u2010-\u2015\u2212]",
    "": "[\u200b-\u200f\u202a-\u202e\u2060\ufeff\xad]",  # invisible
    "\n": "\r\n?",
}

Place = tuple[int, int]  # from the first character of a folded text to the one after the last


@dataclass(frozen=True, slots=True)
class Text:
    """Text whose notation is unified; both strings have the same length.

    - `shown`: with Unicode's compatibility forms, quotes and dashes unified.
    - `folded`: also in lower case and without accents.
    """

    shown: str
    folded: str

    @staticmethod
    @lru_cache(maxsize=256)  # a body asks several questions about one answer, after every step
    def of(text: str) -> Text:
        """Return a text as it is compared."""
        raised = re.sub("([⁰¹²³⁴-⁹₀-₉])", r"^\1", text)  # 6² is not 62
        shown = unicodedata.normalize("NFKC", raised)
        for sign, signs in _UNIFIED.items():
            shown = re.sub(signs, sign, shown)
        shown = unicodedata.normalize("NFC", shown)
        return Text(shown, "".join(map(_fold, shown)))

    @property
    def words(self) -> list[str]:
        """The words; in scripts without spaces, the characters."""
        return re.findall(rf"[{CJK}]|[^\W_{CJK}]+", self.folded)

    @property
    def squeezed(self) -> str:
        """The letters and digits only."""
        return re.sub(r"[\W_]", "", self.folded)

    def without(self, places: Iterable[Place], sign: str = " ") -> Text:
        """Return the text with a sign for each character that stands at some places."""
        blank = {at for start, end in places for at in range(start, end)}
        return Text.of("".join(sign if at in blank else c for at, c in enumerate(self.folded)))


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """Return a character in lower case without accents, always one character."""
    base = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", char)).lower()
    return base if len(base) == 1 else char


def phrase(words: Iterable[str], endings: str = "") -> str:
    """Return a pattern of whole words in a row, the longer of which may have other endings."""
    each: list[str] = []
    for word in words:
        letter = r"[a-z\d]" if word.isascii() else r"[^\W_]"
        whole = rf"(?<!{letter}){re.escape(word)}{endings if len(word) > 2 else ''}(?!{letter})"
        each.append(word if re.match(f"[{CJK}]", word) else whole)
    return r"[\W_]*".join(each)


class Value(NamedTuple):
    """A value from `start` to `end` of a text.

    Its kind is "number", "counted" if a unit stands beside it, "attached" if letters follow it;
    "rated" with the end of its scale, or None; a dimension or currency of `words.toml`, one value
    for each meaning; "clock" in seconds since midnight, "half" if it does not name the half of the
    day; "date" as year, month and day, None where it is not said, "day" as month and day. A number
    is None if its notation has two meanings.
    """

    start: int
    end: int
    kind: str
    value: Any

    def overlaps(self, others: Iterable[Value]) -> bool:
        """Return whether the value stands at the same place as one of the others."""
        return any(self.start < other.end and other.start < self.end for other in others)


@lru_cache(maxsize=256)
def values(text: Text) -> tuple[Value, ...]:
    """Return the values in a text; numbers in dates and times of day are not values of their own.

    Durations that follow each other are added: "1 h 30 min".
    """
    found: list[Value] = []
    times = [*_dates(text.folded), *_clocks(text.folded)]
    for each in sorted(times, key=lambda v: v.start - v.end):
        # Several values at one place are its meanings.
        found += [] if each.overlaps(v for v in found if v[:2] != each[:2]) else [each]
    amounts = {each for number in _numbers(text.folded) for each in _measured(text, *number)}
    found += sorted(each for each in amounts if not each.overlaps(found))
    for first, second in pairwise([each for each in found if each.kind.startswith("duration")]):
        gap = text.folded[first.end : second.start].strip(" ,")
        if first.end <= second.start and gap in {"", "and", "零"} and second.value < first.value:
            sum_ = Value(first.start, second.end, "duration", first.value + second.value)
            found = [sum_, *(each for each in found if not each.overlaps([first, second]))]
    return tuple(found)


def _factors(names: str) -> dict[str, Fraction]:
    """Return the names, each of which follows its factor, as in "1 g grams 1e3 kg"."""
    found, factor = {}, Fraction(1)
    for name in names.split():
        if name[0].isdigit():
            factor = Fraction(name)
        else:
            found[name] = factor
    return found


UNITS: dict[str, dict[str, Fraction]] = {}  # name: {dimension or currency: factor to its base}
for _dimension, _names in {**WORDS["units"], **WORDS["currencies"]}.items():
    for _name, _factor in _factors(_names).items():
        UNITS.setdefault(_name, {})[_dimension] = _factor
_MAGNITUDES = _factors(WORDS["numbers"]["magnitudes"])


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern of any of the names, which no other letter may follow."""
    longest_first = sorted(names, key=len, reverse=True)
    return rf"(?:{'|'.join(map(re.escape, longest_first))})(?<![a-z](?=[a-z/\d]))"


_ONES, _TEENS, _TENS = (WORDS["numbers"][each].split() for each in ("ones", "teens", "tens"))
_SPELLED = {word: value for value, word in enumerate([*_ONES, *_TEENS])} | {
    f"{word}-{one}".removesuffix("-zero"): 10 * ten + value
    for ten, word in enumerate(_TENS, 2)
    for value, one in enumerate(_ONES)
}
SPELLED = rf"(?:{'|'.join([*_SPELLED, 'hundred', 'thousand', '[mb]illion'])})"
_SPELLED |= dict.fromkeys(("no", "none", "nil", "nothing", "没有"), 0) | {"a": 1, "an": 1}
_CURRENCY = _any_of(name for name, each in UNITS.items() if min(each).isupper())
_CHINESE = "零〇一二两三四五六七八九十百千万亿点"
_UNIT = re.compile(rf" ?(?!块[\d{_CHINESE}])(?P<unit>{_any_of(UNITS)})")
_DIGITS = re.compile(
    rf"(?<![^\W{CJK}])(?<![.,:/第])(?<![\w)]-)[-+]?(?P<before>{_CURRENCY}\s?)?[-+]?"
    r"(?P<digits>\d{1,3}(?:[,'’ ]\d{3})+(?:\.\d{1,20})?|\d{1,3}(?:\.\d{3})+,\d\d?"
    r"|\d{1,30}(?:[.,]\d{1,20})?)"
    r"(?:\s?(?P<magnitude>(?:k|hundred|thousand|[mb]illion|(?(before)(?:mn?|bn?)|(?!)))\b|[千万亿]))?"
    r"(?![_\d]|[.,:-]\d)(?P<attached>\s?%|[a-z])?"
)
_SCALE = re.compile(
    r"\s?(?:(?:/|(?:out )?of)\s?(\d{1,3})(?!\.?\d|[:/])(?:\sstars?\b|分)?|stars?\b|分)"
)
# As a pronoun, "one" counts nothing.
_PRONOUNS = "|".join(rf"(?<={word} )one" for word in WORDS["numbers"]["pronoun"].split())
_SPELL = re.compile(
    rf"\b(?!one(?:s? of|'?s)|{_PRONOUNS})(?:{SPELLED}(?:(?:[ -]| and ){SPELLED})*"
    rf"|an?(?= {_any_of(UNITS)})|none|nil|nothing|no(?= [a-z]))\b|没有(?!了|人)"
)
_NUMERAL = re.compile(
    rf"(?<![{_CHINESE}\d周第])(?<!星期)(?<!礼拜)[{_CHINESE}]+"
    rf"(?![些样起下直定般共切旦边面会]|[{_CHINESE}])"
)


def _numbers(text: str) -> Iterator[tuple[Value, str]]:
    """Yield the numbers of a text, and the currency before each, or ""."""
    for match in _DIGITS.finditer(text):
        value, before = _value(match["digits"]), (match["before"] or "").strip()
        if value is not None:
            head = text[match.start() : match.start("digits")]
            value *= _MAGNITUDES.get(match["magnitude"], 1) * (-1 if "-" in head else 1)
        kind = "attached" if match["attached"] else "number"
        end = match.end() - len(match["attached"] or "")
        yield Value(match.start(), end, kind, value), before
        if scale := _SCALE.match(text, end):
            rate = (value, scale[1] and Fraction(scale[1]))
            yield Value(match.start(), scale.end(), "rated", rate), before
    for match in _SPELL.finditer(text):
        yield Value(*match.span(), "number", _SPELLED.get(match[0].replace(" ", "-"))), ""
    for match in _NUMERAL.finditer(text):
        if (value := _chinese(match[0])) is not None:
            yield Value(*match.span(), "number", value), ""


def _value(digits: str) -> Fraction | None:
    """Return the value of digits with separators; None if 1.200 may be 1200, or 3,5 a list."""
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d\d?|\d+,\d\d", digits):
        return Fraction(digits.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d{1,3}([,'’]\d{3})+(\.\d+)?", digits):
        return Fraction(re.sub("[,'’]", "", digits))
    is_unclear = re.search("[ ,'’]", digits) or re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", digits)
    return None if is_unclear else Fraction(digits)


@lru_cache(maxsize=256)
def _chinese(numeral: str) -> Fraction | None:
    """Return the value of a Chinese numeral, such as 一千二; None if it is none."""
    import cn2an  # it takes long to import

    try:
        return Fraction(str(cn2an.cn2an(numeral.replace("〇", "零"), "smart")))  # noqa: RUF001
    except ValueError:
        return None


def _measured(text: Text, number: Value, before: str) -> Iterator[Value]:
    """Yield a number, and what it is in each meaning of the unit before or after it."""
    after = _UNIT.match(text.folded, number.end)
    name = before or (after["unit"] if after else "")
    if number.kind == "rated" or not name:
        yield number
        return
    units = UNITS[name]
    if before and after:  # "US$ 5 CAD" is neither
        units = {unit: units[unit] for unit in units if unit in UNITS[after["unit"]]}
    end = after.end() if after else number.end
    is_money = all(unit.isupper() for unit in units)
    counted = number._replace(kind="counted", end=end if is_money else number.end)
    yield number if number.kind == "attached" else counted
    for unit, factor in units.items() if number.value is not None else ():
        kind = "duration?" if unit == "duration" and len(units) > 1 else unit  # as "5 m" or 5分
        yield Value(number.start, end, kind, number.value * factor)


_N = "零一二两三四五六七八九十"
_PARTS = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"
_ADDED = {"下午": 12, "傍晚": 12, "晚上": 12, "夜里": 12, "中午": 3}  # 12 to hours before these
_HALF = r"(?P<half>[ap])\.?m\b\.?"
_CLOCKS = (
    rf"(?P<part>{_PARTS})?(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::(?P<s>\d{{2}}))?(?![\d:])(?:\s?{_HALF})?",
    rf"(?<![\d:.])(?P<h>\d{{1,2}})(?:\.(?P<m>\d{{2}}))?\s?{_HALF}",
    rf"(?P<part>{_PARTS})?(?<![\d:.])(?P<h>\d\d?|[{_N}]+)(?:[点时]|\s?o'?clock\b)(?:(?P<m>\d\d?|[{_N}半整]+)分?)?(?!\d)",
    r"(?<![a-z])(?:(?P<noon>noon|midday|正午)|midnight|午夜)(?![a-z])",
)


def _clocks(text: str) -> Iterator[Value]:
    """Yield the times of day in a text."""
    for match in (match for pattern in _CLOCKS for match in re.finditer(pattern, text)):
        said = {name: group for name, group in match.groupdict().items() if group}
        half, part = said.get("half"), said.get("part", "")
        hour, minute, second = (_count(said.get(each, "0")) for each in "hms")
        if minute > 59 or second > 59 or hour > 24 or (half and not 1 <= hour <= 12):
            continue
        is_certain = bool(half or part) or not 1 <= hour <= 12 or match[0][0] == "0"
        is_certain = is_certain and not (part and hour == 12 and part != "中午")
        hour = hour % 12 + 12 * (half == "p") if half else hour
        hour += 12 * ("noon" in said or hour < _ADDED.get(part, 0))
        seconds = 3600 * (hour % 24) + 60 * minute + second
        yield Value(*match.span(), "clock" if is_certain else "half", seconds)


def _count(text: str) -> int:
    """Return the number of hours, minutes, months or days; 99 if it is none."""
    value = _chinese({"半": "30", "整": "0"}.get(text, text.lstrip("零0") or "0"))
    return 99 if value is None else int(value)


_NAMES = WORDS["numbers"]["months"].split()
_MONTHS = [*dict.fromkeys(name[:3] for name in _NAMES)]
_MONTH = rf"\b(?P<name>{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in _NAMES)})\b\.?"
_DAYS = "|".join(" ".join(WORDS["same"]["words"][:7]).split())
_BEFORE, _AFTER = rf"(?:\b(?:{_DAYS})\b[.,]?\s)?", rf"(?:,?\s?\(?(?:{_DAYS})\b\)?)?"
_YEAR, _DAY = r"(?P<y>\d{4})(?!\d|[.:-]\d)", r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?![\d:])"
_WRITTEN = rf"(?:(?P<y>\d{{4}})年)?(?<!\d)(?P<m>\d{{1,2}}|[{_N}]{{1,2}})月"
_DATES = (
    rf"(?<![\d/.-])(?P<y>\d{{4}})([-/.])(?P<m>\d{{1,2}})\2(?P<d>\d{{1,2}})(?![\d/.-]\d){_AFTER}",
    rf"{_BEFORE}(?<![\d/.:-])(?:the )?{_DAY}(?: of)?[\s-]{_MONTH}(?:,?[\s-]{_YEAR})?{_AFTER}",
    rf"{_BEFORE}{_MONTH}\s(?:the )?{_DAY}(?:,?\s{_YEAR})?{_AFTER}",
    rf"{_MONTH},?\s{_YEAR}",
    rf"{_BEFORE}{_WRITTEN}(?:(?P<d>\d{{1,2}}|[{_N}]{{1,3}})[日号]{_AFTER}|份?(?![\d日号]))",
    rf"{_BEFORE}(?<![\d/.-])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_YEAR}{_AFTER}",
)


def _dates(text: str) -> Iterator[Value]:
    """Yield the dates in a text whose notation has one meaning only: not 05/06/2026."""
    for match in (match for pattern in _DATES for match in re.finditer(pattern, text)):
        said = {name: group for name, group in match.groupdict().items() if group}
        name, year, day = said.get("name"), said.get("y"), said.get("d")
        month = _MONTHS.index(name[:3]) + 1 if name else _count(said["m"])
        date = (int(year) if year else None, month, _count(day) if day else None)
        if month <= 12 and (date[2] or 0) <= 31:
            yield Value(*match.span(), "date", date)
            yield Value(*match.span(), "day", date[1:])
