"""The kinds of values that answers can state: where a text states one, and whether it may.

`places` are certain: the value stands there, in full, in a notation with one meaning. `may_occur`
is generous: if it is False, the value occurs in no notation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.answers.numbers import may_hold, numbers
from pytest_mobileagent.check.answers.text import CJK, Text
from pytest_mobileagent.check.answers.times import WEEKDAYS, clocks, dates
from pytest_mobileagent.check.answers.units import amounts, moneys, units
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Place = tuple[int, int]  # from the first character of a folded text to the one after the last


@dataclass(frozen=True, slots=True)
class Kind:
    """What is expected of an answer; `str` shows the value as it is read."""

    shown: str
    places: Callable[[Text], list[Place]] = field(repr=False, compare=False)
    may_occur: Callable[[Text], bool] = field(repr=False, compare=False)

    def __str__(self) -> str:
        """Return the value and its kind, such as "the number 7"."""
        return self.shown


def number(value: float | str, *, of: float | None = None) -> Kind:
    """Return a number; `of` is the end of its scale, which an answer may name: "4.8/5"."""
    return _number(Fraction(str(value)), None if of is None else Fraction(str(of)))


def _number(
    value: Fraction, of: Fraction | None = None, *, nth: bool = False, noun: str = ""
) -> Kind:
    scale = (
        ""
        if of is None
        else rf"\s?(?:/|out of|of)\s?{_digits(of)}(?![\w.])(?: stars?\b)?| stars?\b"
    )
    more = re.compile(scale or (rf"\s?{re.escape(noun)}s?(?![a-z])" if noun else r"(?!)"))

    def places(text: Text) -> list[Place]:
        taken = [(each.start, each.end) for find in _OTHERS for each in find(text)]
        found = []
        for each in numbers(text):
            is_part = re.compile("[分时月日号年周点小刻成半]").match(text.folded, each.end)
            if each[2:] == (value, nth, False) and not is_part:
                start = each.start - (text.folded[: each.start][-1:] in tuple("$€£¥₹"))
                end = m.end() if (m := more.match(text.folded, each.end)) else each.end
                if text.folded[:start][-1:] != "-":  # not -$5
                    found.append((start, end))
        found = [(s, e) for s, e in found if not any(s < end and start < e for start, end in taken)]
        if of is not None:
            whole = rf"(?<![\w.,:/]){re.escape(_digits(value))}0?\s?/\s?{_digits(of)}(?![\w/]|\.\d)"
            found += [match.span() for match in re.finditer(whole, text.folded)]
        if value == 0 and not nth:
            none = r"\b(?:none|nil|nothing|no(?= [a-z]))\b|没有(?!了|人)"
            found += [match.span() for match in re.finditer(none, text.folded)]
        return found

    shown = f"the {'ordinal ' if nth else ''}number {_digits(value)}"
    shown += f" {noun}" if noun else "" if of is None else f" of {_digits(of)}"
    return Kind(shown, places, lambda text: may_hold(text, value))


_OTHERS: tuple[Callable[[Text], Sequence[Any]], ...] = (clocks, dates)


def _digits(value: Fraction) -> str:
    return f"{value.numerator}" if value.denominator == 1 else f"{float(value):.10g}"


def quantity(written: str) -> Kind:
    """Return an amount with a unit, in any unit of its dimension; bytes by 1,000 or by 1,024."""
    found = [a for a in amounts(Text.of(written)) if (a.start, a.end) == _whole(written)]
    if not found:
        raise TaskError(f"answers: {written!r} is not an amount with a known unit, such as 1.2 GB")
    _, _, dimension, amount = found[0]
    ratios = [Fraction(1024, 1000) ** power for power in range(-4, 5)]

    def is_same(other: str, value: Fraction) -> bool:
        if dimension == "bytes" == other and amount:
            return value / amount in ratios
        return value == amount and (
            other == dimension or (dimension == "degrees" and other in _SCALES)
        )

    def places(text: Text) -> list[Place]:
        spans = [(a.start, a.end) for a in amounts(text)]  # "5 m" twice, as it is ambiguous
        own = [(a.start, a.end) for a in amounts(text) if is_same(a.dimension, a.amount)]
        found = [place for place in own if spans.count(place) == 1]
        return found + (_number(amount).places(text) if dimension == "percent" else [])

    def may_occur(text: Text) -> bool:
        digits = re.findall(r"\d{1,30}(?:\.\d{1,20})?", Text.of(written).folded)
        if any(is_same(a.dimension, a.amount) for a in amounts(text)) or places(text):
            return True
        read = {a.end for a in amounts(text)}
        unread = any(word.text in units(dimension) and word.end not in read for word in text.words)
        return unread or any(may_hold(text, Fraction(each)) for each in [*digits, amount])

    return Kind(f"the {_MEASURES.get(dimension, 'quantity')} {written}", places, may_occur)


_SCALES, _MEASURES = {"celsius", "fahrenheit"}, {"duration": "duration"}


def duration(written: str) -> Kind:
    """Return a duration, such as "1 h 30 min"."""
    kind = quantity(written)
    if not kind.shown.startswith("the duration"):
        raise TaskError(f"answers: {written!r} is not a duration, such as 1 h 30 min")
    return kind


def money(written: str) -> Kind:
    """Return a sum of money, whose currency an answer may omit."""
    found = [m for m in moneys(Text.of(written)) if (m.start, m.end) == _whole(written)]
    if not found:
        raise TaskError(f"answers: {written!r} is not a sum of money, such as $12.50")
    currencies, amount = found[0].currencies, found[0].amount

    def places(text: Text) -> list[Place]:
        own = [m for m in moneys(text) if m.amount == amount and m.currencies & currencies]
        others = [m for m in moneys(text) if m not in own]
        bare = _number(amount).places(text)
        bare = [(s, e) for s, e in bare if not any(s < m.end and m.start < e for m in others)]
        return [*((m.start, m.end) for m in own), *bare]

    def may_occur(text: Text) -> bool:
        others = [m for m in moneys(text) if not m.currencies & currencies]
        parts = re.search(r"\b(cents?|pence)\b|\dp\b|[角毛块元]", text.folded)
        return bool(places(text) or parts) or (not others and may_hold(text, amount))

    return Kind(f"the sum {written}", places, may_occur)


def time(written: str) -> Kind:
    """Return a time of day; without am or pm, on a 24-hour clock."""
    found = [c for c in clocks(Text.of(written)) if (c.start, c.end) == _whole(written)]
    if not found:
        raise TaskError(f"answers: {written!r} is not a time of day, such as 9:30 PM or 21:30")
    seconds = found[0].seconds
    minutes = seconds // 60 % 60
    forms = {
        f"{h}{sign}{minutes:02}"
        for h in (seconds // 3600, seconds // 3600 % 12)
        for sign in ("", ".", "h")
    }

    def places(text: Text) -> list[Place]:
        same = [c for c in clocks(text) if c.seconds == seconds]
        return [(c.start, c.end) for c in same if c.is_certain or seconds < 13 * 3600]

    def may_occur(text: Text) -> bool:
        told = re.search(
            r"\b(half|quarter|past|o'?clock|to)\b|[差刻过]|中午|晚上|凌晨", text.folded
        )
        spelled = any(not text.folded[n.start : n.end].isdigit() for n in numbers(text))
        half = any(c.seconds % 43200 == seconds % 43200 and not c.is_certain for c in clocks(text))
        digits = any(re.search(rf"(?<!\d)0?{re.escape(form)}(?!\d)", text.folded) for form in forms)
        hour = minutes == 0 and may_hold(text, Fraction((seconds // 3600 - 1) % 12 + 1))
        return bool(
            places(text) or told or spelled or half or digits or (hour and not clocks(text))
        )

    second = f":{seconds % 60:02}" if seconds % 60 else ""
    return Kind(f"the time {seconds // 3600:02}:{minutes:02}{second}", places, may_occur)


def date(year: int | None, month: int, day: int | None = None) -> Kind:
    """Return a day, or a month of a year; without a year, an answer may name any."""

    def places(text: Text) -> list[Place]:
        same = [d for d in dates(text) if (d.month, d.day) == (month, day)]
        return [(d.start, d.end) for d in same if year in (None, d.year)]

    def may_occur(text: Text) -> bool:
        if any((d.month, d.day) == (month, day) and (d.year in (None, year)) for d in dates(text)):
            return True
        read = {i for d in dates(text) if d.day for i in range(d.start, d.end)}
        rest = Text.of("".join(" " if i in read else c for i, c in enumerate(text.folded)))
        told = re.search(
            r"\b(to(day|morrow|night)|yesterday|next|last|this)\b|[今明昨后前]天|[上下]周|年",
            rest.folded,
        )
        return bool(places(text) or told) or (day is not None and may_hold(rest, Fraction(day)))

    shown = "-".join(
        [*([str(year)] if year else []), f"{month:02}", *([f"{day:02}"] if day else [])]
    )
    return Kind(f"the date {shown}", places, may_occur)


_PHONE = re.compile(
    rf"(?<![^\W{CJK}])(?<!\.)\+?\(?\d(?:[ ().\-/]{{0,2}}\d){{5,17}}(?![^\W{CJK}]|[.:/-]\d)"
)


def phone(written: str) -> Kind:
    """Return a telephone number, however its digits are grouped, with or without country code."""
    digits = re.sub(r"\D", "", written)
    if not 5 <= len(digits) <= 17:
        raise TaskError(f"answers: {written!r} is not a telephone number")

    def is_same(other: str) -> bool:
        if re.sub(r"\D", "", other) == digits:
            return True
        from phonenumbers import MatchType, is_number_match

        return is_number_match(written, other) in {MatchType.EXACT_MATCH, MatchType.NSN_MATCH}

    return Kind(
        f"the phone number {written}",
        lambda text: [m.span() for m in _PHONE.finditer(text.shown) if is_same(m[0])],
        lambda text: digits[-7:] in re.sub(r"\D", "", text.folded),
    )


def exact(written: str) -> Kind:
    """Return an identifier, version or address, of which every character counts.

    Case is ignored in host names only: after the "@" of an e-mail address (RFC 5321, 2.4), and in
    the scheme and host of a URL (RFC 3986, 6.2.2.1).
    """
    sought = Text.of(written.strip())
    pattern = re.compile(
        rf"(?<![^\W{CJK}])(?<![@/.+-]){re.escape(sought.shown)}(?![^\W{CJK}]|[@/+-]|[.:]\w)",
        re.IGNORECASE,
    )
    return Kind(
        f"exactly {written!r}",
        lambda text: [
            m.span() for m in pattern.finditer(text.shown) if _cased(m[0]) == _cased(sought.shown)
        ],
        lambda text: sought.squeezed in f"{re.sub('at|dot', '', text.squeezed)} {text.squeezed}",
    )


def _cased(text: str) -> str:
    """Return a text with its host names in lower case."""
    if address := re.fullmatch(r"([^@\s/]+@)([\w.-]+)", text):
        return address[1] + address[2].lower()
    url = re.fullmatch(r"(\w+://[^/?#]*|(?:[a-zA-Z\d-]+\.)+[a-zA-Z]{2,})(.*)", text, re.DOTALL)
    return url[1].lower() + url[2] if url else text


_STATES = (
    (
        frozenset({"on", "enabled", "active", "打开", "开启", "开"}),
        "on|enabled?|activ(e|ated)|开|启用",
    ),
    (
        frozenset({"off", "disabled", "inactive", "关闭", "关", "关掉"}),
        "off|disabled?|inactive|关|停用|禁用",
    ),
)


def name(written: str) -> Kind:
    """Return words, in their order; case, accents and the punctuation between them do not count."""
    own = Text.of(written)
    if not own.words:
        raise TaskError(f"answers: {written!r} has no letters or digits that an answer could state")
    alike = next(
        (day for day in WEEKDAYS if own.squeezed in day), {written, written.replace("&", " and ")}
    )
    sought = {tuple(word.text for word in Text.of(each).words) for each in alike}
    # "on" is a preposition if a word follows it.
    is_small = own.squeezed in {"on", "off", "in", "out", "up", "down"}

    def places(text: Text) -> list[Place]:
        found = []
        for words in sought:
            for at in range(len(text.words) - len(words) + 1):
                some = text.words[at : at + len(words)]
                is_followed = is_small and re.compile(r"\s*\w").match(text.folded, some[-1].end)
                if tuple(word.text for word in some) == words and not is_followed:
                    found.append((some[0].start, some[-1].end))
        return found

    def may_occur(text: Text) -> bool:
        from rapidfuzz import fuzz
        from rapidfuzz.distance import OSA

        same = next((words for state, words in _STATES if own.squeezed in state), "(?!)")
        short, long = sorted((own.squeezed, text.squeezed), key=len)
        if places(text) or re.search(rf"(?<![a-z])(?:{same})(?![a-z])", text.folded):
            return True
        if re.fullmatch(rf"[{CJK}]+", own.squeezed):
            score = fuzz.partial_ratio(own.squeezed, text.squeezed) if len(own.squeezed) > 3 else 0
            return own.squeezed in text.squeezed or score >= 60
        some = [w.text for w in own.words if w.text not in {"the", "a", "an", "of", "and"}]
        content = some or [w.text for w in own.words]
        there = sum(
            any(
                one == w.text
                or (min(len(one), len(w.text)) >= 4 and OSA.distance(one, w.text) <= 1)
                for w in text.words
            )
            for one in content
        )
        return (len(short) >= 4 and short in long) or 2 * there >= len(content)

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
    def places(text: Text) -> list[Place]:
        word = re.compile(rf"\W*({own})(?![a-z])").match(text.folded)
        if word is None:
            return []
        denials = re.finditer(r"\b(?:not|no)\b|n'?t\b|不是|没有|[不没]", text.folded)
        after = [match.span() for match in denials if match.start() >= word.end()]
        return [word.span(1), *(after if shown == "no" else [])]

    opposite = re.compile(rf"\W*(?:{other})\W*(?:$|(?<=[,.!]))")
    return Kind(shown, places, lambda text: bool(text.words) and not opposite.match(text.folded))


def one_of(*values: str | Kind) -> Kind:
    """Return any one of several values."""
    kinds = tuple(plain(value) if isinstance(value, str) else value for value in values)

    def places(text: Text) -> list[Place]:
        found = [places for kind in kinds if (places := kind.places(text))]
        longest = max(found, key=lambda each: each[0][1] - each[0][0], default=[])
        whole = longest[0] if longest else (0, 0)
        # Another value is a second answer, unless it is a part of this one.
        inside = all(whole[0] <= s and e <= whole[1] for each in found for s, e in each)
        return longest if inside or len(found) == 1 else []

    shown = " or ".join(map(str, kinds))
    return Kind(shown, places, lambda text: any(kind.may_occur(text) for kind in kinds))


def _whole(written: str) -> Place:
    folded = Text.of(written).folded
    return len(folded) - len(folded.lstrip()), len(folded.rstrip())


_EXACT = re.compile(
    r"[^@\s]+@[\w-]+(\.[\w-]+)+"  # an e-mail address
    r"|https?://\S+|www\.\S+|([a-zA-Z\d-]+\.)+(com|org|net|io|cn|dev|app|edu|gov)(/\S*)?"
    r"|[vV]?\d+(\.\d+){2,}\S*|[vV]\d+(\.\d+)*"  # a version
    r"|(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z\d]+([-_/#.][A-Za-z\d]+)*"  # an identifier
)


@lru_cache(maxsize=256)
def plain(written: str) -> Kind:  # noqa: C901, PLR0911 - a case for each kind
    """Return the kind that a string plainly is, else a name."""
    text, whole, raw = Text.of(written), _whole(written), written.strip()
    bare = text.folded.strip().rstrip(".")
    if not text.words:  # as an empty element of a screen, which no answer states
        shown = f"the text {written!r}"
        return Kind(shown, lambda _: [], lambda other: bool(bare) and bare in other.folded)
    if bare in {"yes", "no", "是", "否", "是的", "不是"}:
        return yes() if bare in {"yes", "是", "是的"} else no()
    if (numeric := _numeric(bare)) is not None:
        return numeric
    for day in dates(text):
        if (day.start, day.end) == whole:
            return date(day.year, day.month, day.day)
    each: tuple[tuple[Callable[[Text], Sequence[Any]], Callable[[str], Kind]], ...] = (
        (clocks, time),
        (moneys, money),
        (amounts, quantity),
    )
    for find, kind in each:
        if any((found.start, found.end) == whole for found in find(text)):
            return kind(written)
    for found in numbers(text):
        if (found.start, found.end) == whole and found.value is not None:
            return _number(found.value, nth=found.is_ordinal)
    counted = re.fullmatch(r"(\d{1,30}(?:\.\d{1,20})?) ([a-z]{3,}?)s?", raw)
    if counted:
        return _number(Fraction(counted[1]), noun=counted[2])
    return exact(written) if _EXACT.fullmatch(raw) else name(written)


def _numeric(bare: str) -> Kind | None:
    """Return the kind of a ratio, a telephone number or a plain number; None of other text."""
    if ratio := re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)\s?/\s?([1-9]\d{0,5})", bare):
        is_scale = "." in ratio[1] or ratio[2] in {"5", "10", "100"}
        top, bottom = Fraction(ratio[1]), Fraction(ratio[2])
        return _number(top, bottom) if is_scale else _number(top / bottom)
    if re.fullmatch(r"\+?[\d ()-]{7,20}", bare) and 7 <= len(re.sub(r"\D", "", bare)) <= 15:
        if re.fullmatch(r"\d{4}-\d\d?-\d\d?", bare):
            return None  # a date
        return one_of(phone(bare), number(bare)) if bare.isdigit() else phone(bare)
    return number(bare) if re.fullmatch(r"[-+]?\d{1,30}(\.\d{1,20})?", bare) else None
