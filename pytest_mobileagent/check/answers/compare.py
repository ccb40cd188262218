"""Whether an answer says what is expected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.reading import read
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import missed
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.check.answers.reading import Reading


def answers(
    said: str,
    expected: str | Sequence[str],
    *,
    any_order: bool = False,
    paraphrase: Callable[[str, str], bool] | None = None,
) -> bool:
    """Whether an answer says the expected text, or each of several one after the other.

    The same words and numbers have to stand in a row somewhere in the answer, each as a whole: "2"
    is not in "12", in "-2" nor in "May 2". Case, punctuation, spaces and the encoding of accents
    are ignored; "1,200" is "1200", "1.50" is "1.5", and "three" is "3". Quantities, money, dates,
    times and days of the week are compared by what they mean: "1.2 GB" is "1200 MB" but not
    "1.2 MB"; "$12.50" is "12.50 USD", and may be said as "12.50"; "May 6" is "6 May 2026" and
    "5月6日"; "9:30 am" is "09:30". Scripts that put no spaces between words, such as Chinese,
    match by character. With `any_order`, several texts may stand in any order, but not share a
    word.

    `paraphrase(said, expected)` is asked, with several texts joined by commas, only where the
    answer does not say it like that. No answer says an empty text: it may come from a screen on
    which there was nothing to read.

    Raises:
        TaskError: what is expected is no text.
    """
    wanted = _wanted(expected)
    if _says(said, wanted, any_order=any_order):
        return True
    is_asked = paraphrase is not None and normalise(said) and _is_sought(wanted)
    if is_asked and paraphrase is not None and paraphrase(said, ", ".join(wanted)):
        return True
    missed(partial(explain, said, wanted, any_order=any_order))
    return False


def explain(said: str, wanted: Sequence[str], *, any_order: bool = False) -> str:
    """Say what was expected of an answer, what it says, and how the two were compared."""
    several = " in any order" if any_order else " in this order" if len(wanted) > 1 else ""
    sought = f"the answer does not say {', '.join(map(repr, wanted))}{several}"
    if not normalise(said):
        return f"{sought}: there is no answer"
    if not _is_sought(wanted):
        return f"{sought}: what is expected is empty"
    texts = [read(text).describe() or normalise(text) for text in wanted]
    return "\n".join(
        [
            sought,
            f"  it says: {_cut(said)!r}",
            f"  compared: {', '.join(map(repr, texts))} with {_cut(read(said).describe())!r}",
        ]
    )


def _wanted(expected: str | Sequence[str]) -> list[str]:
    wanted = [expected] if isinstance(expected, str) else expected
    if not isinstance(wanted, Sequence) or not all(isinstance(text, str) for text in wanted):
        msg = f"answers({expected!r}): the expected answer has to be a text or a list of texts"
        raise TaskError(msg)
    return list(wanted)


def _is_sought(wanted: Sequence[str]) -> bool:
    """Whether there is something to say; any answer would contain an empty text."""
    return bool(wanted) and all(map(normalise, wanted))


def _says(said: str, wanted: Sequence[str], *, any_order: bool) -> bool:
    if not _is_sought(wanted):
        return False
    here = read(said)
    each = [(text, read(text)) for text in wanted]
    if any_order:  # longer texts choose their place first: "York" is left what "New York" is not
        each.sort(key=lambda pair: -len(pair[1].words))
    taken: set[int] = set()
    start = 0
    for text, sought in each:
        if not sought.words:  # signs and emoji only
            if normalise(text) not in normalise(said):
                return False
            continue
        found = _place(here, sought, start, taken)
        if found is None:
            return False
        taken.update(range(*found))
        start = 0 if any_order else found[1]
    return True


def _place(here: Reading, sought: Reading, start: int, taken: set[int]) -> tuple[int, int] | None:
    """Return where an answer says a text: its first word, and the one behind its last."""
    for place in range(start, len(here.words)):
        end = _said_up_to(here, place, sought)
        if end is not None and taken.isdisjoint(range(place, end)):
            return place, end
    return None


def _said_up_to(here: Reading, place: int, sought: Reading) -> int | None:
    """Return where what is sought ends, if it is said from a place on."""
    at = 0
    while at < len(sought.words):
        if place >= len(here.words):
            return None
        piece, said = sought.pieces.get(at), here.pieces.get(place)
        if piece and said and said.meaning.says(piece.meaning):
            at, place = piece.end, said.end
        elif piece and piece.bare == here.words[place] and place not in here.inside:
            at, place = piece.end, place + 1
        elif sought.words[at] != here.words[place] or _is_only_part(here, place, sought, at):
            return None
        else:
            at, place = at + 1, place + 1
    return place


def _is_only_part(here: Reading, place: int, sought: Reading, at: int) -> bool:
    """Whether words are the same, but mean something else in what is said around them."""
    return place in here.inside if at in sought.inside else place in here.hidden


def _cut(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]}…"
