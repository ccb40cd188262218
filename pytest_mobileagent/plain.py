"""Plain data: the only kind that is written to files and sent between processes."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import numbers
import operator
import os
import unicodedata
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_MOST_BITS = 10_000


def to_wire(value: Any) -> Any:
    """Return the value as str, int, float, bool, None, list or dict; all else becomes its text.

    pytest-xdist can send nothing else between processes, and JSON can hold nothing else.
    """
    fast = _FAST.get(type(value))
    return _other_to_wire(value) if fast is None else fast(value)


def _other_to_wire(value: Any) -> Any:  # noqa: PLR0911 - a table
    match value:
        case None | bool():
            return value
        case int():
            # Python neither prints nor reads whole numbers of thousands of digits.
            return int(value) if value.bit_length() < _MOST_BITS else None
        case float():
            return float(value) if math.isfinite(value) else None
        case Mapping():
            return {str(to_wire(key)): to_wire(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [to_wire(item) for item in value]
        case _ if hasattr(type(value), "__index__"):  # numpy's whole numbers
            return to_wire(operator.index(value))
        case numbers.Real():
            return to_wire(float(value))
        case _:
            # An own string class, and half of a surrogate pair, are no plain text.
            return str(value).encode("utf-8", "replace").decode("utf-8")


def _text_to_wire(text: str) -> str:
    # Half of a surrogate pair is no plain text.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# Nearly all is of exactly these types; the rest takes three times as long.
_FAST: dict[type, Callable[[Any], Any]] = {
    dict: lambda items: {str(to_wire(key)): to_wire(item) for key, item in items.items()},
    list: lambda items: [to_wire(item) for item in items],
    tuple: lambda items: [to_wire(item) for item in items],
    str: _text_to_wire,
    int: lambda number: number if number.bit_length() < _MOST_BITS else None,
    bool: lambda truth: truth,
    type(None): lambda nothing: nothing,
}


def expect(value: Any, kind: Any, what: str) -> Any:
    """Return a value that was read if it is of a kind: a type, or a union of types.

    Raises:
        TypeError: it is not; the text names `what`. A truth value is no number, a whole number is
            a float too, and a float is finite.
    """
    fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
    if not fits or (isinstance(value, bool) and kind is not bool):
        msg = f"{what} cannot be of type {type(value).__name__}"
        raise TypeError(msg)
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"{what} cannot be {value}"
        raise TypeError(msg)
    return value


def to_line(value: Any) -> str:
    """Return the value as one line of JSON, without its line end."""
    return json.dumps(to_wire(value), ensure_ascii=False, separators=(",", ":"))


def digest(value: Any) -> str:
    """Return a short hash of the value."""
    return hashlib.sha256(to_line(value).encode()).hexdigest()[:16]


def write_json(path: Path, value: Any, indent: int | None = 2) -> None:
    """Write the value to a file as JSON, all of it or nothing; without `indent` that is fast."""
    write_text(path, json.dumps(to_wire(value), ensure_ascii=False, indent=indent) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, all of it or nothing."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, "utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def append_line(path: Path, line: str) -> None:
    """Add a line to a file, whichever of several processes calls.

    What a full disk left of a line before stays a line of its own.

    Raises:
        OSError: the file cannot be written to, or the disk had room for a part of the line only.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        end = os.lseek(descriptor, 0, os.SEEK_END)
        whole = end == 0 or os.pread(descriptor, 1, end - 1) == b"\n"
        # One write at the end of the file is not torn apart by those of other processes.
        text = ("" if whole else "\n").encode() + f"{line}\n".encode()
        if os.write(descriptor, text) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(descriptor)


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
