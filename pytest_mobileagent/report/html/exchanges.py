"""The model calls of an episode for the page: requests and replies, as they were recorded.

Long strings, many of which are sent repeatedly, as in conversations, are stored once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.fileio import parse_json, read_bytes
from pytest_mobileagent.jsonable import to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.episode.calls import ModelCall

JUDGES = "judges.jsonl"
REF = "§"  # the only key of an object that stands for a long string, by its number
_SHORT = 120  # characters; shorter strings are repeated instead of referenced
_FIELDS = (
    "model", "role", "input_tokens", "output_tokens", "cached_tokens", "price_usd", "seconds",
    "waited", "retries", "estimated", "from_cache",
)  # fmt: skip
_REQUEST = ("model", "role", "settings", "prompt")


class Texts:
    """The distinct long strings of an episode, by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the number of a string."""
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def all(self) -> list[str]:
        """All strings, in the order of their numbers."""
        return list(self._numbers)


class Exchanges:
    """The calls recorded in an episode's calls.jsonl, or in another file of that format.

    `picture` returns the path of a picture by the name of its file.
    """

    def __init__(self, path: Path, texts: Texts, picture: Callable[[str], str]) -> None:
        self._lines = _lines(path)
        self._texts, self._picture = texts, picture

    def of_call(self, call: ModelCall) -> dict[str, Any]:
        """Return the data of a call with its request and reply, as far as they were recorded."""
        given = to_wire({name: getattr(call, name) for name in _FIELDS})
        line = call.line
        found = self._lines[line - 1] if line and line <= len(self._lines) else None
        return {**given, **self._exchange(found)}

    def all(self) -> list[dict[str, Any]]:
        """Return the data of all calls that were answered."""
        called = [line for line in self._lines if line and isinstance(line.get("call"), dict)]
        return [
            {**{name: line["call"].get(name) for name in _FIELDS}, **self._exchange(line)}
            for line in called
        ]

    def _exchange(self, line: Mapping[str, Any] | None) -> dict[str, Any]:
        if line is None:
            return {"request": None, "reply": None, "failure": ""}
        request = {name: self._shared(line[name]) for name in _REQUEST if name in line}
        failure = str(line.get("error") or "")
        return {"request": request, "reply": self._shared(line.get("reply")), "failure": failure}

    def _shared(self, value: Any) -> Any:
        """Return a value with references to long strings, and with the paths of pictures."""
        match value:
            case str() if len(value) >= _SHORT:
                return {REF: self._texts.number(value)}
            case {"picture": str(name), **rest} if not rest:
                return {"picture": self._picture(name)}
            case dict():
                return {name: self._shared(each) for name, each in value.items()}
            case list():
                return [self._shared(each) for each in value]
        return value


def pictures_of(value: Any) -> Iterator[str]:
    """Yield the paths of the pictures in the data of calls."""
    match value:
        case {"picture": str(path)}:
            yield path
        case dict():
            for each in value.values():
                yield from pictures_of(each)
        case list():
            for each in value:
                yield from pictures_of(each)


def _lines(path: Path) -> list[dict[str, Any] | None]:
    """Return the content of each line of a file; None for a damaged line."""
    try:
        *lines, _ = read_bytes(path).split(b"\n")
    except OSError:
        return []
    return [_content(line) for line in lines]


def _content(line: bytes) -> dict[str, Any] | None:
    try:
        content = parse_json(line)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
