"""Readers of released files of any size, one value at a time: JSON, and gzipped TFRecords.

Mobile3M's apps have hundreds of megabytes of JSON. A file may be encoded twice, as one JSON string
that contains the JSON, and may be in UTF-8 or in GB18030.

A TFRecord consists of its length (8 bytes), a checksum of the length (4), a `tf.train.Example`, and
a checksum of it (4). The checksums (CRC-32C) are not verified, since gzip has its own. Sources:
TensorFlow's guide to TFRecord, and its files example.proto and feature.proto.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import re
import sqlite3
import struct
import weakref
import zlib
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, cast

import ijson

from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.fileio import opened, parse_json, read_bytes, up_to
from pytest_mobileagent.jsonable import MOST_NESTED, is_nested_deeper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
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

    The list is the file's value, its JSON lines, or the value of `key` in the file's object.

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


_MOST = 1 << 30  # bytes of one record; an episode of AndroidControl has about 10 MB
Field = tuple[int, Any]  # the field's number, and its value: a whole number or bytes
Example = dict[str, list[Any]]


def examples(path: Path) -> Iterator[tuple[int, Example]]:
    """Yield the examples in a file, numbered from 1, as values by the names of their features.

    Raises:
        GraphError: if the file cannot be read, or has another format; the message has the record.
    """
    number = 0
    try:
        with opened(path, follows=True) as file, gzip.open(file) as records:
            while (data := _record(cast("IO[bytes]", records))) is not None:
                number += 1
                yield number, example(data)
    except (OSError, EOFError, zlib.error, ValueError, struct.error, LookupError) as error:
        msg = f"{path}, record {number + 1}: it is not a gzipped TFRecord of examples: {error}"
        raise GraphError(msg) from None


def _record(records: IO[bytes]) -> bytes | None:
    """Return the data of the next record, or None at the end."""
    head = records.read(12)
    if not head:
        return None
    (length,) = struct.unpack("<Q", head[:8])
    data = up_to(records, length + 4) if length <= _MOST else b""
    if len(data) < length + 4:
        raise ValueError("it is cut off")
    return data[:length]


def is_gzip(path: Path) -> bool:
    """Return whether a file begins like a gzip file."""
    try:
        with opened(path, follows=True) as file:
            return file.read(2) == b"\x1f\x8b"
    except OSError:
        return False


def example(data: bytes) -> Example:
    """Return the features of an example, each with the list of its values.

    Raises:
        ValueError, IndexError, struct.error: if the data is not an example.
    """
    found: Example = {}
    for _, features in fields(data, 1):
        for _, entry in fields(features, 1):
            parts = dict(fields(entry))
            found[bytes(parts[1]).decode()] = _feature(parts.get(2, b""))
    return found


def fields(data: Any, wanted: int | None = None) -> Iterator[Field]:
    """Yield the fields of a protocol buffers message, either all, or those with a number.

    By wire type, a field is a whole number (0) or bytes (2, or of fixed size: 8 for 1, 4 for 5).

    Raises:
        ValueError, IndexError: if the data is not a message.
    """
    view, at = memoryview(data), 0
    while at < len(view):
        key, at = varint(view, at)
        number, kind = key >> 3, key & 7
        value: Any
        if kind == 0:
            value, at = varint(view, at)
        elif kind in (1, 2, 5):
            length = {1: 8, 5: 4}.get(kind, 0)
            if kind == 2:
                length, at = varint(view, at)
            if at + length > len(view):
                raise ValueError("a field is cut off")
            value, at = view[at : at + length], at + length
        else:
            raise ValueError(f"there is no field of kind {kind}")
        if wanted is None or number == wanted:
            yield number, value


def varint(view: memoryview, at: int) -> tuple[int, int]:
    """Return the unsigned varint at an index of a message, and the index after it.

    Raises:
        ValueError, IndexError: if there is no varint at the index.
    """
    value = shift = 0
    while True:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number has more than ten bytes")


def signed(value: int) -> int:
    """Return an unsigned 64-bit number as a signed number."""
    return value - (1 << 64) if value >> 63 else value


def _feature(feature: Any) -> list[Any]:
    """Return the values of a feature: bytes, floats, or whole numbers."""
    for kind, values in fields(feature):
        if kind == 1:
            return [bytes(each) for _, each in fields(values, 1)]
        if kind == 2:
            packed = b"".join(bytes(each) for _, each in fields(values, 1))
            return list(struct.unpack(f"<{len(packed) // 4}f", packed))
        if kind == 3:
            return unpacked(each for _, each in fields(values, 1))
    return []


def unpacked(values: Iterable[Any]) -> list[int]:
    """Return the whole numbers of a repeated field, each of which may be several, packed."""
    found = []
    for each in values:
        if isinstance(each, int):
            found.append(signed(each))
            continue
        at = 0
        while at < len(each):
            number, at = varint(each, at)
            found.append(signed(number))
    return found


class Splits:
    """The splits of all episodes, read from the data set's JSON files {split: [id, …]}.

    The ids are stored in a temporary file, since AITW has hundreds of thousands.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        """Read the files; the keys are the prefixes of the names of their splits."""
        self._index = sqlite3.connect("")
        weakref.finalize(self, self._index.close)
        self._index.execute("CREATE TABLE splits (id TEXT, name TEXT)")
        for prefix, file in files.items():
            for name, ids in pairs(file):
                if not isinstance(ids, list):
                    raise GraphError(f"{file}: {name!r} must be a list of episodes")
                rows = ((str(each), f"{prefix}{name}") for each in ids)
                self._index.executemany("INSERT INTO splits VALUES (?, ?)", rows)
        self._index.execute("CREATE INDEX by_id ON splits (id)")

    def of(self, episode: str) -> list[str]:
        """Return the splits of an episode, in the order of the files."""
        query = "SELECT name FROM splits WHERE id = ? ORDER BY rowid"
        return [name for (name,) in self._index.execute(query, (episode,))]
