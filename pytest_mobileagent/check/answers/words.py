"""Words and numbers of a text, in the form in which they are compared."""

from __future__ import annotations

import re
import unicodedata

from pytest_mobileagent.screen.text import normalise

# A minus counts where a word begins: "-5" has one, "3-5" and "2024-05-06" have not.
SIGN = r"(?:(?<![^\s(])[-\u2212])?"
_NUMBER = re.compile(rf"(?:{SIGN}\d+(?:[.,:]\d+)*)")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"(-?)0*(\d+?)(?:\.(\d*?)0*)?")
# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana and Chinese characters.
CHINESE = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff{CHINESE}]")

_ONES = ["two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {
    **{word: value for value, word in enumerate(_ONES, 2)},
    **{word: value for value, word in enumerate(_TEENS, 10)},
    **{word: value for value, word in enumerate(_TENS, 2)},  # of tens
    "one": 1,
}
_LARGE = r"hundred|thousand|million|billion|dozen|point|half|third|quarter"
# "one" alone is more often a pronoun. What has larger words beside it stays as it is.
_NUMERAL = re.compile(
    rf"(?<![^\W\d_])(?<!-)(?:({'|'.join(_TENS)})(?:[- ](one|{'|'.join(_ONES)}))?"
    rf"|({'|'.join((*_ONES, *_TEENS))}))(?![^\W\d_{CHINESE}]|-[^\W\d_]|['\u2019][^\W\d_])"
    rf"(?! (?:and )?(?:an? )?(?:{_LARGE}|{'|'.join((*_ONES, *_TEENS, *_TENS))})s?\b)"
)
_AFTER_LARGE = re.compile(rf"(?:{_LARGE})s?[ -](?:and )?$")
_DIGITS = {char: value for value, char in enumerate("一二三四五六七八九", 1)} | {"两": 2}
CHINESE_NUMERAL = "[一二两三四五六七八九十]{1,3}"
_MEASURES = "个|条|封|张|次|天|位|本|件|部|台|家|名|杯|份|页|岁|年|小时|分钟|公里|千米|公斤|块|元"
# "一" alone is more often a part of other words, and what follows 周 or 第 is no number of things.
_COUNTED = re.compile(rf"(?<![周期拜第{''.join(_DIGITS)}十\d])({CHINESE_NUMERAL})(?={_MEASURES})")


def fold(text: str) -> str:
    """Return a text without the differences that do not count, and numerals as digits."""
    folded = unicodedata.normalize("NFKC", normalise(text)).casefold()
    return _COUNTED.sub(_counted, _NUMERAL.sub(_numeral, folded))


def split(folded: str, start: int = 0, end: int | None = None) -> list[str]:
    """Return the words and numbers of a text that was folded, or of a part of it."""
    end = len(folded) if end is None else end
    found: list[str] = []
    for each in _NUMBER.finditer(folded, start, end):
        found += [*_words(folded[start : each.start()]), number(each[0])]
        start = each.end()
    return found + _words(folded[start:end])


def number(token: str) -> str:
    """Return a number without what does not count: zeros around it, commas between thousands."""
    token = "".join(str(unicodedata.decimal(char, char)) for char in token.replace("\u2212", "-"))
    if _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    if ":" in token:
        return re.sub(r"^(-?)0+(?=\d)", r"\1", token)
    decimal = _DECIMAL.fullmatch(token)
    if decimal is None:
        return token
    sign, whole, fraction = decimal.groups()
    value = f"{whole}.{fraction}" if fraction else whole
    return value if value == "0" else sign + value


def chinese_number(numeral: str) -> int | None:
    """Return a number in digits, or up to 99 in Chinese numerals; None if it is none."""
    if numeral.isdecimal():
        return int(numeral)
    tens, ten, ones = numeral.rpartition("十")
    if any(len(part) > 1 or part not in ("", *_DIGITS) for part in (tens, ones)):
        return None
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)


def _numeral(found: re.Match[str]) -> str:
    if _AFTER_LARGE.search(found.string[max(0, found.start() - 16) : found.start()]):
        return found[0]
    tens, ones, small = found.groups()
    if small:
        return str(_VALUES[small])
    return str(_VALUES[tens] * 10 + (_VALUES[ones] if ones else 0))


def _counted(found: re.Match[str]) -> str:
    value = chinese_number(found[1])
    return found[1] if value in (None, 1) else str(value)


def _words(text: str) -> list[str]:
    letters = (char if unicodedata.category(char)[0] in "LMN" else " " for char in text)
    return _UNSPACED.sub(r" \g<0> ", "".join(letters)).split()
