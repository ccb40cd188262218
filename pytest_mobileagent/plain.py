"""Plain data: the only kind that is written to files and sent between processes."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def to_wire(value: Any) -> Any:
    """Return the value as str, int, float, bool, None, list or dict; all else becomes its text.

    pytest-xdist can send nothing else between processes, and JSON can hold nothing else.
    """
    # Nearly all is of these; the rest takes three times as long.
    kind = type(value)
    if kind is dict:
        return {
            (key if type(key) is str and key.isascii() else str(to_wire(key))): to_wire(item)
            for key, item in value.items()
        }
    if kind is list or kind is tuple:
        return [to_wire(item) for item in value]
    if kind is str and value.isascii():
        return value
    match value:
        case None | bool():
            return value
        case int():
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else None
        case Mapping():
            return {str(to_wire(key)): to_wire(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [to_wire(item) for item in value]
        case _:
            # An own string class, and half of a surrogate pair, are no plain text.
            return str(value).encode("utf-8", "replace").decode("utf-8")


def to_line(value: Any) -> str:
    """Return the value as one line of JSON, without its line end."""
    return json.dumps(to_wire(value), ensure_ascii=False, separators=(",", ":"))


def write_json(path: Path, value: Any, indent: int | None = 2) -> None:
    """Write the value to a file as JSON, all of it or nothing; without `indent` that is fast."""
    part = path.with_name(f".{path.name}.part")
    try:
        text = json.dumps(to_wire(value), ensure_ascii=False, indent=indent)
        part.write_text(text + "\n", "utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def printable(text: str) -> str:
    """Return a text as a terminal may print it: what would control the terminal is spelled out.

    Agents, apps and goals are not trusted to send escape sequences.
    """
    return "".join(
        char
        if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs"}
        else _spelled(char)
        for char in text
    )


def _spelled(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
