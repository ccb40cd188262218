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

from pytest_mobileagent.check.answers.text import CJK, WORDS, Text, phrase
from pytest_mobileagent.check.answers.values import SPELLED, values
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.check.answers.text import Place
    from pytest_mobileagent.check.answers.values import Value


@dataclass(frozen=True, slots=True)
class Kind:
    """What is expected of an answer; `str` shows the value as it is read."""

    shown: str
    places: Callable[[Text], list[Place]] = field(repr=False, compare=False)
    may_occur: Callable[[Text], bool] = field(repr=False, compare=False)

    def __str__(self) -> str:
        """Return the value and its kind, such as "the number 7"."""
        return self.shown


_CURRENCIES = frozenset(WORDS["currencies"])
_VAGUE = {
    number: "|".join(phrase([word]) for word in words.split())
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
    others: Iterable[str] = (),
    digits: Iterable[Fraction] = (),
    vague: str = "(?!)",
) -> Kind:
    """Return what texts state as any of some values, given by kind and value.

    It may also occur as a value that is `near`, or as any of the `digits` or something `vague`
    outside of the values that certainly are others: of the same kinds, or of kinds in `others`.
    """
    certain, near, numbers = {*same}, {*same, *near}, {*digits}
    kinds = {kind for kind, _ in near} | {*others}

    def read(text: Text) -> list[Value]:
        return [each for each in values(text) if each.kind in kinds]

    def may_occur(text: Text) -> bool:
        rest = text.without(each[:2] for each in read(text))
        is_near = any(each[2:] in near for each in read(text))
        is_near = is_near or any(_may_hold(rest, number) for number in numbers)
        return is_near or bool(re.search(vague, rest.folded))

    return Kind(shown, lambda text: [v[:2] for v in read(text) if v[2:] in certain], may_occur)


def _may_hold(text: Text, number: Fraction) -> bool:
    """Return whether a number may stand in a text, in any notation and within any other value."""
    if {each.value for each in values(text)} & {None, number} or _UNREAD.search(text.folded):
        return True
    is_whole = number.denominator == 1
    digits = f"{abs(number)}" if is_whole else f"{float(abs(number)):.10f}".rstrip("0")
    whole, _, part = digits.partition(".")
    head = "[.,' ]?".join(whole.lstrip("0")) or ("0?" if part else "0")
    written = rf"(?<!\d)0*{head}{f'[.,]{part}' if part else '(?:[.,]0+)?'}(?!\d)"
    return bool(re.search(f"{written}|{_VAGUE.get(str(number), '(?!)')}", text.folded))


def _alone(written: str, kinds: Iterable[str], example: str) -> Value:
    """Return the value that a string is, which has to be of one of the kinds."""
    text = Text.of(written)
    whole = (len(text.folded) - len(text.folded.lstrip()), len(text.folded.rstrip()))
    for each in values(text):
        if each[:2] == whole and each.kind in kinds:
            return each
    raise TaskError(f"answers: {written!r} is not {example}")


def number(value: float | str | Fraction, *, of: float | str | None = None) -> Kind:
    """Return a number; `of` is the end of its scale, which an answer may name: "4.8/5"."""
    value = Fraction(str(value))
    written = f"{value.numerator}" if value.denominator == 1 else f"{float(value):.10g}"
    shown = f"the number {written}" + (f" of {of}" if of is not None else "")
    return _number(shown, value, of, {"number", "padded", "counted"})


def _number(shown: str, value: Fraction, of: float | str | None, certain: Iterable[str]) -> Kind:
    same: set[tuple[str, object]] = {(kind, value) for kind in certain}
    if of is not None:
        same |= {("rated", (value, Fraction(str(of)))), ("rated", (value, None))}
    kinds = ("number", "padded", "counted")
    near = {(kind, each) for kind in kinds for each in (value, -value, None)}
    return _read(shown, same, near, digits=[value])


_BINARY = [Fraction(1024, 1000) ** power for power in range(-4, 5)]


def quantity(written: str) -> Kind:
    """Return an amount with a unit, in any unit of its dimension; bytes by 1,000 or by 1,024."""
    return _quantity(written, WORDS["units"], "an amount with a known unit, such as 1.2 GB")


def duration(written: str) -> Kind:
    """Return a duration, such as "1 h 30 min"."""
    return _quantity(written, {"duration"}, "a duration, such as 1 h 30 min")


def money(written: str) -> Kind:
    """Return a sum of money, whose currency an answer may omit."""
    return _quantity(written, _CURRENCIES, "a sum of money, such as $12.50")


def _quantity(written: str, dimensions: Iterable[str], example: str) -> Kind:
    dimension, amount = _alone(written, dimensions, example)[2:]
    read = values(Text.of(written))
    is_money = dimension in _CURRENCIES
    own = {each.kind for each in read} & _CURRENCIES or {dimension}
    own |= {"celsius", "fahrenheit"} if dimension == "degrees" else set()
    is_percent = dimension == "percent"
    own |= {"number", "padded"} if is_money or is_percent else set()
    amounts = {amount * ratio for ratio in _BINARY} if dimension == "bytes" else {amount}
    called = "sum" if is_money else "duration" if dimension == "duration" else "quantity"
    return _read(
        f"the {called} {written}",
        {(kind, each) for kind in own for each in amounts},
        {*((kind, -amount) for kind in own), (f"{dimension}?", amount)}
        | ({("number", amount / 100)} if is_percent else set()),
        others=_CURRENCIES if is_money else (),
        digits=[each.value for each in read if each.kind in {"counted", "attached"}],
        vague=r"\b(cents?|pence)\b|\dp\b|块" if is_money else "(?!)",
    )


def time(written: str) -> Kind:
    """Return a time of day; without am or pm, on a 24-hour clock."""
    of, seconds = _alone(written, {"clock", "half"}, "a time of day, such as 9:30 PM or 21:30")[2:]
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
    shown = [f"{year}"] * bool(year) + [f"{month:02}"] + [f"{day or 0:02}"] * bool(day)
    return _read(
        f"the date {'-'.join(shown)}",
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

        match = is_number_match(written, other)
        is_match = match in {MatchType.EXACT_MATCH, MatchType.NSN_MATCH}
        return is_match or re.sub(r"\D", "", other) == digits

    return Kind(
        f"the phone number {written}",
        lambda text: [m.span() for m in _PHONE.finditer(text.shown) if is_same(m[0])],
        lambda text: digits[-7:] in re.sub(r"\D", "", text.folded),
    )


# Of an e-mail address or a URL, escaped for a pattern.
_HOST = re.compile(r"(?<=@)[\w.\\-]+$|^\w+://[^/?#]*|^(?:[a-zA-Z\d\\-]+\\\.)+[a-zA-Z]{2,}")


def exact(written: str) -> Kind:
    """Return an identifier, version or address, of which every character counts.

    Case is ignored in host names only: after the "@" of an e-mail address (RFC 5321, 2.4), and in
    the scheme and host of a URL (RFC 3986, 6.2.2.1).
    """
    sought = Text.of(written.strip())
    cased = _HOST.sub(lambda host: f"(?i:{host[0]})", re.escape(sought.shown), count=1)
    whole = rf"(?<![^\W{CJK}])(?<![@/.+-]){cased}(?![^\W{CJK}]|[@/+-]|[.:]\w)"
    bare = re.sub("^(https?)?(www)?", "", sought.squeezed)
    return Kind(
        f"exactly {written!r}",
        lambda text: [match.span() for match in re.finditer(whole, text.shown)],
        lambda text: bare in f"{re.sub('at|dot', '', text.squeezed)} {text.squeezed}",
    )


_TITLE = rf"\b(?:{'|'.join(WORDS['titles']['en'].split())})\b\.?"
_AFTER = f"(?:{'|'.join(WORDS['titles']['zh'].split())})"
_SAME = [frozenset(words.split()) for words in WORDS["same"]["words"]]


def name(written: str) -> Kind:
    """Return words, in their order; case, accents and the punctuation between them do not count."""
    own = Text.of(written)
    if not own.words:
        raise TaskError(f"answers: {written!r} has no letters or digits that an answer could state")
    same = next((words for words in _SAME if own.squeezed in words), {own.folded})
    forms = sorted({*same, own.folded.replace("&", " and ")}, key=len, reverse=True)
    # "on" is a preposition if a word follows it.
    ends = [r"(?!\s*\w)" if form in {"on", "off", "in", "out", "up"} else "" for form in forms]
    each = (phrase(Text.of(form).words) + end for form, end in zip(forms, ends, strict=True))
    sought = re.compile(rf"(?:{_TITLE} )?(?:{'|'.join(each)}){_AFTER}?")
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


def yes() -> Kind:
    """Return the answer yes."""
    return _polarity("yes", rf"\W*({_YES})(?![a-z])", _NO)


def no() -> Kind:
    """Return the answer no; a sentence after it has to deny once: "No, it is not"."""
    denial = r"\b(?:not|no)\b|n'?t\b|不是|没有|[不没]"
    rest = rf"(?:\W*$|(?:(?!{denial}).)*({denial})(?:(?!{denial}).)*$)"
    return _polarity("no", rf"\W*({_NO})(?![a-z]){rest}", _YES)


def _polarity(shown: str, said: str, other: str) -> Kind:
    opposite = rf"\W*(?:{other})\W*(?:$|(?<=[,.!]))"

    def places(text: Text) -> list[Place]:
        found = re.match(said, text.folded)
        return [span for span in found.regs[1:] if span != (-1, -1)] if found else []

    def may_occur(text: Text) -> bool:
        return bool(text.words) and not re.match(opposite, text.folded)

    return Kind(shown, places, may_occur)


def one_of(*values: str | Kind) -> Kind:
    """Return any one of several values."""
    kinds = [plain(value) if isinstance(value, str) else value for value in values]
    longest_first = sorted(kinds, key=lambda kind: -len(str(kind)))

    def places(text: Text) -> list[Place]:
        return next((found for kind in longest_first if (found := kind.places(text))), [])

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
        return date(*_alone(bare, {"date"}, "").value)
    if re.fullmatch(r"\+?[\d ()-]{7,20}", bare) and 7 <= len(re.sub(r"\D", "", bare)) <= 15:
        return one_of(phone(bare), number(bare)) if bare.isdigit() else phone(bare)
    if re.fullmatch(r"(0|[1-9]\d{0,29})\.\d{1,20}", bare):
        return _decimal(bare)
    for make, kinds in (
        (time, {"clock", "half"}),
        (money, _CURRENCIES),
        (quantity, WORDS["units"]),
    ):
        with suppress(TaskError):
            return make(_alone(raw, kinds, "") and raw)
    if re.fullmatch(r"0\d+", bare):  # a code
        return exact(raw)
    with suppress(TaskError):
        return number(_alone(bare, {"number", "padded"}, "").value)
    return exact(written) if re.fullmatch(_EXACT, raw) else name(written)


def _decimal(written: str) -> Kind:
    """Return a number that may be a version, which 7.50 is not if 7.5 is, or be on a scale."""
    value, padded = Fraction(written), {"padded"} if written.endswith("0") else {"number"}
    scale = next((end for end in (5, 10, 100) if 0 <= value <= end), None)
    return _number(f"the number {written}", value, scale, {"counted", *padded})
