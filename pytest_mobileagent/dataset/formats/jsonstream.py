"""A reader of JSON files of any size, one value at a time.

Mobile3M's apps have hundreds of megabytes. A file may be encoded twice, as one JSON string that
contains the JSON, and may be in UTF-8 or in GB18030.
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
_LONGEST = 1 << 26  # the maximum number of characters of one value
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
# The complete characters of a JSON string, up to its closing quote or to a character that may be
# cut off. A high surrogate only matches together with the text that follows it.
_CHARACTERS = re.compile(
    r"""(?:[^"\\]|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}
    |\\u[0-9a-fA-F]{4}(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4}))*+""",
    re.DOTALL | re.VERBOSE,
)


def items(path: Path, key: str = "") -> Iterator[tuple[int, Any]]:
    """Yield the values of a list in a file, with the lines on which they begin.

    The list is the whole file, or the value of `key` in the file's object. Without a key, the file
    may also consist of consecutive values, as JSON lines do.

    Raises:
        GraphError: if the file cannot be read, or has no such list; the message has the file and
            the line.
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
            raise reader.error("expected a comma or the end of the list")
        is_first = False
        reader.peek()
        yield reader.line, reader.value()


def pairs(path: Path) -> Iterator[tuple[int, str, Any]]:
    """Yield the names and values of the object in a file, with the lines on which they begin.

    Raises:
        GraphError: if the file cannot be read, or has no object; the message has the file and the
            line.
    """
    reader = _reader(path)
    if reader.peek() != "{":
        raise reader.error("an object is needed")
    for line, name in _names(reader):
        yield line, name, reader.value()


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
    except UnicodeDecodeError as error:
        raise GraphError(f"{path}:1: it is neither UTF-8 nor GB18030: {error.reason}") from None
    except OSError as error:
        raise GraphError(f"{path}:1: it cannot be read: {error.strerror or error}") from None
    return text.replace("\r\n", "\n")


class _Reader:
    """A position in a JSON text, and the methods that read on from there."""

    def __init__(self, path: Path, blocks: Iterator[str]) -> None:
        self.path, self._blocks = path, blocks
        self._text, self._at = "", 0
        self._line, self._counted = 1, 0  # a line number, and the position for which it is right

    @property
    def line(self) -> int:
        """The line in the file of the next character."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def error(self, why: str) -> GraphError:
        return GraphError(f"{self.path}:{self.line}: {why}")

    def peek(self) -> str:
        """Return the next character that is not white space, or an empty string at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> bool:
        """Return whether the next character is `wanted`, and skip it if so."""
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
                # The value is invalid, or its end has not been read yet.
                if len(self._text) - self._at > _LONGEST or not self._more():
                    raise self.error(f"it is not JSON: {error}") from None
                continue
            if end == len(self._text) and self._more():
                continue  # a number may continue
            is_long = end - self._at > 2 * MOST_NESTED  # shorter text cannot be nested too deeply
            if is_long and is_nested_deeper(value, MOST_NESTED):
                raise self.error(f"it is nested more than {MOST_NESTED} deep")
            self._at = end
            return value

    def rest(self) -> Iterator[str]:
        """Yield the remaining text, in blocks."""
        yield self._text[self._at :]
        yield from self._blocks

    def _more(self) -> bool:
        """Read on, doubling the remaining text, so that a long value is not parsed too often."""
        left = len(self._text) - self._at
        blocks = [self._text[self._at :]]
        while sum(map(len, blocks)) <= 2 * left:
            block = next(self._blocks, None)
            if block is None:
                break
            blocks.append(block)
        _ = self.line  # counts the lines before the text is replaced
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
            raise reader.error("expected a comma or the end of the object")
        is_first = False
        reader.peek()
        line, name = reader.line, reader.value()
        if not isinstance(name, str) or not reader.take(":"):
            raise reader.error("expected a name followed by a colon")
        yield line, name


def _decoded(reader: _Reader) -> Iterator[str]:
    """Yield the content of the JSON string that comes next, in blocks."""
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
    raise reader.error("it is not JSON: a string is not closed")


def _blocks(path: Path) -> Iterator[str]:
    encoding = _encoding(path)
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with opened(path, follows=True) as file:
            while block := file.read(_BLOCK):
                yield decoder.decode(block)
            yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise GraphError(f"{path}:1: it is neither UTF-8 nor GB18030: {error.reason}") from None
    except OSError as error:
        raise GraphError(f"{path}:1: it cannot be read: {error.strerror or error}") from None


def _encoding(path: Path) -> str:
    """Return UTF-8 if the whole file is valid UTF-8, else GB18030, as some Chinese releases use."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        with opened(path, follows=True) as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "gb18030"
    except OSError as error:
        raise GraphError(f"{path}:1: it cannot be read: {error.strerror or error}") from None
    return "utf-8-sig"
