"""Blocks of data in a page: gzip-compressed JSON, in script elements that browsers do not execute.

The file name in the gzip header identifies the source of the block. A block whose source has not
changed is copied from the old page to the new one.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.fileio import opened
from pytest_mobileagent.jsonable import to_wire

if TYPE_CHECKING:
    from pathlib import Path

_LEVEL = 6  # of gzip; 9 takes three times as long and saves 2 %
_BEGIN, _END = '<script type="application/octet-stream;base64" id="', b"</script>\n"
_HEAD = re.compile(_BEGIN.encode() + rb'([ewd]:[\w.~-]+)">')
_LONGEST_HEAD = 400  # bytes at the beginning of a line that are searched for a head
_NAME = 10  # bytes of gzip's header before the name (RFC 1952, section 2.3)


def pack(content: Any, of: str = "") -> bytes:
    """Return the bytes of a block; `of` identifies the source that it was made from."""
    text = json.dumps(to_wire(content), ensure_ascii=False, separators=(",", ":"))
    packed = io.BytesIO()
    with gzip.GzipFile(of, "wb", _LEVEL, packed, mtime=0) as file:
        file.write(text.encode("utf-8", "replace"))
    return packed.getvalue()


def line(name: str, packed: bytes) -> bytes:
    """Return a block as a line of a page."""
    return f'{_BEGIN}{escape(name)}">'.encode() + base64.b64encode(packed) + _END


def unpack(packed: bytes) -> Any:
    """Return the content of a block.

    Raises:
        ValueError, OSError, EOFError: if the block is damaged.
    """
    return json.loads(gzip.decompress(packed))


@dataclass(frozen=True, slots=True)
class ExistingPage:
    """The episode blocks of an existing page; empty if the page does not exist."""

    path: Path
    places: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, path: Path) -> ExistingPage:
        """Return the places of the episode blocks in a page."""
        places, at = {}, 0
        try:
            with opened(path) as file:
                for each in file:
                    if (head := _HEAD.match(each[:_LONGEST_HEAD])) and each.endswith(_END):
                        length = len(each) - head.end() - len(_END)
                        places[head[1].decode()] = (at + head.end(), length)
                    at += len(each)
        except OSError:
            return cls(path, {})
        return cls(path, places)

    def get(self, name: str, of: str) -> bytes | None:
        """Return the bytes of a block if it was made from the source `of`; else None."""
        at, length = self.places.get(name, (0, 0))
        if not length:
            return None
        try:
            with opened(self.path) as file:
                file.seek(at)
                packed = base64.b64decode(file.read(length), validate=True)
        except (OSError, ValueError):
            return None
        return packed if packed[_NAME:].startswith(of.encode() + b"\0") else None
