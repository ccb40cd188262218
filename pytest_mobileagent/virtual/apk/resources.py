"""The resource table: what resource ids stand for in the default configuration."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.apk.axml import STRING_POOL, Chunk, Strings, chunk_at, chunks_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_TABLE, _PACKAGE, _TYPE = 0x0002, 0x0200, 0x0201
_REFERENCE, _STRING = 0x01, 0x03
_SPARSE, _SHORT_OFFSETS = 1, 2  # how the offsets of a type are encoded
_COMPLEX, _COMPACT = 1, 8  # the kinds of entries
_MOST_REFERENCES = 20


@dataclass(frozen=True, slots=True)
class Variant:
    """A value of a resource (a string or a file's path) for a language and a density."""

    value: str
    language: str
    density: int


class Resources:
    """The resources of an APK by id."""

    def __init__(self, data: bytes) -> None:
        self._strings: Strings | None = None
        self._types: dict[int, list[Chunk]] = {}  # by package and type, as in an id
        if not data:
            return
        table = chunk_at(data, 0)
        if table.kind != _TABLE:
            raise ValueError("this is no table of resources")
        for chunk in chunks_in(table.body):
            if chunk.kind == STRING_POOL:
                self._strings = Strings(chunk)
            elif chunk.kind == _PACKAGE:
                self._add(chunk)

    def _add(self, package: Chunk) -> None:
        (number,) = struct.unpack_from("<I", package.data, 8)
        for chunk in chunks_in(package.body):
            if chunk.kind == _TYPE:
                key = number << 8 | chunk.data[8]
                self._types.setdefault(key, []).append(chunk)

    def text(self, id: int) -> str | None:
        """Return the text for an id in the default language, or None."""
        found = self.variants(id)
        plain = [each for each in found if not each.language]
        return next((each.value for each in plain or found), None)

    def variants(self, id: int) -> list[Variant]:
        """Return all variants of the text, or file path, for an id."""
        return list(self._variants(id, _MOST_REFERENCES))

    def _variants(self, id: int, hops: int) -> Iterator[Variant]:
        for chunk in self._types.get(id >> 16, []):
            found = _entry(chunk, id & 0xFFFF)
            if found is None or self._strings is None:
                continue
            kind, value = found
            if kind == _STRING:
                yield Variant(self._strings[value], *_configuration(chunk))
            elif kind == _REFERENCE and hops:
                yield from self._variants(value, hops - 1)


def _configuration(chunk: Chunk) -> tuple[str, int]:
    language, density = struct.unpack_from("<8x2s4xH", chunk.data, 20)
    return language.rstrip(b"\0").decode("latin-1"), density


def _entry(chunk: Chunk, index: int) -> tuple[int, int] | None:
    """Return the type and value of an entry, or None if this variant has none."""
    flags, count, start = struct.unpack_from("<xBxxII", chunk.data, 8)
    offset = _offset(chunk, index, flags, count)
    if offset is None:
        return None
    at = start + offset
    size, entry_flags = struct.unpack_from("<HH", chunk.data, at)
    if entry_flags & _COMPACT:
        (value,) = struct.unpack_from("<I", chunk.data, at + 4)
        return entry_flags >> 8, value
    if entry_flags & _COMPLEX:
        return None
    kind, value = struct.unpack_from("<xxxBI", chunk.data, at + size)
    return kind, value


def _offset(chunk: Chunk, index: int, flags: int, count: int) -> int | None:
    head = chunk.header_size
    if flags & _SPARSE:
        pairs = struct.iter_unpack("<HH", chunk.data[head : head + 4 * count])
        return next((offset * 4 for at, offset in pairs if at == index), None)
    if index >= count:
        return None
    if flags & _SHORT_OFFSETS:
        (short,) = struct.unpack_from("<H", chunk.data, head + 2 * index)
        return None if short == 0xFFFF else short * 4
    (offset,) = struct.unpack_from("<I", chunk.data, head + 4 * index)
    return None if offset == 0xFFFFFFFF else int(offset)
