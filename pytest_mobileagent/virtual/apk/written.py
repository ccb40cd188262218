"""Generates the APK of an app that is part of the phone, with the manifest that clients read."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.apk.axml import NAMES

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.apk.axml import Element, Value

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
