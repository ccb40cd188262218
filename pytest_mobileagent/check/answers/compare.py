"""Decides whether an answer states what is expected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.chinese import NUMERAL
from pytest_mobileagent.check.answers.closed import (
    is_contradicted,
    is_preposition,
    polarity,
    states_none,
    states_polarity,
)
from pytest_mobileagent.check.answers.meaning import Quantity
from pytest_mobileagent.check.answers.reading import read
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import missed
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.check.answers.doubts import Doubt
    from pytest_mobileagent.check.answers.reading import Piece, PreparedText

# No real answer is longer than this; reading time grows with the square of the length.
_LONGEST = 8_000
_ENDLESS = re.compile(rf"(?:[\d.,]|{NUMERAL}){{300}}")


def answers(
    answer: str,
    expected: str | Sequence[str],
    *,
    any_order: bool = False,
    paraphrase: Callable[[str, str], bool] | None = None,
) -> bool:
    """Return whether an answer states the expected text, or each of several strings in order.

    The same words and numbers must follow each other somewhere in the answer, each in full:
    "2" is not in "12", in "-2" or in "May 2". Case, punctuation, spaces and the encoding of
    accents are ignored; "1,200" equals "1200", "1.2k" and 一千二. Quantities, money, dates,
    times and days of the week are compared by their meaning: "1.2 GB" equals "1200 MB" but
    not "1.2 MB"; "$12.50" equals "12.50 USD" and may be written as "12.50"; "May 6" matches
    "6 May 2026" and "5月6日"; "half past nine" is "9:30". Scripts without spaces between
    words, such as Chinese, are matched by character.

    A value that is denied, questioned, corrected, only supposed, one of several
    alternatives, or part of a range or a bound does not count: "6" is not stated by "not
    6", "6 or 7", "6-7", "about 6", "at least 6", "6? No, 7." or "6, 7", unless the expected
    text contains those words too. With `any_order`, several strings may appear in any order,
    but may not share a word.

    `paraphrase(answer, expected)` is called, with several strings joined by commas, only if
    this comparison fails. An empty expected text never matches: it may come from a screen
    that had nothing to read. An answer of more than 8,000 characters, or with a number of
    300 digits, matches only itself, and `paraphrase` is not called for it.

    Raises:
        TaskError: if the expected answer is not a string or a list of strings.
    """
    texts = _as_texts(expected)
    if _states(answer, texts, any_order=any_order):
        return True
    is_asked = normalise(answer) and _are_nonempty(texts) and _is_readable(answer, *texts)
    if is_asked and paraphrase is not None and paraphrase(answer, ", ".join(texts)):
        return True
    missed(partial(explain, answer, texts, any_order=any_order))
    return False


def explain(answer: str, texts: Sequence[str], *, any_order: bool = False) -> str:
    """Explain which answer was expected, what the answer says, and how the two were compared."""
    several = " in any order" if any_order else " in this order" if len(texts) > 1 else ""
    failure = f"the answer does not say {', '.join(map(repr, texts))}{several}"
    if not normalise(answer):
        return f"{failure}: there is no answer"
    if not _are_nonempty(texts):
        return f"{failure}: what is expected is empty"
    if not _is_readable(answer, *texts):
        limits = f"longer than {_LONGEST:,} characters, or has a number of 300 digits"
        return (
            f"{failure}: one of the two is {limits}, and was not read\n  it says: {_cut(answer)!r}"
        )
    readings = [read(text).describe() or normalise(text) for text in texts]
    return "\n".join(
        [
            failure,
            f"  it says: {_cut(answer)!r}",
            f"  compared: {', '.join(map(repr, readings))} with {_cut(read(answer).describe())!r}",
        ]
    )


def _as_texts(expected: str | Sequence[str]) -> list[str]:
    texts = [expected] if isinstance(expected, str) else expected
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        msg = f"answers({expected!r}): the expected answer must be a string or a list of strings"
        raise TaskError(msg)
    return list(texts)


def _are_nonempty(texts: Sequence[str]) -> bool:
    """Return whether no expected text is empty; any answer would contain an empty one."""
    return bool(texts) and all(map(normalise, texts))


def _is_readable(*texts: str) -> bool:
    """Return whether strings are short enough to be read: a page of a log is not an answer."""
    return all(len(text) <= _LONGEST and not _ENDLESS.search(text) for text in texts)


def _states(answer: str, texts: Sequence[str], *, any_order: bool) -> bool:
    if not _are_nonempty(texts):
        return False
    is_same = len(texts) == 1 and normalise(answer).casefold() == normalise(texts[0]).casefold()
    if is_same or not _is_readable(answer, *texts):
        return is_same
    reading = read(answer)
    each = [(text, read(text)) for text in texts]
    if len(each) == 1 and (closed := _states_closed(reading, each[0][1])) is not None:
        return closed
    if any_order:  # match longer strings first, so that "York" is not taken from "New York"
        each.sort(key=lambda pair: -len(pair[1].words))
    taken: set[int] = set()
    start = 0
    for text, expected in each:
        if not expected.words:  # only symbols and emoji
            if normalise(text) not in normalise(answer):
                return False
            continue
        found = _place(reading, expected, start, taken, is_only=len(each) == 1)
        if found is None:
            return False
        taken.update(range(*found))
        start = 0 if any_order else found[1]
    return len(each) == 1 or all(_is_complete(reading, doubt, taken) for doubt in reading.doubts)


def _states_closed(reading: PreparedText, expected: PreparedText) -> bool | None:
    """Return whether an expected yes, no, state or zero is stated; None to compare words."""
    polar = polarity("".join(expected.words))
    if polar is not None:
        is_stated = states_polarity(reading, expected=polar)
        return is_stated or (None if expected.words in (("有",), ("没", "有")) else False)
    if is_contradicted(reading, expected):
        return False
    if expected.words == ("0",) and not expected.pieces and states_none(reading):
        return True
    if len(expected.words) == 1 and re.fullmatch(r"\d{4,}", expected.words[0]):
        return _states_digits(reading.text, expected.words[0]) or None
    return None


def _states_digits(text: str, digits: str) -> bool:
    """Return whether a long number appears in groups of digits, as in phone and ticket numbers."""
    if len(digits) < 7:
        spaced = re.finditer(r"(?<![\d.,:/+-])(?<!\d )\d{1,3}(?: \d{3})+(?![ .,:/]?\d)", text)
        return any(group[0].replace(" ", "") == digits for group in spaced)
    groups = re.finditer(r"(?<![\d.,:/+-])\(?\d[\d ()\-]{5,}\d(?![\d.,:/])", text)
    return any(re.sub(r"\D", "", group[0]) == digits for group in groups)


def _place(
    reading: PreparedText, expected: PreparedText, start: int, taken: set[int], *, is_only: bool
) -> tuple[int, int] | None:
    """Return where an answer states the text, as a range of word indices, or None."""
    for place in range(start, len(reading.words)):
        end = _match_end(reading, place, expected)
        if end is None or not taken.isdisjoint(range(place, end)):
            continue
        if not _is_doubtful(reading, place, end, expected, is_only=is_only):
            return place, end
    return None


def _is_doubtful(
    reading: PreparedText, place: int, end: int, expected: PreparedText, *, is_only: bool
) -> bool:
    """Return whether the words at a place in an answer are in doubt."""
    start, stop = reading.spans[place][0], reading.spans[end - 1][1]
    signs = {expected.text[doubt.sign : doubt.sign_end].strip() for doubt in expected.doubts}
    for doubt in reading.doubts:
        if doubt.end <= start or stop <= doubt.start or (doubt.is_list and not is_only):
            continue
        is_expected = start <= doubt.sign and doubt.sign_end <= stop
        is_near = start - 3 <= doubt.sign and doubt.sign_end <= stop + 3
        sign = reading.text[doubt.sign : doubt.sign_end].strip()
        if not is_expected and not (is_near and sign in signs):
            return True
    return is_preposition(reading, expected, stop)


def _is_complete(reading: PreparedText, doubt: Doubt, taken: set[int]) -> bool:
    """Return whether the expected strings cover all values of a list in an answer, or none."""
    if not doubt.is_list:
        return True
    members = [value for value in reading.values if doubt.start <= value.start < doubt.end]
    starts = {reading.spans[place][0] for place in taken}
    ends = {reading.spans[place][1] for place in taken}
    are_taken = [value.start in starts or value.end in ends for value in members]
    return all(are_taken) or not any(are_taken)


def _match_end(reading: PreparedText, place: int, expected: PreparedText) -> int | None:
    """Return the index after the expected text, if it is stated at this place; else None."""
    at = 0
    while at < len(expected.words):
        if place >= len(reading.words):
            return None
        piece, stated = expected.pieces.get(at), reading.pieces.get(place)
        if piece and stated and stated.meaning.states(piece.meaning):
            at, place = piece.end, stated.end
        elif piece and place not in reading.inside and _is_bare(reading, place, piece):
            at, place = piece.end, place + 1
        elif expected.words[at] != reading.words[place] or _is_part(reading, place, expected, at):
            return None
        else:
            at, place = at + 1, place + 1
    return place


def _is_bare(reading: PreparedText, place: int, piece: Piece) -> bool:
    """Return whether a bare number matches a piece; percentages may be fractions: half, 3/4."""
    if piece.bare == reading.words[place]:
        return True
    share = re.fullmatch(r"(\d{1,3})/(\d{1,3})", reading.text[slice(*reading.spans[place])])
    meaning = piece.meaning
    if not share or not isinstance(meaning, Quantity):
        return False
    top, whole = int(share[1]), int(share[2])
    return (
        meaning.what == "percent"
        and 0 < top < whole
        and meaning.amount == Fraction(100 * top, whole)
    )


def _is_part(reading: PreparedText, place: int, expected: PreparedText, at: int) -> bool:
    """Return whether words are equal but mean something else in their context."""
    return place in reading.inside if at in expected.inside else place in reading.hidden


def _cut(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]}…"
