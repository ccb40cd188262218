"""Screens for tests: from a few words, from XML, or from a file of it."""

from __future__ import annotations

import struct
import zlib
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from pytest_mobileagent.screen.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZE = (1080, 2400)
_ROW = 120  # pixels
_NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - the phone's own clock


def make_screen(
    *elements: str | Mapping[str, str],
    size: tuple[int, int] = SIZE,
    shade: int = 255,
    time: datetime | None = _NOON,
    **fields: Any,
) -> Screen:
    """Return a screen of elements, one below the other.

    An element is its text, which can be clicked, or a mapping of the attributes of a UIAutomator
    dump ("text", "resource-id", "class", "bounds", "clickable", …). `shade` is the grey of the
    screenshot, from 0 to 255; `fields` are those of `Screen`.
    """
    rows = [_attributes(element, number, size) for number, element in enumerate(elements)]
    nodes = "".join(
        f"<node {' '.join(f'{name}={quoteattr(value)}' for name, value in row.items())}/>"
        for row in rows
    )
    xml = f"<hierarchy rotation='0'>{nodes}</hierarchy>"
    return Screen(xml, png(*size, shade), time=time, **fields)


def as_screen(given: Screen | str | Path) -> Screen:
    """Return a screen that is given as such, as XML, or as the path of a file that holds it."""
    if isinstance(given, Screen):
        return given
    text = str(given)
    xml = text if text.lstrip().startswith("<") else Path(given).read_text("utf-8")
    return Screen(xml, png(*SIZE, 255), time=_NOON)


@lru_cache(maxsize=32)
def png(width: int, height: int, shade: int) -> bytes:
    """Return a grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + bytes([shade]) * width) * height)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _attributes(
    element: str | Mapping[str, str], number: int, size: tuple[int, int]
) -> dict[str, str]:
    given = {"text": element, "clickable": "true"} if isinstance(element, str) else dict(element)
    row = f"[0,{number * _ROW}][{size[0]},{(number + 1) * _ROW}]"
    return {"bounds": row, "class": "android.widget.TextView", **given}
