"""The model calls of an episode for the page: prompts and replies.

Long strings that are sent repeatedly, as in conversations, are stored once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.fileio import parse_json, read_bytes
from pytest_mobileagent.jsonable import to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_mobileagent.episode.calls import ModelCall

JUDGES = "judges.jsonl"
_SHORT = 120  # characters; shorter strings are repeated instead of referenced
_FIELDS = (
    "model", "role", "input_tokens", "output_tokens", "cached_tokens", "price_usd", "seconds",
    "retries", "estimated", "from_cache",
)  # fmt: skip


class Texts:
    """The distinct long strings of an episode, by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def message(self, role: str, text: str, pictures: list[str]) -> dict[str, Any]:
        """Return a message of a prompt with its "text", or a "ref", the number of a long text."""
        message = {"role": role, "pictures": pictures}
        if len(text) < _SHORT:
            return {**message, "text": text}
        return {**message, "ref": self._numbers.setdefault(text, len(self._numbers))}

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
        """Return the data of a call with its prompt and reply, as far as they were recorded."""
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
            return {"prompt": None, "said": ""}
        given = line.get("reply")
        reply = given if isinstance(given, dict) else {}
        tools = reply.get("tool_calls")
        prompt = line.get("prompt")
        exchange: dict[str, Any] = {
            "prompt": [self._message(each) for each in prompt if isinstance(each, dict)]
            if isinstance(prompt, list)
            else None,
            "said": str(reply.get("text") or ""),
        }
        if tools:
            exchange["tools"] = tools
        if line.get("error"):
            exchange["error"] = str(line["error"])
        return exchange

    def _message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        content = message.get("content")
        parts = content if isinstance(content, list) else [content]
        words, pictures = list[str](), list[str]()
        for part in parts:
            if isinstance(part, dict) and isinstance(part.get("picture"), str):
                pictures.append(self._picture(part["picture"]))
            elif part is not None:
                words.append(
                    part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
                )
        return self._texts.message(str(message.get("role") or ""), "\n".join(words), pictures)


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
