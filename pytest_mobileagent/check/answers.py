"""What an agent answered, compared as a person would: by words and numbers, not by notation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import missed
from pytest_mobileagent.screen.text import normalise

# A minus counts where a word begins: "-5" has one, "3-5" and "2024-05-06" have not.
_NUMBER = re.compile(r"((?:(?<![^\s(])[-\u2212])?\d+(?:[.,:]\d+)*)")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"(-?)0*(\d+?)(?:\.(\d*?)0*)?")
_MEASURED = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?")
# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana and Chinese characters.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
# What each unit measures, and how many of the smallest such unit it is. Android counts storage
# in thousands.
_UNITS = {
    **{unit: ("storage", 1000**power) for power, unit in enumerate(("b", "kb", "mb", "gb", "tb"))},
    **{unit: ("storage", 1024**power) for power, unit in enumerate(("kib", "mib", "gib"), 1)},
    "mm": ("length", 1), "cm": ("length", 10), "m": ("length", 1000), "km": ("length", 10**6),
    "mg": ("mass", 1), "g": ("mass", 1000), "kg": ("mass", 10**6),
    "ml": ("volume", 1), "cl": ("volume", 10), "l": ("volume", 1000),
    "ms": ("time", 1), "s": ("time", 1000), "min": ("time", 60_000), "h": ("time", 3_600_000),
}  # fmt: skip


def answers(said: str, expected: str | Sequence[str], *, any_order: bool = False) -> bool:
    """Whether an answer says the expected text, or each of several one after the other.

    The same words and numbers have to stand in a row somewhere in the answer, each as a whole: "2"
    is not in "12" nor in "-2". Case, punctuation, spaces and the encoding of accents are ignored;
    "1,200" is "1200", "1.50" is "1.5", "09:30" is "9:30", and "1.2 GB" is "1200 MB" but not
    "1.2 MB". Scripts that put no spaces between words, such as Chinese, match by character. With
    `any_order`, several texts may stand in any order, but not share a word.

    No answer says an empty text: it may come from a screen on which there was nothing to read.

    Raises:
        TaskError: what is expected is no text.
    """
    wanted = _wanted(expected)
    if _says(said, wanted, any_order=any_order):
        return True
    missed(partial(explain, said, wanted, any_order=any_order))
    return False


def explain(said: str, wanted: Sequence[str], *, any_order: bool = False) -> str:
    """Say what was expected of an answer, what it says, and how the two were compared."""
    several = " in any order" if any_order else " in this order" if len(wanted) > 1 else ""
    sought = f"the answer does not say {', '.join(map(repr, wanted))}{several}"
    if not normalise(said):
        return f"{sought}: there is no answer"
    if not wanted or not all(map(normalise, wanted)):
        return f"{sought}: what is expected is empty"
    texts = [" ".join(tokens(text)) or normalise(text) for text in wanted]
    return "\n".join(
        [
            sought,
            f"  it says: {_cut(said)!r}",
            f"  compared: {', '.join(map(repr, texts))} with {_cut(' '.join(tokens(said)))!r}",
        ]
    )


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text in the form in which they are compared."""
    folded = unicodedata.normalize("NFKC", normalise(text)).casefold()
    found: list[str] = []
    for place, part in enumerate(_NUMBER.split(folded)):
        found += [_number(part)] if place % 2 else _words(part)
    return found


def _wanted(expected: str | Sequence[str]) -> list[str]:
    wanted = [expected] if isinstance(expected, str) else expected
    if not isinstance(wanted, Sequence) or not all(isinstance(text, str) for text in wanted):
        msg = f"answers({expected!r}): the expected answer has to be a text or a list of texts"
        raise TaskError(msg)
    return list(wanted)


def _says(said: str, wanted: Sequence[str], *, any_order: bool) -> bool:
    if not wanted or not all(map(normalise, wanted)):
        return False  # any answer would contain it; a screen that the agent left says nothing, say
    here: list[str | None] = [*tokens(said)]
    start = 0
    # In any order, longer texts choose their place first: "York" is left what "New York" is not.
    for text in sorted(wanted, key=lambda t: -len(tokens(t))) if any_order else wanted:
        sought = tokens(text)
        if not sought:  # signs and emoji only
            if normalise(text) not in normalise(said):
                return False
            continue
        place = next((p for p in range(start, len(here)) if _says_at(here, p, sought)), None)
        if place is None:
            return False
        end = place + len(sought)
        here[place:end] = [None] * len(sought)
        start = 0 if any_order else end
    return True


def _says_at(here: Sequence[str | None], place: int, sought: Sequence[str]) -> bool:
    """Whether the sought words stand at a place; numbers with units may be written in others."""
    found = here[place : place + len(sought)]
    if len(found) < len(sought):
        return False
    at = 0
    while at < len(sought):
        quantity = _quantity(sought[at : at + 2])
        if quantity is not None and quantity == _quantity(found[at : at + 2]):
            at += 2
        elif found[at] == sought[at]:
            at += 1
        else:
            return False
    return True


def _quantity(pair: Sequence[str | None]) -> tuple[str, Fraction] | None:
    """Return what a number and a unit measure, and how much of it; None if they are no such."""
    if len(pair) < 2 or pair[0] is None or pair[1] not in _UNITS:
        return None
    if not _MEASURED.fullmatch(pair[0]):
        return None
    what, factor = _UNITS[pair[1]]
    return what, Fraction(pair[0]) * factor


def _words(text: str) -> list[str]:
    letters = (char if unicodedata.category(char)[0] in "LMN" else " " for char in text)
    return _UNSPACED.sub(r" \g<0> ", "".join(letters)).split()


def _number(token: str) -> str:
    token = "".join(str(unicodedata.decimal(char, char)) for char in token.replace("\u2212", "-"))
    if _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    if ":" in token:
        return re.sub(r"^(-?)0+(?=\d)", r"\1", token)
    decimal = _DECIMAL.fullmatch(token)
    if decimal is None:
        return token
    sign, whole, fraction = decimal.groups()
    number = f"{whole}.{fraction}" if fraction else whole
    return number if number == "0" else sign + number


def _cut(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]}…"
