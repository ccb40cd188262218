"""Text prepared for comparison: its words and numbers, their meanings, and its doubts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.check.answers.doubts import Value, doubts_of_values
from pytest_mobileagent.check.answers.meaning import Date, Quantity
from pytest_mobileagent.check.answers.polarity import doubts_of_polarity
from pytest_mobileagent.check.answers.quantities import money, quantities
from pytest_mobileagent.check.answers.times import dates, times, weekdays
from pytest_mobileagent.check.answers.words import fold, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_mobileagent.check.answers.doubts import Doubt
    from pytest_mobileagent.check.answers.meaning import Found, Meaning
    from pytest_mobileagent.check.answers.words import Word


class Piece(NamedTuple):
    """The meaning of the words up to `end`; `bare` is the number that may stand for it."""

    end: int
    meaning: Meaning
    bare: str | None


@dataclass(frozen=True, slots=True)
class PreparedText:
    """Text prepared for comparison.

    - `text`: the folded text.
    - `words`: its words and numbers.
    - `spans`: the position of each of them in the folded text.
    - `pieces`: pieces with a meaning, by the index of their first word.
    - `inside`: for each word in such a piece, the index of its first word.
    - `hidden`: numbers that mean nothing on their own, such as the day of a date.
    - `values`: the pieces, and the numbers outside them.
    - `doubts`: the parts that are not stated with certainty.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    pieces: Mapping[int, Piece]
    inside: Mapping[int, int]
    hidden: frozenset[int]
    values: tuple[Value, ...]
    doubts: tuple[Doubt, ...]

    def describe(self) -> str:
        """Return the words, with the meaning of pieces whose words are ambiguous."""
        parts, place = [], 0
        while place < len(self.words):
            piece = self.pieces.get(place)
            meant = str(piece.meaning) if piece else ""
            parts += [meant] if meant else [self.words[place]]
            place = piece.end if piece and meant else place + 1
        return " ".join(parts)


def tokens(text: str) -> list[str]:
    """Return the words and numbers of the text in the form in which they are compared."""
    return [word.text for word in words(fold(text))]


@lru_cache(maxsize=64)  # a body asks several questions about one answer, after every step
def read(text: str) -> PreparedText:
    """Prepare text for comparison."""
    folded = fold(text)
    each: list[Word] = []
    pieces: dict[int, Piece] = {}
    hidden: set[int] = set()
    values: list[Value] = []
    done = 0
    for start, end, meaning in _found(folded):
        each += words(folded, done, start)
        own = words(folded, start, end)
        numbers = [place for place, word in enumerate(own, len(each)) if _is_number(word.text)]
        if own:
            is_bare = meaning.is_bare and len(numbers) == 1
            bare = own[numbers[0] - len(each)].text if is_bare else None
            pieces[len(each)] = Piece(len(each) + len(own), meaning, bare)
            values.append(Value(start, end, _kind(meaning), " ".join(word.text for word in own)))
        if not meaning.is_word_by_word:
            years = {str(meaning.year)} if isinstance(meaning, Date) else set()
            hidden |= {place for place in numbers if own[place - len(each)].text not in years}
        each += own
        done = end
    each += words(folded, done)
    inside = {at: start for start, piece in pieces.items() for at in range(start, piece.end)}
    values += _numbers(each, inside)
    values.sort()
    doubts = (*doubts_of_values(folded, values), *doubts_of_polarity(folded, values))
    return PreparedText(
        folded,
        tuple(word.text for word in each),
        tuple((word.start, word.end) for word in each),
        pieces,
        inside,
        frozenset(hidden),
        tuple(values),
        doubts,
    )


def _found(folded: str) -> Iterator[Found]:
    """Yield the pieces with a meaning, in order; of overlapping ones, the longest."""
    each = [found for find in (dates, times, weekdays, money, quantities) for found in find(folded)]
    is_taken = bytearray(len(folded))
    chosen: list[Found] = []
    for found in sorted(each, key=lambda found: (found.start - found.end, found.start)):
        if not any(is_taken[found.start : found.end]):
            is_taken[found.start : found.end] = b"\1" * (found.end - found.start)
            chosen.append(found)
    yield from sorted(chosen, key=lambda found: found.start)


def _numbers(each: Sequence[Word], inside: Mapping[int, int]) -> Iterator[Value]:
    for place, word in enumerate(each):
        if place not in inside and _is_number(word.text):
            kind = "ordinal" if word.text.endswith("th") else "number"
            yield Value(word.start, word.end, kind, word.text)


def _kind(meaning: Meaning) -> str:
    return meaning.what if isinstance(meaning, Quantity) else type(meaning).__name__


def _is_number(word: str) -> bool:
    return any(char.isdecimal() for char in word)
