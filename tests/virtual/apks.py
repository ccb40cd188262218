"""Creates small APKs: binary XML, a resource table, and the signing block."""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

IDS = {  # attributes with resource ids, as all of Android's own have
    "label": 0x01010001,
    "icon": 0x01010002,
    "name": 0x01010003,
    "enabled": 0x0101000E,
    "debuggable": 0x0101000F,
    "exported": 0x01010010,
    "targetPackage": 0x01010021,
    "mimeType": 0x01010026,
    "scheme": 0x01010027,
    "host": 0x01010028,
    "pathPrefix": 0x0101002B,
    "minSdkVersion": 0x0101020C,
    "versionCode": 0x0101021B,
    "versionName": 0x0101021C,
    "targetSdkVersion": 0x01010270,
    "testOnly": 0x01010272,
    "isSplitRequired": 0x01010591,
}
NOTHING = 0xFFFFFFFF
LABEL, ICON = 0x7F010000, 0x7F020000


@dataclass(frozen=True)
class Ref:
    id: int


@dataclass
class Tag:
    name: str
    attributes: dict[str, Any] = field(default_factory=dict)
    children: list[Tag] = field(default_factory=list)


def chunk(kind: int, head: bytes, body: bytes = b"") -> bytes:
    return struct.pack("<HHI", kind, 8 + len(head), 8 + len(head) + len(body)) + head + body


def pool(strings: list[str], *, utf8: bool = True) -> bytes:
    packed = [packed_utf8(text) if utf8 else packed_utf16(text) for text in strings]
    offsets = [sum(map(len, packed[:at])) for at in range(len(packed))]
    data = b"".join(packed)
    data += b"\0" * (-len(data) % 4)
    start = 28 + 4 * len(strings)
    head = struct.pack("<5I", len(strings), 0, utf8 << 8, start, 0)
    return chunk(1, head, struct.pack(f"<{len(offsets)}I", *offsets) + data)


def packed_utf8(text: str) -> bytes:
    data = text.encode()
    return short(len(text), 1) + short(len(data), 1) + data + b"\0"


def packed_utf16(text: str) -> bytes:
    data = text.encode("utf-16-le")
    return short(len(data) // 2, 2) + data + b"\0\0"


def short(size: int, width: int) -> bytes:
    """An encoded length; one that exceeds a unit takes two."""
    bits = 8 * width
    if size < 1 << (bits - 1):
        return size.to_bytes(width, "little")
    high = 1 << (bits - 1) | size >> bits
    return high.to_bytes(width, "little") + (size & ((1 << bits) - 1)).to_bytes(width, "little")


def binary_xml(top: Tag, *, utf8: bool = False) -> bytes:
    names = list(IDS)
    strings = [*names]

    def index(text: str) -> int:
        if text not in strings[len(names) :]:
            strings.append(text)
        return strings.index(text, len(names))

    def value(given: Any) -> tuple[int, int, int]:
        if isinstance(given, str):
            return index(given), 0x03, index(given)
        if isinstance(given, Ref):
            return NOTHING, 0x01, given.id
        if isinstance(given, bool):
            return NOTHING, 0x12, NOTHING if given else 0
        return NOTHING, 0x10, given & NOTHING

    def write(tag: Tag) -> bytes:
        attributes = b""
        for name, given in tag.attributes.items():
            raw, kind, data = value(given)
            at = names.index(name) if name in names else index(name)
            attributes += struct.pack("<IIIHBBI", NOTHING, at, raw, 8, 0, kind, data)
        number = index(tag.name)
        lines = struct.pack("<II", 7, NOTHING)
        count = len(tag.attributes)
        start = struct.pack("<IIHHHHHH", NOTHING, number, 20, 20, count, 0, 0, 0)
        inside = b"".join(map(write, tag.children))
        end = chunk(0x103, lines, struct.pack("<II", NOTHING, number))
        return chunk(0x102, lines, start + attributes) + inside + end

    body = write(top)
    ids = chunk(0x180, b"", struct.pack(f"<{len(names)}I", *IDS.values()))
    return chunk(3, b"", pool(strings, utf8=utf8) + ids + body)


def resources(texts: dict[str, str], icon: str = "") -> bytes:
    """A table with one string, by language, and one picture."""
    values = [*texts.values(), *([icon] if icon else [])]

    def kind(number: int, language: str, at: int) -> bytes:
        config = struct.pack("<I4x2s2x2xH", 28, language.encode(), 240) + b"\0" * 12
        entry = struct.pack("<HHIHBBI", 8, 0, 0, 8, 0, 3, at)
        start = 8 + 12 + len(config) + 4
        head = struct.pack("<BBHII", number, 0, 0, 1, start) + config
        return chunk(0x201, head, struct.pack("<I", 0) + entry)

    types = b"".join(kind(1, language, at) for at, language in enumerate(texts))
    types += kind(2, "", len(texts)) if icon else b""
    head = struct.pack("<I256s5I", 0x7F, b"", 0, 0, 0, 0, 0)
    package = chunk(0x200, head, types)
    return chunk(2, struct.pack("<I", 1), pool(values) + package)


def prefixed(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def signed(archive: bytes, signer: str) -> bytes:
    """Insert a signing block of version 2, without digests, before the central directory."""
    certificate = prefixed(f"certificate of {signer}".encode())
    content = prefixed(prefixed(b"") + prefixed(certificate) + prefixed(b""))
    value = prefixed(prefixed(content + prefixed(b"") + prefixed(b"")))
    pair = struct.pack("<QI", 4 + len(value), 0x7109871A) + value
    size = len(pair) + 24
    block = struct.pack("<Q", size) + pair + struct.pack("<Q", size) + b"APK Sig Block 42"
    end = archive.rindex(b"PK\x05\x06")
    (directory,) = struct.unpack_from("<I", archive, end + 16)
    moved = struct.pack("<I", directory + len(block))
    tail = archive[directory : end + 16] + moved + archive[end + 20 :]
    return archive[:directory] + block + tail


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def png(width: int, height: int) -> bytes:
    """A red picture."""
    data = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(data, "PNG")
    return data.getvalue()


def entry(name: str, **attributes: Any) -> Tag:
    """An activity with an icon on the home screen."""
    main = Tag("action", {"name": "android.intent.action.MAIN"})
    launcher = Tag("category", {"name": "android.intent.category.LAUNCHER"})
    filters = [Tag("intent-filter", children=[main, launcher])]
    return Tag("activity", {"name": name, "exported": True, **attributes}, filters)


def build(
    package: str = "com.example.app",
    version: int = 1,
    *,
    label: str | dict[str, str] = "Example",
    split: str = "",
    signer: str | None = "Ann",
    sdk: tuple[int, int] = (24, 34),
    permissions: tuple[str, ...] = (),
    inside: tuple[Tag, ...] = (entry(".Main"),),
    instrumentation: str = "",
    files: dict[str, bytes] | None = None,
    icon: str = "",
    utf8: bool = False,
    **application: Any,
) -> bytes:
    """An APK; `inside` are the components, `instrumentation` names a runner and its target."""
    texts = {"": label} if isinstance(label, str) else label
    children = [Tag("uses-sdk", {"minSdkVersion": sdk[0], "targetSdkVersion": sdk[1]})]
    children += [Tag("uses-permission", {"name": name}) for name in permissions]
    about = {"label": Ref(LABEL), **({"icon": Ref(ICON)} if icon else {}), **application}
    children.append(Tag("application", about, list(inside)))
    if instrumentation:
        runner, _, target = instrumentation.partition(" ")
        children.append(Tag("instrumentation", {"name": runner, "targetPackage": target}))
    top = {"versionCode": version, "versionName": f"{version}.0", "package": package}
    manifest = Tag("manifest", {**top, **({"split": split} if split else {})}, children)
    archive = zipped(
        {
            "AndroidManifest.xml": binary_xml(manifest, utf8=utf8),
            "resources.arsc": resources(texts, icon),
            **(files or {}),
        }
    )
    return signed(archive, signer) if signer else archive
