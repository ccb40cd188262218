"""The kinds of values that answers can state: where a text states one, and whether it may.

`places` are certain: the value stands there, in full, in a notation with one meaning. `may_occur`
is generous: if it is False, the value occurs in no notation.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.numbers import (
    CURRENCY,
    SPELLED,
    UNITS,
    Value,
    any_of,
    may_hold,
    numbers,
)
from pytest_mobileagent.check.answers.text import CJK, WORDS, Text
from pytest_mobileagent.check.answers.times import WEEKDAYS, clocks, dates
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.check.answers.text import Place


@dataclass(frozen=True, slots=True)
class Kind:
    """What is expected of an answer; `str` shows the value as it is read."""

    shown: str
    places: Callable[[Text], list[Place]] = field(repr=False, compare=False)
    may_occur: Callable[[Text], bool] = field(repr=False, compare=False)

    def __str__(self) -> str:
        """Return the value and its kind, such as "the number 7"."""
        return self.shown


def _read(
    shown: str,
    find: Callable[[Text], Sequence[Value]],
    is_same: Callable[[Value], bool],
    *,
    is_other: Callable[[Value], bool] = lambda _: False,
    is_near: Callable[[Value], bool] = lambda _: False,
    digits: Sequence[Fraction] = (),
    vague: str = "(?!)",
    more: str = "",
    words: str = "(?!)",
) -> Kind:
    """Return a kind of values that `find` reads.

    Its places are where a value `is_same`, with `more` after it, and where there are `words` for
    it. It may also occur where a value `is_near`, and, apart from the values that certainly are
    others (`is_other`), where there is one of the `digits`, or something `vague`.
    """
    say, follow, hint = map(re.compile, (words, more, vague))

    def places(text: Text) -> list[Place]:
        same = [each for each in find(text) if is_same(each)]
        ends = [follow.match(text.folded, each.end) for each in same]
        whole = [(v.start, end.end() if end else v.end) for v, end in zip(same, ends, strict=True)]
        return whole + [match.span() for match in say.finditer(text.folded)]

    def may_occur(text: Text) -> bool:
        rest = text.without(each[:2] for each in find(text) if is_other(each))
        is_vague = hint.search(rest.folded) or any(may_hold(rest, each) for each in digits)
        return bool(is_vague or places(text) or any(map(is_near, find(text))))

    return Kind(shown, places, may_occur)


def _alone(
    written: str, find: Callable[[Text], Sequence[Value]], example: str, of: str = ""
) -> Value:
    """Return the value that a string is, of a kind that matches `of`."""
    text = Text.of(written)
    whole = (len(text.folded) - len(text.folded.lstrip()), len(text.folded.rstrip()))
    for each in find(text):
        if each[:2] == whole and re.fullmatch(of or ".*", each.kind):
            return each
    raise TaskError(f"answers: {written!r} is not {example}")


def counts(text: Text) -> list[Value]:
    """Return the numbers of a text that are not parts of times and dates."""
    taken = [*clocks(text), *dates(text)]
    return [each for each in numbers(text) if not each.overlaps(taken)]


def number(value: float | str | Fraction, *, of: float | str | None = None) -> Kind:
    """Return a number; `of` is the end of its scale, which an answer may name: "4.8/5"."""
    value = Fraction(str(value))
    digits = f"{value.numerator}" if value.denominator == 1 else f"{float(value):.10g}"
    shown, more, words = f"the number {digits}", rf"\s?{CURRENCY}", "(?!)"
    if of is not None:
        shown += f" of {of}"
        more = rf"\s?(?:/|out of|of)\s?{of}(?![\w.])(?:\sstars?\b)?|\sstars?\b|分"
        words = rf"(?<![\w.,:/]){re.escape(digits)}0?\s?/\s?{of}(?![\w/]|\.\d)"
    elif value == 0:
        words = r"\b(?:none|nil|nothing|no(?= [a-z]))\b|没有(?!了|人)"
    return _read(
        shown,
        counts,
        lambda each: each.kind in {"number", "counted"} and each.value == value,
        digits=[value],
        more=more,
        words=words,
    )


_SCALES = {"degrees": {"degrees", "celsius", "fahrenheit"}, "percent": {"percent", "number"}}
_BINARY = [Fraction(1024, 1000) ** power for power in range(-4, 5)]


def quantity(written: str, *, of: str = "") -> Kind:
    """Return an amount with a unit, in any unit of its dimension; bytes by 1,000 or by 1,024.

    `of` is its dimension, if it has to be a certain one.
    """
    example = {"duration": "a duration, such as 1 h 30 min"}
    *_, dimension, amount = _alone(
        written,
        numbers,
        example.get(of, "an amount with a known unit, such as 1.2 GB"),
        of or "|".join(WORDS["units"]),
    )
    kinds = _SCALES.get(dimension, {dimension})
    amounts = {amount * ratio for ratio in _BINARY} if dimension == "bytes" else {amount}
    units = any_of(name for name, factors in UNITS.items() if dimension in factors)
    written_digits = re.findall(r"\d{1,30}(?:\.\d{1,20})?", Text.of(written).folded)
    return _read(
        f"the {'duration' if dimension == 'duration' else 'quantity'} {written}",
        counts,
        lambda each: each.kind in kinds and each.value in amounts,
        is_other=lambda each: each.kind == dimension,
        is_near=lambda each: dimension == "duration" and each.kind in {"number", "duration?"},
        digits=[*map(Fraction, written_digits), amount],
        vague=rf"(?<![a-z]){units}",
    )


def duration(written: str) -> Kind:
    """Return a duration, such as "1 h 30 min"."""
    return quantity(written, of="duration")


def money(written: str) -> Kind:
    """Return a sum of money, whose currency an answer may omit."""
    amount = _alone(written, numbers, "a sum of money, such as $12.50", "[A-Z]+").value
    currencies = {each.kind for each in numbers(Text.of(written)) if each.kind.isupper()}
    return _read(
        f"the sum {written}",
        counts,
        lambda each: each.kind in {*currencies, "number"} and each.value == amount,
        is_other=lambda each: each.kind.isupper() and each.kind not in currencies,
        digits=[amount],
        vague=r"\b(cents?|pence)\b|\dp\b|[角毛块元]",
    )


def time(written: str) -> Kind:
    """Return a time of day; without am or pm, on a 24-hour clock."""
    of, seconds = _alone(written, clocks, "a time of day, such as 9:30 PM or 21:30")[2:]
    hour, minute = divmod(seconds // 60, 60)
    hours = [] if minute else [Fraction((hour - 1) % 12 + 1)]
    return _read(
        f"the time {hour:02}:{minute:02}" + (f":{seconds % 60:02}" if seconds % 60 else ""),
        clocks,
        lambda each: each.value == seconds and (each.kind == "clock" or seconds < 13 * 3600),
        is_other=lambda _: True,
        is_near=lambda each: each.value % 43200 == seconds % 43200 and "half" in (of, each.kind),
        digits=[*(Fraction(100 * h + minute) for h in (hour, hour % 12)), *hours],
        vague=rf"\b(?:half|quarter|past|o'?clock|to|{SPELLED})\b|[差刻过]|中午|晚上|凌晨",
    )


def date(year: int | None, month: int, day: int | None = None) -> Kind:
    """Return a day, or a month of a year; without a year, an answer may name any."""
    same = {(None, month, day), (year, month, day)}
    shown = [f"{year}"] * bool(year) + [f"{month:02}"] + [f"{day or 0:02}"] * bool(day)
    return _read(
        f"the date {'-'.join(shown)}",
        dates,
        lambda each: each.value[1:] == (month, day) and year in (None, each.value[0]),
        is_other=lambda each: each.value[2] is not None and each.value not in same,
        digits=[] if day is None else [Fraction(day)],
        vague=r"\b(to(day|morrow|night)|yesterday|next|last|this)\b|[今明昨后前]天|[上下]周|年",
    )


_PHONE = re.compile(
    rf"(?<![^\W{CJK}])(?<!\.)\+?\(?\d(?:[ ().\-/]{{0,2}}\d){{5,17}}(?![^\W{CJK}]|[.:/-]\d)"
)


def phone(written: str) -> Kind:
    """Return a telephone number, however its digits are grouped, with or without country code."""
    digits = re.sub(r"\D", "", written)
    if not 5 <= len(digits) <= 17:
        raise TaskError(f"answers: {written!r} is not a telephone number")

    def is_same(other: str) -> bool:
        from phonenumbers import MatchType, is_number_match

        match = is_number_match(written, other)
        is_match = match in {MatchType.EXACT_MATCH, MatchType.NSN_MATCH}
        return is_match or re.sub(r"\D", "", other) == digits

    return Kind(
        f"the phone number {written}",
        lambda text: [m.span() for m in _PHONE.finditer(text.shown) if is_same(m[0])],
        lambda text: digits[-7:] in re.sub(r"\D", "", text.folded),
    )


_HOST = re.compile(r"(?<=@)[\w.-]+$|^\w+://[^/?#]*|^(?:[a-zA-Z\d-]+\.)+[a-zA-Z]{2,}")


def exact(written: str) -> Kind:
    """Return an identifier, version or address, of which every character counts.

    Case is ignored in host names only: after the "@" of an e-mail address (RFC 5321, 2.4), and in
    the scheme and host of a URL (RFC 3986, 6.2.2.1).
    """
    sought = Text.of(written.strip())
    start, end = host.span() if (host := _HOST.search(sought.shown)) else (0, 0)
    before, cased, after = (
        re.escape(part)
        for part in (sought.shown[:start], sought.shown[start:end], sought.shown[end:])
    )
    whole = rf"(?<![^\W{CJK}])(?<![@/.+-]){before}(?i:{cased}){after}(?![^\W{CJK}]|[@/+-]|[.:]\w)"
    bare = re.sub("^(https?)?(www)?", "", sought.squeezed)
    return Kind(
        f"exactly {written!r}",
        lambda text: [match.span() for match in re.finditer(whole, text.shown)],
        lambda text: bare in f"{re.sub('at|dot', '', text.squeezed)} {text.squeezed}",
    )


_ON_OFF = [words.split() for words in WORDS["states"].values()]


def name(written: str) -> Kind:
    """Return words, in their order; case, accents and the punctuation between them do not count."""
    own = Text.of(written)
    if not own.words:
        raise TaskError(f"answers: {written!r} has no letters or digits that an answer could state")
    days = next((day for day in WEEKDAYS if own.squeezed in day), {own.folded})
    forms = {*days, own.folded.replace("&", " and ")}
    sought = {tuple(word.text for word in Text.of(form).words) for form in forms}
    # "on" is a preposition if a word follows it.
    end = r"(?!\s*\w)" if own.squeezed in {"on", "off", "in", "out", "up", "down"} else ""
    like = 100 if len(own.squeezed) < 4 else 60 if re.search(f"[{CJK}]", own.shown) else 75
    state = [word for words in _ON_OFF if own.squeezed in words for word in words]

    def places(text: Text) -> list[Place]:
        runs = (
            (text.words[at : at + len(form)], form)
            for form in sought
            for at in range(len(text.words))
        )
        same = [run for run, form in runs if tuple(word.text for word in run) == form]
        spans = [(run[0].start, run[-1].end) for run in same]
        return [span for span in spans if re.compile(end).match(text.folded, span[1])]

    def may_occur(text: Text) -> bool:
        from rapidfuzz import fuzz

        words = {word.text for word in text.words}
        numbers = [word.text for word in own.words if word.text.isascii() and word.text.isdigit()]
        if places(text) or not words.isdisjoint(state):
            return True
        if not all(may_hold(text, Fraction(number)) for number in numbers):
            return False  # 12 items are not 13 items
        is_like = fuzz.partial_ratio(own.squeezed, text.squeezed) >= like
        return is_like or words.issuperset(word.text for word in own.words)

    return Kind(repr(written), places, may_occur)


_YES = "yes|yeah|yep|true|correct|是的?|对的?|有的?|可以|能"
_NO = "no|nope|false|否|不是的?|没有|不对|不可以|不能|不"


def yes() -> Kind:
    """Return the answer yes."""
    return _polarity("yes", _YES, _NO)


def no() -> Kind:
    """Return the answer no."""
    return _polarity("no", _NO, _YES)


def _polarity(shown: str, own: str, other: str) -> Kind:
    said = re.compile(rf"\W*({own})(?![a-z])")
    denial = r"\b(?:not|no)\b|n'?t\b|不是|没有|[不没]" if shown == "no" else "(?!)"

    def places(text: Text) -> list[Place]:
        word = said.match(text.folded)
        denials = re.compile(denial).finditer(text.folded, word.end()) if word else ()
        return [word.span(1), *(each.span() for each in denials)] if word else []

    opposite = re.compile(rf"\W*(?:{other})\W*(?:$|(?<=[,.!]))")
    return Kind(shown, places, lambda text: bool(text.words) and not opposite.match(text.folded))


def one_of(*values: str | Kind) -> Kind:
    """Return any one of several values."""
    kinds = tuple(plain(value) if isinstance(value, str) else value for value in values)

    def places(text: Text) -> list[Place]:
        found = [places for kind in kinds if (places := kind.places(text))]
        longest = max(found, key=lambda each: each[0][1] - each[0][0], default=[])
        # Another value is a second answer, unless it is a part of this one.
        rest = [place for each in found if each is not longest for place in each]
        inside = all(longest[0][0] <= s and e <= longest[0][1] for s, e in rest)
        return longest if inside else []

    shown = " or ".join(map(str, kinds))
    return Kind(shown, places, lambda text: any(kind.may_occur(text) for kind in kinds))


_EXACT = (
    r"[^@\s]+@[\w-]+(\.[\w-]+)+"  # an e-mail address
    r"|https?://\S+|www\.\S+|([a-zA-Z\d-]+\.)+(com|org|net|io|cn|dev|app|edu|gov)(/\S*)?"
    r"|[vV]?\d+(\.\d+){2,}\S*|[vV]\d+(\.\d+)*|\w+[+#]+"  # a version, or C++
    r"|(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z\d]+([-_/#.][A-Za-z\d]+)*"  # an identifier
)


@lru_cache(maxsize=256)
def plain(written: str) -> Kind:  # noqa: PLR0911 - one for each kind
    """Return the kind that a string plainly is, else a name."""
    raw = written.strip()
    bare = Text.of(raw).folded.rstrip(".")
    if not Text.of(raw).words:  # as an empty element of a screen, which no answer states
        shown = f"the text {written!r}"
        return Kind(shown, lambda _: [], lambda text: bool(bare) and bare in text.folded)
    if bare in {"yes", "是", "是的"}:
        return yes()
    if bare in {"no", "否", "不是"}:
        return no()
    if ratio := re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)\s?/\s?([1-9]\d{0,5})", bare):
        is_scale = "." in ratio[1] or ratio[2] in {"5", "10", "100"}
        return number(ratio[1], of=ratio[2]) if is_scale else number(Fraction(ratio[0]))
    with suppress(TaskError):
        return date(*_alone(bare, dates, "").value)
    if re.fullmatch(r"\+?[\d ()-]{7,20}", bare) and 7 <= len(re.sub(r"\D", "", bare)) <= 15:
        return one_of(phone(bare), number(bare)) if bare.isdigit() else phone(bare)
    if re.fullmatch(r"[-+]?\d{1,30}(\.\d{1,20})?", bare):
        return number(bare)
    for find in (clocks, numbers):
        with suppress(TaskError):
            return _of_kind(raw, _alone(bare, find, ""))
    return exact(written) if re.fullmatch(_EXACT, raw) else name(written)


def _of_kind(written: str, found: Value) -> Kind:
    if found.kind == "ordinal":
        shown = f"the ordinal number {found.value}"
        return _read(shown, counts, lambda each: each[2:] == found[2:], digits=[found.value])
    if found.kind == "number":
        return number(found.value)
    kind = time if found.kind in {"clock", "half"} else money if found.kind.isupper() else quantity
    return kind(written)
