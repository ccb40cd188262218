"""Reads and checks the file of redaction rules (see `episode.redaction`)."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.fileio import read_bytes
from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.patterns import compile as compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.patterns import Pattern


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the screen: a `box` in pixels or in fractions, or the elements of a resource id."""

    box: tuple[float, float, float, float] | None = None
    package: str | None = None
    resource_id: str | None = None

    def pixels(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Return the box in pixels on a screen of this size; without a box, all of it."""
        left, top, right, bottom = self.box or (0.0, 0.0, 1.0, 1.0)
        if max(map(abs, (left, top, right, bottom))) > 1:
            return int(left), int(top), int(right), int(bottom)
        return int(left * width), int(top * height), -int(-right * width), -int(-bottom * height)


def load(path: Path) -> tuple[tuple[Pattern, ...], tuple[Region, ...], str]:
    """Return the patterns and the regions in a file, and the SHA-256 of its content.

    Raises:
        ValueError: if the file cannot be read or is invalid; the message says why.
    """
    try:
        content = read_bytes(path, follows=True)
        given = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    if unknown := sorted(set(given) - {"text", "region"}):
        raise ValueError(f"{path}: there is no {unknown[0]!r}; it may have `text` and [[region]]")
    words, regions = given.get("text", []), given.get("region", [])
    if not _is_list(words, str) or not _is_list(regions, dict):
        msg = f"{path}: `text` must be a list of regular expressions, and each [[region]] a table"
        raise ValueError(msg)
    if not words and not regions:
        raise ValueError(f"{path} specifies nothing to black out")
    patterns = tuple(_pattern(path, number, word) for number, word in enumerate(words, 1))
    found = tuple(_region(path, number, each) for number, each in enumerate(regions, 1))
    return patterns, found, hashlib.sha256(content).hexdigest()


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _pattern(path: Path, number: int, word: str) -> Pattern:
    try:
        pattern = compile_pattern(word)
    except PatternError as error:  # the pattern is not quoted, as it may be a secret
        msg = f"{path}: pattern {number} of `text` is not a regular expression: {error}"
        raise ValueError(msg) from None
    if not word or pattern.fullmatch(""):
        msg = (
            f"{path}: pattern {number} of `text` matches the empty text, and so matches everywhere"
        )
        raise ValueError(msg)
    return pattern


def _region(path: Path, number: int, given: Mapping[str, Any]) -> Region:
    where = f"{path}: [[region]] {number}"
    if unknown := sorted(set(given) - {"box", "package", "resource_id"}):
        msg = f"{where} has no {unknown[0]!r}; it may have `box`, `package`, `resource_id`"
        raise ValueError(msg)
    if ("box" in given) == ("resource_id" in given):
        raise ValueError(f"{where} needs either a `box` or a `resource_id`")
    for name in ("package", "resource_id"):
        if not isinstance(given.get(name, ""), str):
            raise ValueError(f"{where}: {name} must be a string")
    box = given.get("box")
    numbers = isinstance(box, list) and len(box) == 4 and all(map(_is_number, box))
    if box is not None and not (numbers and 0 <= box[0] < box[2] and 0 <= box[1] < box[3]):
        msg = f"{where}: box must be [left, top, right, bottom], in pixels or fractions up to 1"
        raise ValueError(msg)
    size = None if box is None else (box[0], box[1], box[2], box[3])
    return Region(size, given.get("package"), given.get("resource_id"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
