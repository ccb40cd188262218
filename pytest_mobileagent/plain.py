"""Plain data: the only kind that is written to files and sent between processes."""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import operator
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_args

MOST_NESTED = 100  # lists and tables in each other; Python itself fails at some hundreds
_MOST_BITS = 10_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,2})?"
)
_MOST_BITS_READ = 512  # no number of a record has as many; larger ones overflow in arithmetic


def to_wire(value: Any) -> Any:
    """Return the value as str, int, float, bool, None, list or dict; all else becomes its text.

    pytest-xdist can send nothing else between processes, and JSON can hold nothing else. What is
    nested more than `MOST_NESTED` deep, or in itself, is cut there: "…" stands for the rest.
    """
    try:
        return _to_wire(value)
    except RecursionError:
        return _to_wire(_cut(value, MOST_NESTED))


def _to_wire(value: Any) -> Any:
    fast = _FAST.get(type(value))
    return _other_to_wire(value) if fast is None else fast(value)


def _cut(value: Any, depth: int) -> Any:
    """Return a value with "…" for all that is nested deeper."""
    if isinstance(value, Mapping):
        return {key: _cut(item, depth - 1) for key, item in value.items()} if depth else "…"
    if isinstance(value, list | tuple | set | frozenset):
        return [_cut(item, depth - 1) for item in value] if depth else "…"
    return value


def why_unreadable(error: Exception) -> str:
    """Return what is wrong with data that could not be read, in words that no version changes.

    Of data nested too deeply Python says "maximum recursion depth exceeded" or "Stack overflow".
    """
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def is_nested_deeper(value: Any, depth: int) -> bool:
    """Whether lists and tables stand in each other more than `depth` deep."""
    level = [value]
    for _ in range(depth):
        level = [
            item
            for each in level
            if isinstance(each, list | dict)
            for item in (each.values() if isinstance(each, dict) else each)
            if isinstance(item, list | dict)
        ]
    return bool(level)


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
            return {str(_to_wire(key)): _to_wire(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_to_wire(item) for item in value]
        case _ if hasattr(type(value), "__index__"):  # numpy's whole numbers
            return _to_wire(operator.index(value))
        case numbers.Real():
            return _to_wire(float(value))
        case _:
            # An own string class, and half of a surrogate pair, are no plain text.
            return str(value).encode("utf-8", "replace").decode("utf-8")


def _text_to_wire(text: str) -> str:
    # Half of a surrogate pair is no plain text.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# Nearly all is of exactly these types; the rest takes three times as long.
_FAST: dict[type, Callable[[Any], Any]] = {
    dict: lambda items: {str(_to_wire(key)): _to_wire(item) for key, item in items.items()},
    list: lambda items: [_to_wire(item) for item in items],
    tuple: lambda items: [_to_wire(item) for item in items],
    str: _text_to_wire,
    int: lambda number: number if number.bit_length() < _MOST_BITS else None,
    bool: lambda truth: truth,
    type(None): lambda nothing: nothing,
}


def expect(value: Any, kind: Any, what: str) -> Any:
    """Return a value that was read if it is of a kind: a type, or a union of types.

    Raises:
        TypeError: it is not; the text names `what`. A truth value is no number, a whole number is
            a float too, a float is finite, and no whole number has hundreds of digits.
    """
    fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
    if not fits or (isinstance(value, bool) and bool not in {kind, *get_args(kind)}):
        msg = f"{what} cannot be of type {type(value).__name__}"
        raise TypeError(msg)
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"{what} cannot be {value}"
        raise TypeError(msg)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_READ:
        msg = f"{what} cannot be a number of {value.bit_length()} bits"
        raise TypeError(msg)
    return value


class Maybe(NamedTuple):
    """What is of a kind (see `check`), or None."""

    kind: Any


class Each(NamedTuple):
    """A table whose values are all of a kind (see `check`), whatever they are called."""

    kind: Any


def check(value: Any, kind: Any, what: str) -> Any:
    """Return a value that was read if all of it is of a kind; the whole is checked at once.

    A kind is a type or a union of types (see `expect`), a list with the kind of its items, a table
    with the kinds of the fields that are known (those may be missing, and others may be there),
    `Each` or `Maybe`.

    Raises:
        TypeError: it is not; the text names the part of `what` that is not.
    """
    if isinstance(kind, Maybe):
        return None if value is None else check(value, kind.kind, what)
    if isinstance(kind, Each):
        kind = dict.fromkeys(expect(value, dict, what), kind.kind)
    if isinstance(kind, dict):
        expect(value, dict, what)
        for name in [name for name in kind if name in value]:
            check(value[name], kind[name], f"{what}.{name}")
    elif isinstance(kind, list):
        for number, item in enumerate(expect(value, list, what)):
            check(item, kind[0], f"{what}[{number}]")
    else:
        expect(value, kind, what)
    return value


def to_line(value: Any) -> str:
    """Return the value as one line of JSON, without its line end."""
    return to_text(value, separators=(",", ":"))


def to_text(
    value: Any, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """Return the value as JSON; what is nested more than `MOST_NESTED` deep is cut there."""
    plain = to_wire(value)
    text = json.dumps(plain, ensure_ascii=False, indent=indent, separators=separators)
    if text.count("[") + text.count("{") > MOST_NESTED and is_nested_deeper(plain, MOST_NESTED):
        plain = _cut(plain, MOST_NESTED)
        text = json.dumps(plain, ensure_ascii=False, indent=indent, separators=separators)
    return text


def digest(value: Any) -> str:
    """Return a short hash of the value."""
    return hashlib.sha256(to_line(value).encode()).hexdigest()[:16]


def whole_number(text: str) -> int | None:
    """Return the whole number that a person has written, in 15 digits at most; None if it is none.

    Digits are those of ASCII: full-width ones, or those of other scripts, look alike to nobody who
    reads the record, and a number of hundreds of digits overflows in arithmetic.
    """
    text = text.strip()
    return int(text) if _WHOLE.fullmatch(text) else None


def plain_number(text: str) -> float | None:
    """Return the number that a person has written (see `whole_number`); None if it is none."""
    text = text.strip()
    return float(text) if _NUMBER.fullmatch(text) else None


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
