"""JSON files of any size, read a value at a time: apps of Mobile3M have hundreds of megabytes.

A file may hold its JSON as one JSON text, encoded twice, and may be in UTF-8 or in GB18030.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.fileio import opened, read_bytes
from pytest_mobileagent.jsonable import MOST_NESTED, is_nested_deeper

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BLOCK = 1 << 18  # bytes that are read at a time
_LONGEST = 1 << 26  # characters of one value
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
# Whole characters of a JSON text, up to its closing quote or to where one may be cut off. The first
# of two surrogates is only taken with what follows it.
_CHARACTERS = re.compile(
    r"""(?:[^"\\]|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}
    |\\u[0-9a-fA-F]{4}(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4}))*+""",
    re.DOTALL | re.VERBOSE,
)


def items(path: Path, key: str = "") -> Iterator[tuple[int, Any]]:
    """Return what a list in a file holds, with the lines on which its values begin.

    The list is the file's, or that under `key` of the object in it. Without a key, a file may also
    hold values one after another, as JSON lines do.

    Raises:
        GraphError: the file cannot be read, or holds no such list; the text names file and line.
    """
    reader = _reader(path)
    if key and reader.peek() == "{":
        for _, name in _names(reader):
            if name == key:
                break
            reader.value()
        else:
            raise reader.error(f"there is no {key!r}")
    elif not key and reader.peek() == "{":
        while reader.peek():
            yield reader.line, reader.value()
        return
    if reader.peek() != "[":
        raise reader.error(f"a list is needed{f' under {key!r}' if key else ''}")
    reader.take("[")
    is_first = True
    while not reader.take("]"):
        if not (is_first or reader.take(",")):
            raise reader.error("a comma or the list's end is needed")
        is_first = False
        reader.peek()
        yield reader.line, reader.value()


def pairs(path: Path) -> Iterator[tuple[int, str, Any]]:
    """Return the names and values of the object in a file, with the lines on which they begin.

    Raises:
        GraphError: the file cannot be read, or holds no object; the text names file and line.
    """
    reader = _reader(path)
    if reader.peek() != "{":
        raise reader.error("an object is needed")
    for line, name in _names(reader):
        yield line, name, reader.value()


def text_of(path: Path) -> str:
    """Return a small file's text, which is in UTF-8 or in GB18030, with plain ends of lines.

    Raises:
        GraphError: it cannot be read.
    """
    try:
        content = read_bytes(path, follows=True)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("gb18030")
    except UnicodeDecodeError as error:
        msg = f"{path}:1: it is neither UTF-8 nor GB18030: {error.reason}"
        raise GraphError(msg) from None
    except OSError as error:
        msg = f"{path}:1: it cannot be read: {error.strerror or error}"
        raise GraphError(msg) from None
    return text.replace("\r\n", "\n")


class _Reader:
    """The place up to which a JSON text was read, and what comes next of it."""

    def __init__(self, path: Path, blocks: Iterator[str]) -> None:
        self.path, self._blocks = path, blocks
        self._text, self._at = "", 0
        self._line, self._counted = 1, 0  # the line at a place of the text that was passed

    @property
    def line(self) -> int:
        """The line of the file on which the next character is."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def error(self, why: str) -> GraphError:
        return GraphError(f"{self.path}:{self.line}: {why}")

    def peek(self) -> str:
        """Return the next character that is no space; none at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> bool:
        """Return whether the next character is the one that is wanted, and pass it if so."""
        is_there = self.peek() == wanted
        self._at += is_there
        return is_there

    def value(self) -> Any:
        """Return the next value."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise self.error(f"it is nested more than {MOST_NESTED} deep") from None
            except ValueError as error:
                # It is broken, or its end has not been read yet.
                if len(self._text) - self._at > _LONGEST or not self._more():
                    raise self.error(f"it is not JSON: {error}") from None
                continue
            if end == len(self._text) and self._more():
                continue  # a number may go on
            is_long = end - self._at > 2 * MOST_NESTED  # a short one cannot be nested so deeply
            if is_long and is_nested_deeper(value, MOST_NESTED):
                raise self.error(f"it is nested more than {MOST_NESTED} deep")
            self._at = end
            return value

    def rest(self) -> Iterator[str]:
        """Return all text that is left, in blocks."""
        yield self._text[self._at :]
        yield from self._blocks

    def _more(self) -> bool:
        """Read as much again as is left, so that a long value is not tried too often."""
        left = len(self._text) - self._at
        blocks = [self._text[self._at :]]
        while sum(map(len, blocks)) <= 2 * left:
            block = next(self._blocks, None)
            if block is None:
                break
            blocks.append(block)
        _ = self.line  # counted while the text is there
        self._text, self._at, self._counted = "".join(blocks), 0, 0
        return len(blocks) > 1


def _reader(path: Path) -> _Reader:
    reader = _Reader(path, _blocks(path))
    if reader.peek() == '"':
        return _Reader(path, _decoded(reader))
    return reader


def _names(reader: _Reader) -> Iterator[tuple[int, str]]:
    reader.take("{")
    is_first = True
    while not reader.take("}"):
        if not (is_first or reader.take(",")):
            raise reader.error("a comma or the object's end is needed")
        is_first = False
        reader.peek()
        line, name = reader.line, reader.value()
        if not isinstance(name, str) or not reader.take(":"):
            raise reader.error("a name with a colon behind it is needed")
        yield line, name


def _decoded(reader: _Reader) -> Iterator[str]:
    """Return what the JSON text that comes next says, in blocks."""
    reader.take('"')
    left = ""
    for block in reader.rest():
        left += block
        found = _CHARACTERS.match(left)
        end = found.end() if found else 0
        is_last = left[end : end + 1] == '"'
        try:
            yield json.loads(f'"{left[:end]}"', strict=False)
        except ValueError as error:
            raise reader.error(f"it is not JSON: {error}") from None
        if is_last:
            return
        left = left[end:]
        if len(left) > _LONGEST:
            break
    raise reader.error("it is not JSON: a text does not end")


def _blocks(path: Path) -> Iterator[str]:
    encoding = _encoding(path)
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with opened(path, follows=True) as file:
            while block := file.read(_BLOCK):
                yield decoder.decode(block)
            yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        msg = f"{path}:1: it is neither UTF-8 nor GB18030: {error.reason}"
        raise GraphError(msg) from None
    except OSError as error:
        msg = f"{path}:1: it cannot be read: {error.strerror or error}"
        raise GraphError(msg) from None


def _encoding(path: Path) -> str:
    """Return UTF-8 if all of a file is, else GB18030, in which some Chinese releases are."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        with opened(path, follows=True) as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "gb18030"
    except OSError as error:
        msg = f"{path}:1: it cannot be read: {error.strerror or error}"
        raise GraphError(msg) from None
    return "utf-8-sig"
