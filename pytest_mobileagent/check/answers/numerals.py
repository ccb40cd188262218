"""Converts numbers in English words, and amounts with a scale, to digits.

No library reads these as they appear in answers. Of 135 pairs (2026-11) word2number 1.1,
number-parser 0.3, text2num 3.1 and quantulum3 0.10 each decided 62 to 76 wrong. The first three
read "2.5 million" as 2.5 and a million, or as a million, and do not know "half", "two and a half"
or "a dozen"; quantulum3 knows halves, but takes seconds to load and reads "from 6 to 7" as 6.5.
Deciding when a word is a number, which such a library leaves to its caller, takes more code than
reading the words.
"""

from __future__ import annotations

import re
from fractions import Fraction

_ONES = re.findall(r"\w+", "one two three four five six seven eight nine")
_TEENS = re.findall(
    r"\w+", "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {
    "zero": 0,
    **{word: value for value, word in enumerate(_ONES, 1)},
    **{word: value for value, word in enumerate(_TEENS, 10)},
    **{word: value * 10 for value, word in enumerate(_TENS, 2)},
}
_SCALES = {
    "hundred": 100,
    "dozen": 12,
    "k": 10**3,
    "thousand": 10**3,
    "million": 10**6,
    "mn": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fifth": 5,
    "eighth": 8,
    "ninth": 9,
    "twelfth": 12,
    **{f"{word}th": value for value, word in enumerate(_ONES, 1) if 3 < value not in (5, 8, 9)},
    **{f"{word}th": value for value, word in enumerate(_TEENS, 10) if value != 12},
    **{f"{word[:-1]}ieth": value * 10 for value, word in enumerate(_TENS, 2)},
}
_CJK = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_BEGIN = r"(?<![^\W\d_])(?<![-.,:/\d'\u2019])"
_END = rf"(?![^\W{_CJK}]|-[^\W\d_{_CJK}]|['\u2019][^\W\d_])"
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WORD = "|".join(sorted(_SMALL, key=len, reverse=True))
_SCALE = "hundred|dozen|thousand|million|billion|trillion"
_CARDINAL = rf"(?:{_WORD})(?:(?:[- ]| and )(?:{_WORD}|{_SCALE})|[- ]and (?:{_WORD}))*"
_DENOMINATOR = "|".join(part for part in _PARTS if part != "half")
_AND_PART = (
    rf"(?: and (?:(an?|one|two|three) )?(half|halves|(?:{_DENOMINATOR})s?)"
    r"(?! past| to\b| after| before))"
)
_NUMBER = re.compile(
    rf"{_BEGIN}(?P<sign>(?<!\d )(?:minus|negative) )?"
    rf"(?:(?P<a>an?|half an?) (?=(?:{_SCALE})\b)|(?P<digits>{_DIGITS})|(?P<words>{_CARDINAL}))"
    rf"(?P<part>{_AND_PART})?(?P<point> point(?: (?:{_WORD}))+)?"
    rf"(?P<scale>(?:(?<=\d)k| ?-?(?:{_SCALE}|mn|bn)s?)\b|)"
    rf"(?P<rest>(?: and)? (?:{_CARDINAL}))?{_END}"
)
_PART = re.compile(
    rf"{_BEGIN}(?:(?P<count>an?|one|two|three|\d)[- ])?"
    rf"(?:(?P<half>half|halves)|(?P<part>(?:{_DENOMINATOR})s?))(?! past| to\b| after| before){_END}"
)
_ORDINAL = re.compile(
    rf"{_BEGIN}(?:({'|'.join(_TENS)})[- ])?"
    rf"({'|'.join(sorted(_ORDINALS, key=len, reverse=True))}){_END}"
)
_UNITS = (
    r"hours?|minutes?|mins?|seconds?|days?|weeks?|months?|years?|miles?|met(?:er|re)s?"
    r"|kilomet(?:er|re)s?|km|kilograms?|kilos?|kg|grams?|lit(?:er|re)s?|pounds?|dollars?|euros?"
    r"|yuan|cents?|percent|per cent|degrees?|o['\u2019]clock|[ap]\.?m\b|gigabytes?|gb|megabytes?|mb"
)
# "one" is usually a pronoun. It is a number before a unit, where it is the whole answer, and where
# things are counted.
_ONE = re.compile(
    r"(?:(?P<counted>\b(?:(?:there(?:'s| is| was)|has|have|had|found|see|contains|exactly|only|just"
    r"|number is|answer is|total is|count is|total of)(?: (?:exactly|only|just))? ))|\A\W*)one"
    r"(?=\W*\Z| (?!half|third|quarter|fifth|hundred|thousand|million|billion|dozen"
    r"|more|of|or|by|and|day|direction|way|else|is|can)[\w-]+(?<=\w)\W*\Z|[.!;,](?! of)"
    r"|(?(counted) (?!of|who|that|which|way|thing|more|can|or|to|is|else)|(?!)))"
)
_ONE_UNIT = re.compile(
    rf"{_BEGIN}one(?=[- ](?:{_UNITS})\b| point | (?:and|out of) |-?(?:{_SCALE})\b)"
)
_ONE_PAST = re.compile(r"(?<=\bpast )one\b|(?<=\bto )one\b(?= *[.!]?$)")


def written(value: Fraction) -> str:
    """Return a number in digits, as a fraction if its decimals would not end."""
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator != 1 or value.denominator > 10**12:
        return f"{value.numerator}/{value.denominator}"
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


def english(text: str) -> str:
    """Return a folded text with numbers and ordinals in words, or with scales, as digits."""
    text = _CLOCK.sub(_clock, _MIXED.sub(_mixed, _halves(text)))
    text = _ONE_PAST.sub("1", _ONE_UNIT.sub("1", _ONE.sub(_last_to_1, text)))
    text = _NUMBER.sub(_number, text)
    text = _PART.sub(_part, text)
    return _ORDINAL.sub(_ordinal, text)


# A whole number followed by a fraction: 6 1/2.
_MIXED = re.compile(r"(?<![\d.,:/-])(\d+) ([1-9])/([2-9])(?![\d/.])")
_CLOCK = re.compile(
    rf"{_BEGIN}({'|'.join((*_ONES, *_TEENS[:3]))})"
    rf"[- ](oh (?:{'|'.join(_ONES)})|{'|'.join(_TEENS)}|(?:twenty|thirty|forty|fifty)"
    rf"(?:[- ](?:{'|'.join(_ONES)}))?){_END}(?! (?:{_SCALE}))"
)
_HALF_OF = re.compile(
    rf"{_BEGIN}(?:half (?:of )?an?|(?<!and )a half"
    rf"|(?<!and a )(?<!and )(?<!a )half) (?=(?:{_UNITS})\b)"
)
_PARTS_OF = re.compile(
    rf"{_BEGIN}(?:(an?|one|three|3) )?(quarter|quarters) (?:of )?an? (?=(?:{_UNITS})\b)"
)
_AN_AND = re.compile(
    rf"{_BEGIN}(an?|one|\d+|{'|'.join(_ONES)}) ({_UNITS}) and (?:an? )?(half|quarter)\b"
)
# "$5 a month" and "twice a day" are rates; "a week" alone is a duration.
_AN = re.compile(
    r"(?<![^\W\d_])(?<!once )(?<!twice )(?<!times )(?<!\d )(?<!\d)(?<!(?:ters|tres|iles) )"
    r"(?<!km )(?<!mi )(?<!rs )(?<!os )(?<!an )(?<!half )an? (?=(?:hour|minute|day|week|month"
    r"|fortnight|year|kilomet(?:er|re)|mile|met(?:er|re)|dollar|euro|kilo|kilogram|lit(?:er|re))\b)"
)


def _halves(text: str) -> str:
    """Return "half an hour" as 0.5 hours, and "an hour and a half" as 1.5 hours."""

    def longer(found: re.Match[str]) -> str:
        value = Fraction(1) if found[1] in ("a", "an") else Fraction(_SMALL.get(found[1], -1))
        if value < 0:
            value = Fraction(found[1])
        return f"{written(value + Fraction(1, _PARTS[found[3]]))} {found[2]}"

    text = _AN_AND.sub(longer, text)
    text = _HALF_OF.sub("0.5 ", text)
    text = _PARTS_OF.sub(lambda found: "0.75 " if found[2] == "quarters" else "0.25 ", text)
    return _AN.sub("1 ", text)


def _mixed(found: re.Match[str]) -> str:
    part = Fraction(int(found[2]), int(found[3]))
    return written(int(found[1]) + part) if part < 1 else found[0]


def _clock(found: re.Match[str]) -> str:
    """Return the words of a time, such as "six thirty", in digits; they are not one number."""
    minutes = _cardinal(found[2].removeprefix("oh "))
    return found[0] if minutes is None else f"{_SMALL[found[1]]}:{int(minutes):02}"


def _last_to_1(found: re.Match[str]) -> str:
    return f"{found[0][:-3]}1"


def _number(found: re.Match[str]) -> str:
    words, digits = found["words"], found["digits"]
    is_plain = not (found["part"] or found["point"] or found["scale"] or found["a"])
    if digits and is_plain:
        rest = found["rest"]
        sign = "-" if found["sign"] else ""
        return f"{sign}{digits}{english(rest) if rest else ''}"
    if words == "one" and is_plain and not found["rest"]:
        return found[0]
    value = _value(found)
    return found[0] if value is None else written(-value if found["sign"] else value)


def _value(found: re.Match[str]) -> Fraction | None:
    if found["digits"]:
        value: Fraction | None = Fraction(found["digits"].replace(",", ""))
    elif found["a"]:
        value = Fraction(1, 2) if "half" in found["a"] else Fraction(1)
    else:
        value = _cardinal(found["words"])
    if value is None:
        return None
    if found["part"]:
        *_, count, part = found["part"].split() if " " in found["part"].strip() else ("", "a", "")
        tops = {"one": 1, "two": 2, "three": 3}
        value += Fraction(tops.get(count, 1), _denominator(part))
    if found["point"]:
        places = [_SMALL[word] for word in found["point"].split()[1:]]
        if any(place > 9 for place in places):
            return None
        value += Fraction(int("".join(map(str, places))), 10 ** len(places))
    scale = found["scale"].strip(" -").removesuffix("s")
    value *= _SCALES.get(scale, 1)
    if found["rest"]:
        rest = _cardinal(found["rest"].strip().removeprefix("and "))
        if rest is None or not 0 < rest < _SCALES.get(scale, 1):
            return None
        value += rest
    return value


def _denominator(part: str) -> int:
    return 2 if part.startswith("hal") else _PARTS[part.removesuffix("s")]


def _cardinal(phrase: str) -> Fraction | None:
    """Return the value of number words: "one hundred and five"; None for "six seven"."""
    total = current = 0
    limit, before = 10**15, ""
    for word in re.split(r"[- ]", phrase):
        if word == "and":
            if before not in _SCALES or before == "dozen":
                return None
        elif word in _SMALL:
            value = _SMALL[word]
            is_after_tens = before in _TENS and 0 < value < 10
            is_after_scale = before in (*_SCALES, "and", "") and value > 0
            if not (is_after_tens or is_after_scale or (before == "" and phrase == word)):
                return None
            current += value
        elif word in ("hundred", "dozen"):
            if not 0 < current < 100:
                return None
            current *= _SCALES[word]
        else:
            if not 0 < current < 1000 or _SCALES[word] >= limit:
                return None
            limit = _SCALES[word]
            total, current = total + current * limit, 0
        before = word
    return None if before == "and" else Fraction(total + current)


def _part(found: re.Match[str]) -> str:
    count, half, part = found["count"], found["half"], found["part"]
    if part and (count is None or (count.isdigit() and not part.endswith("s"))):
        return found[0]  # "third" and "quarter" alone: an ordinal, and a quarter of a year
    if part and count in ("a", "an") and part not in ("third", "quarter"):
        return found[0]
    top = {"two": 2, "three": 3}.get(count or "", int(count) if count and count.isdigit() else 1)
    return f"{top}/{2 if half else _denominator(part)}"


def _ordinal(found: re.Match[str]) -> str:
    tens, ones = found.groups()
    if ones == "second" and not tens:  # usually a unit of time
        is_ordinal = re.search(
            r"\b(?:the|on)? ?(?:the|march|april|may|june|july) $",
            found.string[max(0, found.start() - 12) : found.start()],
        )
        if not is_ordinal:
            return found[0]
    value = _ORDINALS[ones]
    if tens and value > 9:
        return found[0]
    return f"{(_SMALL[tens] if tens else 0) + value}th"
