"""The kinds of values that answers can state: where a text states one, and whether it may.

`places` are certain: the value stands there, in full, in a notation with one meaning. `may_occur`
is generous: if it is False, the value occurs in no notation.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_mobileagent.answers.values import CJK, SPELLED, WORDS, Text, phrase, values
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.answers.values import Place, Value


@dataclass(frozen=True, slots=True)
class Kind:
    """What is expected of an answer; `shown` names the value and its kind, as "the number 7"."""

    shown: str
    places: Callable[[Text], list[Place]] = field(repr=False, compare=False)
    may_occur: Callable[[Text], bool] = field(repr=False, compare=False)


_CURRENCIES = frozenset(WORDS["currencies"])
_VAGUE = {
    number: "|".join(phrase([word], "s?") for word in words.split())
    for number, words in WORDS["vague"].items()
}
_UNREAD = re.compile(
    r"\d ?(?:m|mn|bn|b)\b|[\u2044]|\d ?/ ?\d|(?<!\d)\.\d|\dh\d|n't\b|" + _VAGUE["*"]
)


def _read(
    shown: str,
    same: Iterable[tuple[str, object]],
    near: Iterable[tuple[str, object]] = (),
    *,
    digits: Iterable[Fraction] = (),
    vague: str = "(?!)",
) -> Kind:
    """Return what texts state as any of some values, given by kind and value.

    It may also occur as a value that is `near`, or as any of the `digits` or something `vague`
    outside of the values that certainly are others.
    """
    certain, near, numbers = {*same}, {*same, *near}, {*digits}
    near |= {(kind, -value) for kind, value in near if isinstance(value, Fraction)}
    kinds = {kind for kind, _ in near} | _CURRENCIES

    def read(text: Text) -> list[Value]:
        return [each for each in values(text) if each.kind in kinds]

    def may_occur(text: Text) -> bool:
        rest = text.without(each[:2] for each in read(text))
        is_near = any(each.value is None or each[2:] in near for each in read(text))
        is_near = is_near or any(_may_hold(rest, number) for number in numbers)
        return is_near or bool(re.search(vague, rest.folded))

    return Kind(shown, lambda text: [v[:2] for v in read(text) if v[2:] in certain], may_occur)


def _may_hold(text: Text, number: Fraction) -> bool:
    """Return whether a number may stand in a text, in any notation and within any other value."""
    if {each.value for each in values(text)} & {None, number} or _UNREAD.search(text.folded):
        return True
    whole, rest = divmod(abs(number), 1)
    part = f"{float(rest):.10f}"[2:].rstrip("0")
    head = "[.,' ]?".join(f"{whole or ''}") or ("0?" if part else "0")
    written = rf"(?<!\d)0*{head}{f'[.,]{part}' if part else '(?:[.,]0+)?'}(?!\d)"
    return bool(re.search(f"{written}|{_VAGUE.get(str(number), '(?!)')}", text.folded))


def _alone(written: str, kinds: Iterable[str], example: str = "") -> list[Value]:
    """Return what a string is, which has to be of some kinds; a unit may have several meanings."""
    text = Text.of(written.strip())
    if found := [v for v in values(text) if v[:2] == (0, len(text.folded)) and v.kind in kinds]:
        return found
    raise TaskError(f"answers: {written!r} is not {example}")


def number(value: float | str | Fraction, *, of: float | str | None = None) -> Kind:
    """Return a number; `of` is the end of its scale, which an answer may name: "4.8/5"."""
    value = Fraction(str(value))
    written = f"{value.numerator}" if value.denominator == 1 else f"{float(value):.10g}"
    same: list[tuple[str, object]] = [("number", value), ("counted", value)]
    if of is None:
        return _read(f"the number {written}", same, digits=[value])
    rated = [("rated", (value, Fraction(str(of)))), ("rated", (value, None))]
    return _read(f"the number {written} of {of}", [*same, *rated], digits=[value])


def quantity(written: str) -> Kind:
    """Return an amount with a unit, in any unit of its dimension; bytes by 1,000 or by 1,024."""
    return _amount(written, WORDS["units"], "an amount with a known unit, such as 1.2 GB")


def duration(written: str) -> Kind:
    """Return a duration, such as "1 h 30 min"."""
    return _amount(written, {"duration"}, "a duration, such as 1 h 30 min")


def money(written: str) -> Kind:
    """Return a sum of money, whose currency an answer may omit."""
    return _amount(written, _CURRENCIES, "a sum of money, such as $12.50")


def _amount(written: str, dimensions: Iterable[str], example: str) -> Kind:
    same = {each[2:] for each in _alone(written, dimensions, example)}
    dimension, amount = min(same)
    is_money, is_percent = dimension in _CURRENCIES, dimension == "percent"
    if is_money or is_percent:
        same.add(("number", amount))
    if dimension == "bytes":
        same |= {(dimension, amount * Fraction(1024, 1000) ** power) for power in range(-4, 5)}
    called = "sum" if is_money else "duration" if dimension == "duration" else "quantity"
    return _read(
        f"the {called} {written}",
        same,
        {(f"{dimension}?", amount), *([("number", amount / 100)] if is_percent else [])},
        digits=[v.value for v in values(Text.of(written)) if v.kind in {"counted", "attached"}],
        vague=r"\b(cents?|pence)\b|\dp\b|块" if is_money else "(?!)",
    )


def time(written: str) -> Kind:
    """Return a time of day; without am or pm, on a 24-hour clock."""
    example = "a time of day, such as 9:30 PM or 21:30"
    of, seconds = _alone(written, {"clock", "half"}, example)[0][2:]
    hour, minute = divmod(seconds // 60, 60)
    other_half = (seconds + 12 * 3600) % (24 * 3600)
    hours = set() if minute else {(hour - 1) % 12 + 1}
    return _read(
        f"the time {hour:02}:{minute:02}" + (f":{seconds % 60:02}" if seconds % 60 else ""),
        {("clock", seconds), ("half", seconds)},
        {("half", other_half)} | ({("clock", other_half)} if of == "half" else set()),
        digits=map(Fraction, {100 * hour + minute, 100 * (hour % 12) + minute, *hours}),
        vague=rf"\b(?:past|o'?clock|to|{SPELLED})\b|[差过]|中午|晚上|凌晨",
    )


def date(year: int | None, month: int, day: int | None = None) -> Kind:
    """Return a day, or a month of a year; without a year, an answer may name any."""
    return _read(
        "the date " + "-".join(f"{part:02}" for part in (year, month, day) if part),
        {("date", (year, month, day)) if year else ("day", (month, day))},
        {("date", (None, month, day))} if year else (),
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

        is_match = is_number_match(written, other) in {MatchType.EXACT_MATCH, MatchType.NSN_MATCH}
        return is_match or re.sub(r"\D", "", other) == digits

    return Kind(
        f"the phone number {written}",
        lambda text: [m.span() for m in _PHONE.finditer(text.shown) if is_same(m[0])],
        lambda text: digits[-7:] in re.sub(r"\D", "", text.folded),
    )


# The host of an address, of which case is ignored (RFC 5321, 2.4; RFC 3986, 6.2.2.1), escaped.
_HOST = re.compile(r"(?<=@)[\w.\\-]+$|^\w+://[^/?#]*|^(?:[a-zA-Z\d\\-]+\\\.)+[a-zA-Z]{2,}")


def exact(written: str) -> Kind:
    """Return an identifier, version or address: every character counts, but the case of hosts."""
    sought = Text.of(written.strip())
    cased = _HOST.sub(lambda host: f"(?i:{host[0]})", re.escape(sought.shown), count=1)
    whole = rf"(?<![^\W{CJK}])(?<![@/.+-]){cased}(?![^\W{CJK}]|[@/+-]|[.:]\w)"
    bare = re.sub("^(https?)?(www)?", "", sought.squeezed)
    return Kind(
        f"exactly {written!r}",
        lambda text: [match.span() for match in re.finditer(whole, text.shown)],
        lambda text: bare in f"{re.sub('at|dot', '', text.squeezed)} {text.squeezed}",
    )


_SAME = [frozenset(words.split()) for words in WORDS["same"]["words"]]


def name(written: str) -> Kind:
    """Return words, in their order; case, accents and the punctuation between them do not count."""
    own = Text.of(written)
    if not own.words:
        raise TaskError(f"answers: {written!r} has no letters or digits that an answer could state")
    same = next((words for words in _SAME if own.squeezed in words), {own.folded})
    forms = sorted({*same, own.folded.replace("&", " and ")}, key=len, reverse=True)
    # "on" is a preposition if a word follows it.
    ends = dict.fromkeys(("on", "off", "in", "out", "up"), r"(?!\s*\w)")
    sought = re.compile("|".join(phrase(Text.of(f).words) + ends.get(f, "") for f in forms))
    like = 100 if len(own.squeezed) < 4 else 60 if re.search(f"[{CJK}]", own.shown) else 75
    numbers = [Fraction(number) for number in re.findall(r"\b[0-9]{1,30}\b", own.folded)]

    def places(text: Text) -> list[Place]:
        return [match.span() for match in sought.finditer(text.folded)]

    def may_occur(text: Text) -> bool:
        from rapidfuzz import fuzz

        if not all(_may_hold(text, number) for number in numbers):
            return bool(places(text))  # 12 items are not 13 items
        is_like = fuzz.partial_ratio(own.squeezed, text.squeezed) >= like
        return is_like or {*text.words} >= {*own.words} or bool(places(text))

    return Kind(repr(written), places, may_occur)


_YES = "yes|yeah|yep|true|correct|是的?|对的?|有的?|可以|能"
_NO = "no|nope|false|否|不是的?|没有|不对|不可以|不能|不"
_DENIAL = r"\b(?:not|no)\b|n'?t\b|不是|没有|[不没]"


def yes() -> Kind:
    """Return the answer yes."""
    return _polarity("yes", rf"({_YES})(?![a-z])", _NO)


def no() -> Kind:
    """Return the answer no; a sentence after it has to deny once: "No, it is not"."""
    denied = rf"(?:(?!{_DENIAL}).)*({_DENIAL})(?:(?!{_DENIAL}).)*$"
    return _polarity("no", rf"({_NO})\s*(?:\W*$|[-.,;:!。、]{denied})", _YES)


def _polarity(shown: str, said: str, other: str) -> Kind:
    opposite = rf"\W*(?:{other})\W*(?:$|(?<=[,.!]))"

    def places(text: Text) -> list[Place]:
        found = re.match(rf"\W*{said}", text.folded)
        return [span for span in found.regs[1:] if span != (-1, -1)] if found else []

    return Kind(shown, places, lambda t: bool(t.words) and not re.match(opposite, t.folded))


def one_of(*values: str | Kind) -> Kind:
    """Return any one of several values."""
    kinds = [plain(value) if isinstance(value, str) else value for value in values]
    longest_first = sorted(kinds, key=lambda kind: -len(kind.shown))
    return Kind(
        " or ".join(kind.shown for kind in kinds),
        lambda text: next(filter(None, (kind.places(text) for kind in longest_first)), []),
        lambda text: any(kind.may_occur(text) for kind in kinds),
    )


_EXACT = (
    r"[^@\s]+@[\w-]+(\.[\w-]+)+"  # an e-mail address
    r"|https?://\S+|www\.\S+|([a-zA-Z\d-]+\.)+(com|org|net|io|cn|dev|app|edu|gov)(/\S*)?"
    r"|[vV]?\d+(\.\d+){2,}\S*|[vV]\d+(\.\d+)*|\w+[+#]+"  # a version, or C++
    r"|(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z\d]+([-_/#.][A-Za-z\d]+)*"  # an identifier
    r"|0\d+"  # a code
)


@lru_cache(maxsize=256)
def plain(written: str, *, is_rating: bool = False) -> Kind:  # noqa: PLR0911 - one for each kind
    """Return the kind that a string plainly is, else a name; a rating is of 5, 10 or 100."""
    raw = written.strip()
    bare = Text.of(raw).folded.rstrip(".")
    if not Text.of(raw).words:  # as an empty element of a screen, which no answer states
        shown = f"the text {written!r}"
        return Kind(shown, lambda _: [], lambda text: bool(bare) and bare in text.folded)
    if bare in {"yes", "是", "是的", "no", "否", "不是"}:
        return yes() if bare[0] in "y是" else no()
    if ratio := re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)\s?/\s?([1-9]\d{0,5})", bare):
        is_scale = "." in ratio[1] or ratio[2] in {"5", "10", "100"}
        return number(ratio[1], of=ratio[2]) if is_scale else number(Fraction(ratio[0]))
    with suppress(TaskError):
        return date(*_alone(bare, {"date"})[0].value)
    if re.fullmatch(r"\+?[\d ()-]{7,20}", bare) and 7 <= len(re.sub(r"\D", "", bare)) <= 15:
        return one_of(phone(bare), number(bare)) if bare.isdigit() else phone(bare)
    if re.fullmatch(r"(0|[1-9]\d{0,29})\.\d{1,20}", bare):  # may be a version: 7.5, not 7.50
        if is_rating:
            return number(bare, of=next((end for end in (5, 10, 100) if float(bare) <= end), None))
        stated = one_of(exact(bare), _read("", {("counted", Fraction(bare))}))
        return replace(number(bare), shown=f"the number {bare}", places=stated.places)
    for make in (time, money, quantity):
        with suppress(TaskError):
            return make(raw)
    with suppress(TaskError):
        if not re.fullmatch(r"0\d+", bare):
            return number(_alone(bare, {"number"})[0].value)
    return exact(written) if re.fullmatch(_EXACT, raw) else name(written)
