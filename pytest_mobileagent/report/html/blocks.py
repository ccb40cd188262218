"""Blocks of data in a page: JSON, compressed, in a script element that no browser runs.

Each stands on a line of its own, so that one that is still true is copied from page to page without
being made anew.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import to_wire

if TYPE_CHECKING:
    from pathlib import Path

_TYPE = "application/octet-stream;base64"
_LEVEL = 6  # of gzip; 9 takes three times as long for 2 %
_LINE = re.compile(
    rb'<script type="application/octet-stream;base64" id="([^"]+)" data-of="([^"]*)">'
)
_LONGEST_HEAD = 1_000  # bytes of a line's beginning


def block(name: str, content: Any, of: str = "") -> bytes:
    """Return the line of a block; `of` tells what it was made of, for who looks at it later."""
    text = json.dumps(to_wire(content), ensure_ascii=False, separators=(",", ":"))
    packed = gzip.compress(text.encode("utf-8", "replace"), _LEVEL, mtime=0)
    return raw_block(name, packed, of)


def raw_block(name: str, content: bytes, of: str = "") -> bytes:
    """Return the line of a block that holds bytes as they are."""
    head = f'<script type="{_TYPE}" id="{escape(name)}" data-of="{escape(of)}">'
    return head.encode() + base64.b64encode(content) + b"</script>\n"


def content(line: bytes) -> Any:
    """Return what a block holds, from its line.

    Raises:
        ValueError: it is no block, or a damaged one.
    """
    packed = line[line.index(b">") + 1 : line.rindex(b"</script>")]
    try:
        return json.loads(gzip.decompress(base64.b64decode(packed)))
    except (OSError, EOFError) as error:
        msg = f"a block is damaged: {error}"
        raise ValueError(msg) from error


@dataclass(frozen=True, slots=True)
class Written:
    """The blocks of a page that was written before, by name; of one that is not there, none."""

    path: Path
    places: dict[str, tuple[str, int, int]]

    @classmethod
    def of(cls, path: Path) -> Written:
        """Find the blocks of a page."""
        places = {}
        try:
            with path.open("rb") as file:
                at = 0
                for line in file:
                    if found := _LINE.match(line[:_LONGEST_HEAD]):
                        name, of = (each.decode("utf-8", "replace") for each in found.groups())
                        places[name] = (of, at, len(line))
                    at += len(line)
        except OSError:
            return cls(path, {})
        return cls(path, places)

    def get(self, name: str, of: str) -> bytes | None:
        """Return the line of a block if it was made of the same; None if it was not."""
        was, at, length = self.places.get(name, ("", 0, 0))
        if not length or was != of:
            return None
        try:
            with self.path.open("rb") as file:
                file.seek(at)
                line = file.read(length)
        except OSError:
            return None
        return line if line.startswith(b"<script ") and line.endswith(b"</script>\n") else None
