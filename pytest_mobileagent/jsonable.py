"""JSON-able data, the only kind that is written to files and sent between processes."""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import operator
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

T = TypeVar("T")

MOST_NESTED = 100  # levels of nesting; Python itself fails at a few hundred
_MOST_BITS = 10_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,2})?"
)
_MOST_BITS_READ = 512  # no number in a record has as many bits; larger ones overflow in arithmetic
_SURE = 1e15  # numbers below this are finite and have few bits
_NUMBERS = (int, float)
_NESTING = (list, dict)
_COMMAND = re.compile(r"^\s*::|##(?=(?:vso)?\[)", re.IGNORECASE | re.MULTILINE)


def to_wire(value: Any) -> Any:
    """Return the value as str, int, float, bool, None, list or dict; other types become text.

    pytest-xdist and JSON have no other types. Dataclasses with a method `to_json` become what it
    returns. "…" replaces data that contains itself or is nested deeper than `MOST_NESTED` levels.
    """
    try:
        return _to_wire(value)
    except RecursionError:
        return _to_wire(_cut(value, MOST_NESTED))


def _to_wire(value: Any) -> Any:
    fast = _FAST.get(type(value))
    return _other_to_wire(value) if fast is None else fast(value)


def _cut(value: Any, depth: int) -> Any:
    """Return a copy of the value in which "…" replaces everything nested more deeply."""
    if isinstance(value, Mapping):
        return {key: _cut(item, depth - 1) for key, item in value.items()} if depth else "…"
    if isinstance(value, list | tuple | set | frozenset):
        return [_cut(item, depth - 1) for item in value] if depth else "…"
    return value


def why_unreadable(error: Exception) -> str:
    """Return why data could not be read, in the same words for every version of Python.

    For data nested too deeply, Python says "maximum recursion depth exceeded" or "Stack overflow".
    """
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def is_nested_deeper(value: Any, depth: int) -> bool:
    """Return whether lists and dictionaries are nested more than `depth` levels deep."""
    level = [value]
    for _ in range(depth):
        if not level:
            break
        level = [
            item
            for each in level
            if isinstance(each, _NESTING)
            for item in (each.values() if isinstance(each, dict) else each)
            if isinstance(item, _NESTING)
        ]
    return bool(level)


def _other_to_wire(value: Any) -> Any:  # noqa: PLR0911 - a table
    match value:
        case None | bool():
            return value
        case int():
            # Python neither prints nor parses integers with thousands of digits.
            return int(value) if value.bit_length() < _MOST_BITS else None
        case float():
            return float(value) if math.isfinite(value) else None
        case Mapping():
            return {str(_to_wire(key)): _to_wire(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_to_wire(item) for item in value]
        case _ if hasattr(type(value), "__index__"):  # numpy's integers
            return _to_wire(operator.index(value))
        case numbers.Real():
            return _to_wire(float(value))
        case _ if is_dataclass(value) and hasattr(type(value), "to_json"):
            return _to_wire(value.to_json())  # type: ignore[union-attr]
        case _:
            # Subclasses of str and lone surrogates cannot be sent.
            return str(value).encode("utf-8", "replace").decode("utf-8")


def _text_to_wire(text: str) -> str:
    # Lone surrogates cannot be sent.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# Nearly all data is of exactly these types; other types take three times as long.
_FAST: dict[type, Callable[[Any], Any]] = {
    dict: lambda items: {
        key if type(key) is str and key.isascii() else str(_to_wire(key)): _to_wire(item)
        for key, item in items.items()
    },
    list: lambda items: [_to_wire(item) for item in items],
    tuple: lambda items: [_to_wire(item) for item in items],
    str: _text_to_wire,
    int: lambda number: number if number.bit_length() < _MOST_BITS else None,
    bool: lambda truth: truth,
    type(None): lambda nothing: nothing,
}


def expect(value: Any, kind: Any, what: str) -> Any:
    """Return a value that was read, if it is of a kind: a type, or a union or a tuple of types.

    A bool is not a number, an int is also a float. Floats must be finite; ints have few bits.

    Raises:
        TypeError: if the value is of another kind; the message names `what`.
    """
    kinds = kind if type(kind) is tuple else get_args(kind) or (kind,)
    fits = isinstance(value, _NUMBERS if kind is float else kinds)
    if not fits or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{what} cannot be of type {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise TypeError(f"{what} cannot be {value}")
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_READ:
        raise TypeError(f"{what} cannot be a number of {value.bit_length()} bits")
    return value


class Maybe(NamedTuple):
    """A kind (see `check`), or None."""

    kind: Any


class Each(NamedTuple):
    """A dictionary with any keys, whose values are all of one kind (see `check`)."""

    kind: Any


def check(value: Any, kind: Any, what: str) -> Any:
    """Return a value that was read, if all of it is of a kind.

    A kind is a type, or a union or a tuple of types (see `expect`; a tuple is the fastest), a list
    with the kind of its items, a dictionary with the kinds of known fields (which may be missing,
    and beside which there may be others), `Each` or `Maybe`.

    Raises:
        TypeError: if the value is of another kind; the message names the wrong part of `what`.
    """
    if isinstance(kind, Maybe):
        return None if value is None else check(value, kind.kind, what)
    if isinstance(kind, Each):
        kind = dict.fromkeys(expect(value, dict, what), kind.kind)
    if isinstance(kind, dict):
        expect(value, dict, what)
        for name, of in kind.items():
            if name in value:
                item, own = value[name], type(value[name])
                is_sure = type(of) is tuple and own in of  # fast path for most values
                if not is_sure or (own in _NUMBERS and not -_SURE < item < _SURE):
                    check(item, of, f"{what}.{name}")
    elif isinstance(kind, list):
        for number, item in enumerate(expect(value, list, what)):
            check(item, kind[0], f"{what}[{number}]")
    else:
        expect(value, kind, what)
    return value


class _Fields(NamedTuple):
    """The kinds of a class's fields, and what makes the values of those that are not plain data."""

    kinds: dict[str, Any]
    makers: dict[str, Callable[[Any], Any]]


@cache
def _fields_of(cls: type) -> _Fields:
    found = _Fields({}, {})
    for name, hint in get_type_hints(cls).items():
        found.kinds[name] = _kind_of(hint)
        for each in get_args(hint) if isinstance(hint, UnionType) else (hint,):
            if get_origin(each) is tuple:
                found.makers[name] = tuple
            elif isinstance(each, type) and issubclass(each, StrEnum):
                found.makers[name] = each
    return found


def kinds_of(cls: Any) -> dict[str, Any]:
    """Return the kinds (see `check`) of the fields of a dataclass or TypedDict by their names."""
    return _fields_of(cls).kinds


def _kind_of(hint: Any) -> Any:
    """Return the kind that corresponds to a type hint."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is float:
        return (float, int)
    if isinstance(hint, UnionType):
        (one,) = (part for part in arguments if part is not NoneType)
        return or_none(_kind_of(one))
    if is_typeddict(hint) or is_dataclass(hint):
        return kinds_of(hint)
    if origin in {list, tuple}:
        return [_kind_of(arguments[0])]
    if origin is dict:
        return (dict,) if arguments[1] is Any else Each(_kind_of(arguments[1]))
    is_text = origin is Literal or (isinstance(hint, type) and issubclass(hint, StrEnum))
    return (str,) if is_text else (hint,)


def or_none(kind: Any) -> Any:
    """Return the kind of the values of a kind and None."""
    if type(kind) is tuple:
        return (*kind, NoneType)
    return kind if isinstance(kind, Maybe) else Maybe(kind)


def read_as(cls: type[T], data: Any, what: str) -> T:
    """Return the dataclass whose fields are in plain data, without those that it does not have.

    Raises:
        TypeError, ValueError: if a field is missing, or of another kind; the message names it.
    """
    kinds, makers = _fields_of(cast("Any", cls))
    check(expect(data, dict, what), kinds, what)
    given = {name: data[name] for name in kinds if name in data}
    made = {n: make(given[n]) for n, make in makers.items() if given.get(n) is not None}
    return cls(**given | made)


def to_line(value: Any) -> str:
    """Return the value as one line of JSON, without the line ending."""
    return to_text(value, separators=(",", ":"))


def to_text(
    value: Any, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """Return the value as JSON, cut off where it is nested more than `MOST_NESTED` levels deep."""
    wire = to_wire(value)
    text = json.dumps(wire, ensure_ascii=False, indent=indent, separators=separators)
    if text.count("[") + text.count("{") > MOST_NESTED and is_nested_deeper(wire, MOST_NESTED):
        wire = _cut(wire, MOST_NESTED)
        text = json.dumps(wire, ensure_ascii=False, indent=indent, separators=separators)
    return text


def digest(value: Any) -> str:
    """Return a short hash of the value."""
    return hashlib.sha256(to_line(value).encode()).hexdigest()[:16]


def whole_number(text: str) -> int | None:
    """Return the integer that a person has written, with at most 15 digits, or None.

    Only ASCII digits count: readers of a record may not know those of other scripts. A number with
    hundreds of digits would overflow in arithmetic.
    """
    return int(text) if _WHOLE.fullmatch(text.strip()) else None


def decimal_number(text: str) -> float | None:
    """Return the number that a person has written (see `whole_number`), or None."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def plural(number: int, noun: str) -> str:
    """Return a number with its noun, such as "2 workers"."""
    return f"{number} {noun}{'s' * (number != 1)}"


def cut(text: str, most: int) -> str:
    """Return the text cut to `most` characters, ending with … if it was longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def mapping(value: Any) -> dict[str, Any]:
    """Return a value of a record that should be a JSON object; {} if it is anything else."""
    return value if isinstance(value, dict) else {}


def printable(text: str) -> str:
    """Return the text with control characters escaped, so that it cannot affect a terminal.

    Texts from agents, apps and goals may contain escape sequences, and commands to a CI system.
    """
    return without_commands("".join(map(_visible, text)))


def without_commands(text: str) -> str:
    """Return the text without the commands that CI systems read in a log, escaped by a backslash.

    GitHub Actions obeys `::NAME` at the start of a line and `##[NAME]` anywhere in it, and Azure
    Pipelines `##vso[NAME]`.
    """
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", text)


def _visible(char: str) -> str:
    if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs"}:
        return char
    return char.encode("unicode_escape").decode("ascii")
