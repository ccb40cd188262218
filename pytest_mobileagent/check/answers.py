"""The agent's answer, compared as a person would: words and numbers count, their dress does not."""

from __future__ import annotations

import re
import unicodedata

from pytest_mobileagent.screen.text import normalise

# A minus counts where a word begins: "-5" has one, "3-5" and "2024-05-06" have not.
_NUMBER = re.compile(r"((?:(?<![^\s(])[-\u2212])?\d+(?:[.,:]\d+)*)")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"(-?)0*(\d+?)(?:\.(\d*?)0*)?")
# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana and Chinese characters.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


class Answer(str):
    """What the agent answered: text that compares by its words and numbers.

    Case, punctuation, accents' encoding and spaces are ignored; "1,200" equals "1200", "1.50"
    equals "1.5", "09:30" equals "9:30"; words and numbers match as a whole, so "2" is not in "12"
    nor in "-2". Scripts that put no spaces between words, such as Chinese, match by character.
    `in` looks for the same words in a row; a blank text is in no answer.
    """

    __slots__ = ()

    def __contains__(self, part: object) -> bool:
        wanted, here = tokens(str(part)), tokens(self)
        if not wanted:  # signs and emoji only
            sign = normalise(str(part))
            return bool(sign) and sign in normalise(self)
        return any(here[i : i + len(wanted)] == wanted for i in range(len(here) - len(wanted) + 1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str) or tokens(self) != tokens(other):
            return False
        return bool(tokens(self)) or normalise(self) == normalise(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    # A set or dict of texts would not find an answer that is written otherwise.
    __hash__ = None  # type: ignore[assignment]


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text in the form in which they are compared."""
    folded = unicodedata.normalize("NFKC", normalise(text)).casefold()
    found: list[str] = []
    for place, part in enumerate(_NUMBER.split(folded)):
        found += [_number(part)] if place % 2 else _words(part)
    return found


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


def answers(said: str, expected: object, *, any_order: bool = False) -> bool:
    """Whether an answer says what is expected."""
    return str(expected) in Answer(said)
