"""The words and numbers of a text, in the form in which they are compared."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import NamedTuple

from pytest_mobileagent.check.answers.chinese import chinese
from pytest_mobileagent.check.answers.numerals import english, written
from pytest_mobileagent.screen.text import normalise

# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana and Chinese characters.
CHINESE = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# A minus sign counts only at the beginning of a word: in "-5", but not in "3-5" and "2024-05-06".
SIGN = r"(?:(?<![^\s(])[-\u2212])?"
# 6/7 and 5^2 are single tokens: a part of them would mean something else.
NUMBER = rf"(?:{SIGN}\d+(?:[.,:/^]\d+)*)"
_NUMBER = re.compile(rf"{NUMBER}(?:(?:st|nd|rd|th)(?![^\W{CHINESE}]))?")
_ORDINAL = re.compile(r"-?(\d+)(?:st|nd|rd|th)")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_EUROPEAN = re.compile(r"(-?\d{1,3}(?:\.\d{3})+),(\d+)")
_DECIMAL = re.compile(r"(-?)0*(\d+?)(?:\.(\d*?)0*)?")
_FRACTION = re.compile(r"(-?\d{1,9})/([1-9]\d{0,8})")
_UNSPACED = re.compile(f"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff{CHINESE}]")

_VULGAR = re.compile(r"(?<![\d.,:/^])(\d*)([\u00bc-\u00be\u2150-\u215e])")
_SUPERSCRIPT = re.compile(r"(?<=\d)(?=[\u00b2\u00b3\u00b9\u2070-\u2079])")
_LONE_SUPERSCRIPT = re.compile(r"(?<=[.,:/^\u2212-])(?=[\u00b2\u00b3\u00b9\u2070-\u2079])")
# Some countries separate thousands with a non-breaking space.
_SPACED = re.compile(r"(?<![\d.,:/])\d{1,3}(?:[\u00a0\u2009\u202f]\d{3})+(?![\d.,:/\u00a0\u202f])")
_MILLIONS = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)M(?!\w)")
_GENERATION = re.compile(r"(?<![\w.,])(\d)([GD])(?!\w)")  # 5G does not mean five grams
_NO_WHOLE = re.compile(r"(?<![\w.,:/^%\u2212-])(?=\.\d)")
_FULL_COMMA = re.compile("，(?!\\d{3}(?!\\d))")
_EMPHASIS = re.compile(r"~~.*?~~|(?<!\d)\*+|\*+(?!\d)|\*\*+|`+|(?<!\w)__|__(?!\w)")
_LINES = re.compile(r"\s*\n\s*(?:\n\s*|[-*•]\s+)|\A\s*[-*•]\s+")
_SCALED_MONEY = re.compile(r"([$€£¥])\s?(\d+(?:\.\d+)?)\s?(m|b|t)(?![^\W_])")
_SCALED = {"m": 10**6, "b": 10**9, "t": 10**12}
# Marks a name followed by its number, "iPhone 15"; this character is on no keyboard.
NAMED = "\ue000"
# Words that label the number after them. Any other capitalised word before a whole number is a
# name.
_LABELS = frozenset(
    re.findall(
        r"\w+",
        """a about after all alarm alarms an and android answer apartment are approximately article
    at battery before between block building bus but by category chapter column contains count
    counted day days door episode exactly exit experience figure final floor for found from gate
    got had has have hour how i in including ios is issue item items just last lesson level like
    line lot maximum message messages minimum module month more most near nearly next night no not
    number of on only or order over page pages part percent platform please position price question
    rank rating result results room round row score season seat section since size so start step
    storage street temperature terminal than that the them then there they this time times to
    today tonight top total track under unit until up usage used value version vol volume was we
    week weeks were what when which with within year yes you your it its he she his her my our
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
    saturday sunday mon tue wed thu fri sat sun usd eur gbp jpy cny hkd cad aud rmb chf inr krw
    mb gb kb tb actually sorry correction wait currently now previously originally formerly
    maybe perhaps probably possibly around roughly almost less fewer above below either neither
    nor without""",
    )
)
_NAME = re.compile(r"(?<![\w'’-])([A-Z][\w'’-]*|[a-z]+[A-Z]\w*) (?=\d{1,4}(?![\d.,:%]*\d|[%:/\w]))")
_COUNTED = re.compile(r"\d+ (?!costs|has|was|is|plus)[a-z]+s\b")


class Word(NamedTuple):
    """A word or number, and its position in the folded text."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """Return the text with irrelevant differences removed, and numerals as digits."""
    text = _FULL_COMMA.sub(", ", text)
    text = _LINES.sub(" ; ", text.strip()).removeprefix(" ; ")
    text = _SPACED.sub(lambda found: re.sub(r"\s", "", found[0]), text)
    text = _LONE_SUPERSCRIPT.sub(" ", _SUPERSCRIPT.sub("^", _VULGAR.sub(_vulgar, text)))
    text = _EMPHASIS.sub("", unicodedata.normalize("NFKC", normalise(text)))
    text = _MILLIONS.sub(lambda found: written(Fraction(found[1]) * 10**6), text)
    text = _NO_WHOLE.sub("0", _GENERATION.sub(rf"\1{NAMED}\2", text))
    folded = normalise(_NAME.sub(_named, text).casefold())
    folded = _SCALED_MONEY.sub(_scaled, folded)
    return english(chinese(folded))


def words(folded: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Return the words and numbers of a folded text, or of a part of it."""
    end = len(folded) if end is None else end
    found: list[Word] = []
    for each in _NUMBER.finditer(folded, start, end):
        found += _words(folded, start, each.start())
        found.append(Word(number(each[0]), *each.span()))
        start = each.end()
    return found + _words(folded, start, end)


def number(token: str) -> str:
    """Return a number in canonical form: without redundant zeros and thousands separators."""
    digits = (str(unicodedata.decimal(char, char)) for char in token.replace("\u2212", "-"))
    token = "".join(digits)
    if ordinal := _ORDINAL.fullmatch(token):
        return f"{int(ordinal[1]) if len(ordinal[1]) < 99 else ordinal[1]}th"
    if european := _EUROPEAN.fullmatch(token):
        token = f"{european[1].replace('.', '')}.{european[2]}"
    if _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    if ":" in token:
        return re.sub(r"^(-?)0+(?=\d)", r"\1", token)
    if (fraction := _FRACTION.fullmatch(token)) and 0 < abs(int(fraction[1])) < int(fraction[2]):
        return written(Fraction(int(fraction[1]), int(fraction[2])))
    decimal = _DECIMAL.fullmatch(token)
    if decimal is None:
        return token
    sign, whole, places = decimal.groups()
    value = f"{whole}.{places}" if places else whole
    return value if value == "0" else sign + value


def _vulgar(found: re.Match[str]) -> str:
    part = unicodedata.normalize("NFKC", found[2]).split("\u2044")
    value = Fraction(*map(int, part)) + int(found[1] or 0)
    return f"{'' if found[1] else ' '}{written(value)} "


def _scaled(found: re.Match[str]) -> str:
    return f"{found[1]}{written(Fraction(found[2]) * _SCALED[found[3]])}"


def _named(found: re.Match[str]) -> str:
    """Mark a name before a number: "Route 66", but not "Page 66" or "Found 66 files"."""
    name, text = found[1], found.string
    is_name_only = not name[0].isupper()  # e.g. iPhone
    if (
        name.endswith("ly")
        or re.split("['’-]", name.casefold())[0] in _LABELS
        or (name.isupper() and text.isupper())
    ):
        return found[0]
    if not is_name_only and _COUNTED.match(text, found.end()):
        return found[0]
    return f"{name}{NAMED} "


def _words(text: str, start: int, end: int) -> list[Word]:
    letters = "".join(
        char if unicodedata.category(char)[0] in "LMN" else " " for char in text[start:end]
    )
    found = []
    for each in re.finditer(r"\S+", letters):
        first = each.start()
        for char in [*_UNSPACED.finditer(each[0]), None]:
            last = char.start() + each.start() if char else each.end()
            if first < last:
                found.append(Word(letters[first:last], start + first, start + last))
            if char:
                found.append(Word(char[0], start + last, start + last + 1))
                first = last + 1
    return found
