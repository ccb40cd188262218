"""An answer as it is compared: folded text, its tokens, and the parts that may be the answer."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CJK = "㐀-鿿豈-﫿぀-ヿ"  # Han, hiragana and katakana, which are written without spaces
WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
LONGEST = 8_000  # characters; nobody's answer is longer, and copying a screen is not answering
_QUOTES = re.compile("[\u2018-\u201b\u2032`]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\ufeff\xad]")
_TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]+|[^\s]")

Place = tuple[int, int]  # from the first character of a folded text to the one after the last


class Token(NamedTuple):
    """A word, a character of a script without spaces, or a sign."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Text:
    """Text whose notation is unified; both strings have the same length.

    - `shown`: with Unicode's compatibility forms, quotes and dashes unified.
    - `folded`: also in lower case and without accents.
    """

    shown: str
    folded: str

    @classmethod
    def of(cls, text: str) -> Text:
        """Return a text as it is compared."""
        return _text(text)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, in order."""
        return tuple(Token(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(self.folded))

    @cached_property
    def words(self) -> tuple[Token, ...]:
        """The tokens that are not signs."""
        return tuple(token for token in self.tokens if token.text[0].isalnum())

    @cached_property
    def squeezed(self) -> str:
        """The letters and digits only."""
        return "".join(token.text for token in self.words)

    def without(self, places: Iterable[Place]) -> Text:
        """Return the text with spaces instead of what stands at some places."""
        blank = {at for start, end in places for at in range(start, end)}
        return _text("".join(" " if at in blank else c for at, c in enumerate(self.folded)))


@lru_cache(maxsize=256)  # a body asks several questions about one answer, after every step
def _text(text: str) -> Text:
    raised = re.sub("([⁰¹²³⁴-⁹₀-₉])", r"^\1", text)  # 6² is not 62
    unified = _INVISIBLE.sub("", unicodedata.normalize("NFKC", raised))
    unified = _DASHES.sub("-", _QUOTES.sub("'", re.sub("[\u201c-\u201f\u2033«»]", '"', unified)))
    shown = unicodedata.normalize("NFC", re.sub("\r\n?", "\n", unified))
    return Text(shown, "".join(map(_fold, shown)))


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """Return a character in lower case without accents, always one character."""
    if char.isascii():
        return char.lower()
    base = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", char)).lower()
    return base if len(base) == 1 else char


_MARK = re.compile(
    r"(?:(?:the |my )?(?:final )?answer(?: is)?|(?:最终)?答案[是为]?) ?[*_]*:[ *_]*(?=\S)",
    re.IGNORECASE,
)
# How the formats of agents wrap an answer: a code fence, an element, a call with one text.
_WRAPPED = re.compile(
    r"""\s*(?:```\w*\n(?P<fenced>.*?)\n?```|<(\w+)>(?P<inside>[^<]*)</\2>"""
    r"""|(?!no\b)\w+\((?:\w+ ?= ?)?(["'])(?P<said>(?:(?!\4).)*)\4\))\s*""",
    re.DOTALL,
)
_FIELDS = ("answer", "text", "message", "content", "result")


def parts(answer: str) -> Iterator[Text]:
    """Yield what may be the answer: the whole, its last paragraph, a last line that is marked.

    A JSON value alone stands for what it contains.
    """
    if wrapped := _WRAPPED.fullmatch(answer):
        answer = next(filter(None, wrapped.group("fenced", "inside", "said")), "")
    answer = _json(answer)
    yield (whole := Text.of(answer))
    paragraphs = re.split(r"\n[ \t]*\n", whole.shown.strip())
    if len(paragraphs) > 1:
        yield Text.of(_json(paragraphs[-1]))
    line = whole.shown.strip().rpartition("\n")[2].strip(" #>-").lstrip("*_ ")
    if marked := _MARK.match(line):
        yield Text.of(line[marked.end() :])
    elif "\n" in whole.shown.strip() and re.fullmatch(r"[^*]+\*\*[.。]?", line):
        yield Text.of(line)


def _json(answer: str) -> str:
    """Return the text in a JSON value that has one: alone, in a list, or in a field.

    Any other text is returned as it is.
    """
    if answer.strip()[:1] not in {"{", "[", '"'}:
        return answer
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    if isinstance(value, dict):
        fields = [
            each
            for each in value
            if len(value) == 1 or (each in _FIELDS and "action_type" in value)
        ]
        value = value[fields[0]] if len(fields) == 1 else None
    each = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in each):
        return answer
    words = {True: "yes", False: "no"}
    return "\n".join(words[one] if isinstance(one, bool) else str(one) for one in each)
