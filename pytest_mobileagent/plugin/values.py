"""Parsers for the values of options.

Each parser takes a string, and raises ValueError with the reason if it is invalid. pytest imports
this module in every session, so what only one option needs is imported when it is given.
"""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.jsonable import decimal_number, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.noise import NoiseChoice


_LONGEST_LINE = 80


class Epochs(NamedTuple):
    """The minimum and maximum number of times that a task is run."""

    least: int
    most: int


class Shard(NamedTuple):
    """One of several parts of a run, counted from 1."""

    number: int
    parts: int


class Engine(NamedTuple):
    """Where workers run: `name` is xdist or ray.

    `address` is the address of a Ray cluster, or None to start one; `labels` select the machines of
    the cluster to use.
    """

    name: str
    address: str | None = None
    labels: Mapping[str, str] = {}


def engine(text: str) -> Engine:
    """Read where workers run: `xdist`, `ray`, `ray:auto`, `ray:HOST:PORT,LABEL=VALUE`."""
    place, *pairs = text.strip().split(",")
    name, colon, address = place.partition(":")
    labels = dict(pair.strip().split("=", 1) for pair in pairs if "=" in pair)
    is_sound = name == "ray" or place == "xdist"
    if not is_sound or (colon and not address) or len(labels) < len(pairs):
        msg = "must be xdist, ray, ray:auto or ray:HOST:PORT; ray's may end in ,LABEL=VALUE"
        raise ValueError(msg)
    if (name == "xdist" and pairs) or not all(labels.values()) or not all(labels):
        msg = "has labels, which only machines of a Ray cluster have: LABEL=VALUE after a comma"
        raise ValueError(msg)
    return Engine(name, address or None, labels)


def whole(least: int) -> Callable[[str], int]:
    """Return a parser for whole numbers of at least `least`."""

    def parse(text: str) -> int:
        number = whole_number(text)
        if number is None or number < least:
            raise ValueError(f"must be a whole number from {least}")
        return number

    return parse


def epochs(text: str) -> Epochs:
    """Read how many times a task is run: `3`, or `3..10`."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*(?:\.\.\s*(\d{1,9})\s*)?", text, re.ASCII)
    least, most = map(int, (found[1], found[2] or found[1])) if found else (0, 0)
    if not 1 <= least <= most or (found and found[2] and least == most):
        raise ValueError("must be a whole number from 1, or a range such as 3..10")
    return Epochs(least, most)


def shard(text: str) -> Shard:
    """Read which part of a run to run: `2/4`."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
    number, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= parts:
        raise ValueError("must be I/N, such as 2/4 for the second of four parts")
    return Shard(number, parts)


def positive(text: str) -> float:
    """Read a number above 0."""
    number = decimal_number(text)
    if number is None or number <= 0:
        raise ValueError("must be a number above 0")
    return number


def line(text: str) -> str:
    """Read a text of one line."""
    if not text.isprintable() or len(text) > _LONGEST_LINE:
        raise ValueError(f"must be one line of at most {_LONGEST_LINE} characters")
    return text.strip()


def words(text: str) -> tuple[str, ...]:
    """Read words as a shell splits them."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from None


def listed(text: str) -> tuple[str, ...]:
    """Read a comma-separated list of words."""
    words = tuple(word.strip() for word in text.split(","))
    if not all(words):
        raise ValueError("must be a list such as 100,105 or test")
    return words


def noise(text: str) -> NoiseChoice | None:
    """Read the rate of noise and its kinds; None if the rate is 0."""
    from pytest_mobileagent.noise import parse_choice  # not for --help

    choice = parse_choice(text)
    return choice if choice.rate else None


def truth(text: str) -> bool:
    """Read a flag's value: `true` or `false`."""
    word = text.strip().lower()
    if word not in {"true", "false"}:
        raise ValueError("must be true or false")
    return word == "true"


def late(name: str, **options: Any) -> Callable[[str], Any]:
    """Return a parser of another room, which is imported when there is a value to parse."""
    module, _, function = name.rpartition(".")

    def parse(text: str) -> Any:
        found = import_module(f"pytest_mobileagent.{module}")
        return getattr(found, function)(text, **options)

    return parse


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a parser that accepts only these words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text

    return parse
