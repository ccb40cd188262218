"""An answer as it is compared: folded text, and the parts that may be the answer."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CJK = "㐀-鿿豈-﫿぀-ヿ"  # Han, hiragana and katakana, which are written without spaces
WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
LONGEST = 8_000  # characters; nobody's answer is longer, and copying a screen is not answering
_UNIFIED = {
    "'": "[\u2018-\u201b\u2032`]",
    '"': "[\u201c-\u201f\u2033«»]",
    "-": "[\u2010-\u2015\u2212]",
    "": "[\u200b-\u200f\u202a-\u202e\u2060\ufeff\xad]",  # invisible
    "\n": "\r\n?",
}

Place = tuple[int, int]  # from the first character of a folded text to the one after the last


@dataclass(frozen=True, slots=True)
class Text:
    """Text whose notation is unified; both strings have the same length.

    - `shown`: with Unicode's compatibility forms, quotes and dashes unified.
    - `folded`: also in lower case and without accents.
    """

    shown: str
    folded: str

    @staticmethod
    @lru_cache(maxsize=256)  # a body asks several questions about one answer, after every step
    def of(text: str) -> Text:
        """Return a text as it is compared."""
        raised = re.sub("([⁰¹²³⁴-⁹₀-₉])", r"^\1", text)  # 6² is not 62
        shown = unicodedata.normalize("NFKC", raised)
        for sign, signs in _UNIFIED.items():
            shown = re.sub(signs, sign, shown)
        shown = unicodedata.normalize("NFC", shown)
        return Text(shown, "".join(map(_fold, shown)))

    @property
    def words(self) -> list[str]:
        """The words; in scripts without spaces, the characters."""
        return re.findall(rf"[{CJK}]|[^\W_{CJK}]+", self.folded)

    @property
    def squeezed(self) -> str:
        """The letters and digits only."""
        return re.sub(r"[\W_]", "", self.folded)

    def without(self, places: Iterable[Place]) -> Text:
        """Return the text with spaces instead of what stands at some places."""
        blank = {at for start, end in places for at in range(start, end)}
        return Text.of("".join(" " if at in blank else c for at, c in enumerate(self.folded)))


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """Return a character in lower case without accents, always one character."""
    base = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", char)).lower()
    return base if len(base) == 1 else char


def phrase(words: Iterable[str], endings: str = "") -> str:
    """Return a pattern of whole words in a row, the longer of which may have other endings."""
    each: list[str] = []
    for word in words:
        letter = r"[a-z\d]" if word.isascii() else r"[^\W_]"
        whole = rf"(?<!{letter}){re.escape(word)}{endings if len(word) > 2 else ''}(?!{letter})"
        each.append(word if re.match(f"[{CJK}]", word) else whole)
    return r"[\W_]*".join(each)


# How formats wrap an answer: in a code fence, an element, or a call with one text.
_WRAPPED = re.compile(
    r"""\s*(?:```\w*\n(.*?)\n?```|<\w+>([^<]*)</\w+>|\w+\((?:\w+ ?= ?)?["'](.*)["']\))\s*""",
    re.DOTALL,
)
_MARK = re.compile(
    r"(?:(?:the |my )?(?:final )?answer(?: is)?|(?:最终)?答案[是为]?) ?[*_]*:[ *_]*(?=\S)",
    re.IGNORECASE,
)


def parts(answer: str) -> Iterator[Text]:
    """Yield what may be the answer: the whole, its last paragraph, a last line that is marked.

    A JSON value alone stands for what it contains.
    """
    if wrapped := _WRAPPED.fullmatch(answer):
        answer = next(filter(None, wrapped.groups()), "")
    answer = _json(answer)
    yield Text.of(answer)
    said = Text.of(answer).shown.strip()
    *rest, paragraph = re.split(r"\n[ \t]*\n", said)
    if rest:
        yield Text.of(_json(paragraph))
    line = said.rpartition("\n")[2].strip(" #>-").lstrip("*_ ")
    if marked := _MARK.match(line):
        yield Text.of(line[marked.end() :])
    elif "\n" in said and re.fullmatch(r"[^*]+\*\*[.。]?", line):
        yield Text.of(line)


def _json(answer: str) -> str:
    """Return the text in a JSON value: alone, in a list, or in an object of one field."""
    if answer.strip()[:1] not in {"{", "[", '"'}:
        return answer
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    if isinstance(value, dict):  # AndroidWorld's agents add `action_type`
        fields = [field for name, field in value.items() if name != "action_type"]
        value = fields[0] if len(fields) == 1 else None
    each = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in each):
        return answer
    return "\n".join(("no", "yes")[one] if isinstance(one, bool) else str(one) for one in each)
