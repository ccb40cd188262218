"""A reader of JSON files of any size, one value at a time.

Mobile3M's apps have hundreds of megabytes. A file may be encoded twice, as one JSON string that
contains the JSON, and may be in UTF-8 or in GB18030.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

import ijson

from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.fileio import opened, parse_json, read_bytes
from pytest_mobileagent.jsonable import MOST_NESTED, is_nested_deeper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_BLOCK = 1 << 18  # characters that are read at a time
# The complete characters of a JSON string, up to its closing quote or to a character that may be
# cut off. A high surrogate only matches together with the text that follows it.
_CHARACTERS = re.compile(
    r"""(?:[^"\\]|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}
    |\\u[0-9a-fA-F]{4}(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4}))*+""",
    re.DOTALL | re.VERBOSE,
)


def items(path: Path, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a list in a file, each with its place: the file, and a line or number.

    The list is the whole file, or the value of `key` in the file's object. Without a key, a file of
    JSON lines is a list, too.

    Raises:
        GraphError: if the file cannot be read, or has no such list; the message names the place.
    """
    begin = next(_text(path), "").lstrip()[:1]
    if begin == "{" and not key:
        yield from _lines(path)
        return
    number = 0
    for value in _values(path, ijson.items, "item" if begin == "[" else f"{key}.item"):
        number += 1
        yield f"{path}, entry {number}", value
    if not number and begin != "[" and next(_values(path, ijson.items, key), None) != []:
        raise GraphError(f"{path}: there is no list{f' under {key!r}' if key else ''}")


def pairs(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the object in a file.

    Raises:
        GraphError: if the file cannot be read, or has no object.
    """
    if next(_text(path), "").lstrip()[:1] != "{":
        raise GraphError(f"{path}: an object is needed")
    yield from _values(path, ijson.kvitems, "")


def text_of(path: Path) -> str:
    r"""Return the text of a small file in UTF-8 or GB18030, with "\n" as line break.

    Raises:
        GraphError: if the file cannot be read.
    """
    try:
        content = read_bytes(path, follows=True)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("gb18030")
    except (UnicodeDecodeError, OSError) as error:
        raise _unreadable(path, error) from None
    return text.replace("\r\n", "\n")


def _values(path: Path, read: Callable[..., Iterator[Any]], prefix: str) -> Iterator[Any]:
    """Yield what a function of ijson finds at a prefix of its notation."""
    blocks = (block.encode("utf-8", "replace") for block in _text(path))
    try:
        for value in read(ijson.from_iter(blocks), prefix, use_float=True):
            if is_nested_deeper(value, MOST_NESTED):
                raise GraphError(f"{path}: it is nested more than {MOST_NESTED} deep")
            yield value
    except (ijson.JSONError, ValueError) as error:
        raise GraphError(f"{path}: it is not JSON: {' '.join(str(error).split())}") from None


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    with opened(path, follows=True) as file:
        for number, line in enumerate(codecs.iterdecode(file, _encoding(path)), 1):
            try:
                if line.strip():
                    yield f"{path}:{number}", parse_json(line)
            except (ValueError, RecursionError) as error:
                raise GraphError(f"{path}:{number}: it is not JSON: {error}") from None


def _text(path: Path) -> Iterator[str]:
    """Yield the text of a file in blocks, none of them empty, decoded twice if need be."""
    blocks = _blocks(path)
    first = next(blocks, "")
    whole = chain([first], blocks)
    return filter(None, _decoded(path, whole) if first.lstrip()[:1] == '"' else whole)


def _decoded(path: Path, blocks: Iterator[str]) -> Iterator[str]:
    """Yield the content of a JSON string, in blocks."""
    left = next(blocks).lstrip()[1:]
    for block in chain([""], blocks):
        left += block
        found = _CHARACTERS.match(left)
        end = found.end() if found else 0
        try:
            yield json.loads(f'"{left[:end]}"', strict=False)
        except ValueError as error:
            raise GraphError(f"{path}: it is not JSON: {error}") from None
        if left[end : end + 1] == '"':
            return
        left = left[end:]
    raise GraphError(f"{path}: it is not JSON: a string is not closed")


def _blocks(path: Path) -> Iterator[str]:
    """Yield the text of a file as it is, in blocks."""
    try:
        yield from _read(path, _encoding(path))
    except (UnicodeDecodeError, OSError) as error:
        raise _unreadable(path, error) from None


def _read(path: Path, encoding: str) -> Iterator[str]:
    with opened(path, follows=True) as file:
        text = io.TextIOWrapper(file, encoding, newline="")
        while block := text.read(_BLOCK):
            yield block


def _encoding(path: Path) -> str:
    """Return UTF-8 if the whole file is valid UTF-8, else GB18030, as some Chinese releases use."""
    try:
        for _ in _read(path, "utf-8-sig"):
            pass
    except UnicodeDecodeError:
        return "gb18030"
    except OSError as error:
        raise _unreadable(path, error) from None
    return "utf-8-sig"


def _unreadable(path: Path, error: UnicodeDecodeError | OSError) -> GraphError:
    if isinstance(error, UnicodeDecodeError):
        return GraphError(f"{path}: it is neither UTF-8 nor GB18030: {error.reason}")
    return GraphError(f"{path}: it cannot be read: {error.strerror or error}")
