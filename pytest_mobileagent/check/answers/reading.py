"""A text as it is compared: its words and numbers, and what pieces of it mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.check.answers.dates import dates, times, weekdays
from pytest_mobileagent.check.answers.meaning import Date
from pytest_mobileagent.check.answers.quantities import money, quantities
from pytest_mobileagent.check.answers.words import fold, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent.check.answers.meaning import Found, Meaning


class Piece(NamedTuple):
    """What the words up to `end` mean together; `bare` is the number that may stand for it."""

    end: int
    meaning: Meaning
    bare: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A text.

    - `words`: its words and numbers.
    - `pieces`: those of its pieces that mean more, by the place of their first word.
    - `inside`: for words in such a piece, where it begins.
    - `hidden`: numbers that say nothing on their own, such as the day of a date.
    """

    words: tuple[str, ...]
    pieces: Mapping[int, Piece]
    inside: Mapping[int, int]
    hidden: frozenset[int]

    def describe(self) -> str:
        """Return the words, with what they mean where they do not say it."""
        shown, place = [], 0
        while place < len(self.words):
            piece = self.pieces.get(place)
            meant = str(piece.meaning) if piece else ""
            shown += [meant] if meant else [self.words[place]]
            place = piece.end if piece and meant else place + 1
        return " ".join(shown)


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text in the form in which they are compared."""
    return split(fold(text))


def read(text: str) -> Reading:
    """Read a text."""
    folded = fold(text)
    words: list[str] = []
    pieces: dict[int, Piece] = {}
    hidden: set[int] = set()
    done = 0
    for start, end, meaning in _found(folded):
        words += split(folded, done, start)
        own = split(folded, start, end)
        numbers = [place for place, word in enumerate(own, len(words)) if _is_number(word)]
        if own:
            is_bare = meaning.is_bare and len(numbers) == 1
            bare = own[numbers[0] - len(words)] if is_bare else None
            pieces[len(words)] = Piece(len(words) + len(own), meaning, bare)
        if not meaning.is_word_by_word:
            hidden |= {place for place in numbers if not _is_year(own[place - len(words)], meaning)}
        words += own
        done = end
    words += split(folded, done)
    inside = {at: start for start, piece in pieces.items() for at in range(start, piece.end)}
    return Reading(tuple(words), pieces, inside, frozenset(hidden))


def _found(folded: str) -> Iterator[Found]:
    """Yield what has a meaning, in order; where two overlap, the longer one."""
    each = [found for find in (dates, times, weekdays, money, quantities) for found in find(folded)]
    is_taken = bytearray(len(folded))
    kept: list[Found] = []
    for found in sorted(each, key=lambda found: (found.start - found.end, found.start)):
        if not any(is_taken[found.start : found.end]):
            is_taken[found.start : found.end] = b"\1" * (found.end - found.start)
            kept.append(found)
    yield from sorted(kept, key=lambda found: found.start)


def _is_number(word: str) -> bool:
    return any(char.isdecimal() for char in word)


def _is_year(word: str, meaning: Meaning) -> bool:
    return isinstance(meaning, Date) and word == str(meaning.year)
