"""Android's binary files: string pools, the XML of a manifest, and the table of resources."""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STRING_POOL = 0x0001
_UTF8 = 1 << 8
_HEADER = struct.Struct("<HHI")
_XML = 0x0003
_RESOURCE_MAP = 0x0180
_START_ELEMENT, _END_ELEMENT = 0x0102, 0x0103
_REFERENCE, _STRING, _FLOAT, _BOOLEAN = 0x01, 0x03, 0x04, 0x12
_NOTHING = 0xFFFFFFFF

# Attributes whose names tools omit, because their resource ids identify them.
_ROWS = (resources.files(__package__) / "attributes.txt").read_text("utf-8").splitlines()
NAMES = {int(number, 16): name for number, _, name in (row.partition(" ") for row in _ROWS)}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A typed part of a file: a header and a body."""

    kind: int
    data: bytes  # including the header
    header_size: int

    @property
    def body(self) -> bytes:
        """The content after the header."""
        return self.data[self.header_size :]


def chunk_at(data: bytes, at: int) -> Chunk:
    """Return the chunk at an offset; ValueError if there is none."""
    if at + _HEADER.size > len(data):
        raise ValueError("the file ends in the middle of a chunk")
    kind, header_size, size = _HEADER.unpack_from(data, at)
    if not _HEADER.size <= header_size <= size <= len(data) - at:
        raise ValueError(f"the chunk at {at} has a wrong size")
    return Chunk(kind, data[at : at + size], header_size)


def chunks_in(data: bytes) -> Iterator[Chunk]:
    """Yield consecutive chunks."""
    at = 0
    while at < len(data):
        chunk = chunk_at(data, at)
        yield chunk
        at += len(chunk.data)


class Strings:
    """A pool of strings by index, each decoded on access."""

    def __init__(self, chunk: Chunk) -> None:
        count, _, flags, start, _ = struct.unpack_from("<5I", chunk.data, 8)
        self._offsets = struct.unpack_from(f"<{count}I", chunk.data, chunk.header_size)
        self._data = chunk.data[start:]
        self._utf8 = bool(flags & _UTF8)

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < len(self._offsets):
            raise ValueError(f"there is no string {index}")
        at = self._offsets[index]
        if self._utf8:
            _, at = self._length(at, 1)  # in characters
            size, at = self._length(at, 1)
            return self._data[at : at + size].decode(errors="replace")
        size, at = self._length(at, 2)
        return self._data[at : at + 2 * size].decode("utf-16-le", errors="replace")

    def _length(self, at: int, width: int) -> tuple[int, int]:
        """Read a length of one or two units, as the highest bit of the first one indicates."""
        bits = 8 * width
        value = int.from_bytes(self._data[at : at + width], "little")
        at += width
        if value >> (bits - 1):
            low = int.from_bytes(self._data[at : at + width], "little")
            return (value & ((1 << (bits - 1)) - 1)) << bits | low, at + width
        return value, at


@dataclass(frozen=True, slots=True)
class Reference:
    """The id of a resource, in place of a value."""

    id: int


Value = str | int | bool | float | Reference | None


@dataclass(slots=True)
class Element:
    """An element: tag, attributes without namespaces, line number and children."""

    tag: str
    attributes: dict[str, Value]
    line: int = 0
    children: list[Element] = field(default_factory=list)

    def all(self, *tags: str) -> Iterator[Element]:
        """Yield the children with these tags."""
        return (child for child in self.children if child.tag in tags)


def parse(data: bytes) -> Element:
    """Parse binary XML and return its root element; ValueError if it is invalid."""
    document = chunk_at(data, 0)
    if document.kind != _XML:
        raise ValueError("this is no binary XML")
    try:
        return _parse(document.body)
    except (struct.error, IndexError) as error:
        raise ValueError(str(error)) from error


def _parse(body: bytes) -> Element:
    strings: Strings | None = None
    ids: tuple[int, ...] = ()
    top = Element("", {})
    path = [top]
    for chunk in chunks_in(body):
        if chunk.kind == STRING_POOL:
            strings = Strings(chunk)
        elif chunk.kind == _RESOURCE_MAP:
            ids = struct.unpack(f"<{len(chunk.body) // 4}I", chunk.body)
        elif chunk.kind == _START_ELEMENT and strings:
            (line,) = struct.unpack_from("<I", chunk.data, 8)
            element = _element(chunk.body, line, strings, ids)
            path[-1].children.append(element)
            path.append(element)
        elif chunk.kind == _END_ELEMENT:
            path.pop()
    return top.children[0]


def _element(body: bytes, line: int, strings: Strings, ids: tuple[int, ...]) -> Element:
    _, tag, start, size, count = struct.unpack_from("<IIHHH", body)
    attributes: dict[str, Value] = {}
    for at in range(start, start + size * count, size):
        _, name, raw, _, _, kind, value = struct.unpack_from("<IIIHBBI", body, at)
        known = NAMES.get(ids[name]) if name < len(ids) else None
        attributes[known or strings[name]] = _value(kind, value, raw, strings)
    return Element(strings[tag], attributes, line)


def _value(kind: int, value: int, raw: int, strings: Strings) -> Value:
    if kind == _STRING:
        return strings[value]
    if kind == _BOOLEAN:
        return value != 0
    if kind == _REFERENCE:
        return Reference(value)
    if kind == _FLOAT:
        return float(struct.unpack("<f", struct.pack("<I", value))[0])
    if 0x10 <= kind <= 0x1F:
        return int(value - (1 << 32) if value >> 31 else value)
    return None if raw == _NOTHING else strings[raw]


NAMESPACE = "http://schemas.android.com/apk/res/android"
IDS = {name: number for number, name in NAMES.items()}
NONE, TEXT, NUMBER = 0xFFFFFFFF, 0x03, 0x10


def archive(manifest: Element) -> bytes:
    """Return an APK that consists of a manifest, whose attributes are strings and numbers."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(zipfile.ZipInfo("AndroidManifest.xml"), _binary(manifest))
    return buffer.getvalue()


def _binary(top: Element) -> bytes:
    """Return binary XML: the strings, the resource ids of the first of them, and the elements."""
    strings = [*IDS]

    def at(text: str) -> int:
        known = len(IDS)  # a name that also occurs as text has a separate entry
        if text not in strings[known:]:
            strings.append(text)
        return strings.index(text, known)

    def attribute(name: str, value: Value) -> bytes:
        space, key = (at(NAMESPACE), [*IDS].index(name)) if name in IDS else (NONE, at(name))
        if isinstance(value, str):
            return struct.pack("<3IHBBI", space, key, at(value), 8, 0, TEXT, at(value))
        return struct.pack("<3IHBBI", space, key, NONE, 8, 0, NUMBER, value)

    def element(each: Element) -> bytes:
        pairs = sorted(each.attributes.items(), key=lambda pair: IDS.get(pair[0], NONE))
        attributes = b"".join(attribute(*pair) for pair in pairs)
        head = struct.pack("<IIHHHHHH", NONE, at(each.tag), 20, 20, len(pairs), 0, 0, 0)
        inside = b"".join(element(child) for child in each.children)
        return node(0x102, head + attributes) + inside + node(0x103, head[:8])

    def node(kind: int, body: bytes) -> bytes:
        return _chunk(kind, struct.pack("<II", 1, NONE), body)

    space = struct.pack("<II", at("android"), at(NAMESPACE))
    body = node(0x100, space) + element(top) + node(0x101, space)
    ids = _chunk(0x180, b"", struct.pack(f"<{len(IDS)}I", *IDS.values()))
    return _chunk(3, b"", _pool(strings) + ids + body)


def _pool(strings: list[str]) -> bytes:
    texts = [text.encode("utf-16-le") for text in strings]
    packed = [struct.pack("<H", len(text) // 2) + text + b"\0\0" for text in texts]
    offsets = [sum(map(len, packed[:at])) for at in range(len(packed))]
    data = b"".join(packed)
    data += b"\0" * (-len(data) % 4)
    head = struct.pack("<5I", len(strings), 0, 0, 28 + 4 * len(strings), 0)
    return _chunk(1, head, struct.pack(f"<{len(offsets)}I", *offsets) + data)


def _chunk(kind: int, head: bytes, body: bytes) -> bytes:
    return struct.pack("<HHI", kind, 8 + len(head), 8 + len(head) + len(body)) + head + body


_TABLE, _PACKAGE, _TYPE = 0x0002, 0x0200, 0x0201
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
                self._types.setdefault(number << 8 | chunk.data[8], []).append(chunk)

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
