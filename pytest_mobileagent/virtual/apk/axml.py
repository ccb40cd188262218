"""Android's binary files: chunks, string pools, and the XML of a manifest as a tree."""

from __future__ import annotations

import struct
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
