"""An APK as a whole: a ZIP archive with a manifest, resources, code and a signature."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.apk.binary import Resources, parse
from pytest_mobileagent.virtual.apk.manifest import BadApk, Manifest, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

_MANIFEST, _RESOURCES = "AndroidManifest.xml", "resources.arsc"
_MOST = 64 << 20  # unpacked bytes of a manifest or a resource table
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Apk:
    """What the phone needs to know about an APK."""

    manifest: Manifest
    certificate: str | None  # SHA-256 of the signer's certificate
    abis: frozenset[str]  # for which it contains native code
    icon: bytes | None  # an encoded picture


def read_apk(data: bytes, path: str) -> Apk:
    """Read an APK; BadApk, which refers to it as `path`, if it is invalid."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _UNREADABLE as error:
        raise BadApk("INSTALL_PARSE_FAILED_NOT_APK", f"Failed to parse {path}") from error
    with archive:
        try:
            table = _unpack(archive, _RESOURCES) if _RESOURCES in archive.namelist() else b""
            resources = Resources(table)
            manifest = read_manifest(parse(_unpack(archive, _MANIFEST)), resources)
            icon = _icon(archive, resources, manifest.icon)
        except BadApk:
            raise
        except (KeyError, ValueError, IndexError, *_UNREADABLE) as error:
            code = "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION"
            raise BadApk(code, f"Failed to parse {path}: {_MANIFEST}") from error
        return Apk(manifest, certificate(data, archive), _abis(archive), icon)


def _unpack(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _MOST:
        raise ValueError(f"{name} is too large")
    return archive.read(name)


def _abis(archive: zipfile.ZipFile) -> frozenset[str]:
    parts = (name.split("/") for name in archive.namelist() if name.startswith("lib/"))
    return frozenset(part[1] for part in parts if len(part) == 3)


def _icon(archive: zipfile.ZipFile, resources: Resources, id: int) -> bytes | None:
    """Return the icon with the most pixels; vector and layered icons are skipped."""
    pictures = [
        each
        for each in resources.variants(id)
        if each.value.endswith((".png", ".webp", ".jpg")) and each.value in archive.namelist()
    ]
    if not pictures:
        return None
    return _unpack(archive, max(pictures, key=lambda each: each.density).value)


_MAGIC = b"APK Sig Block 42"
_SCHEMES = (0xF05368C0, 0x7109871A)  # version 3, version 2
_JAR = (".RSA", ".DSA", ".EC")
_CERTIFICATES = 0xA0  # the tag of the certificates in PKCS #7


def certificate(data: bytes, archive: zipfile.ZipFile) -> str | None:
    """Return the SHA-256 of the first signer's certificate, or None if the APK is unsigned."""
    try:
        found = _of_block(data, archive.start_dir) or _of_jar(archive)
    except (struct.error, IndexError, StopIteration):
        return None
    return hashlib.sha256(found).hexdigest() if found else None


def _of_block(data: bytes, directory: int) -> bytes | None:
    """Find the certificate in the signing block, which precedes the central directory."""
    if data[directory - 16 : directory] != _MAGIC:
        return None
    (size,) = struct.unpack_from("<Q", data, directory - 24)
    at, end = directory - size, directory - 24
    schemes: dict[int, bytes] = {}
    while at < end:
        length, scheme = struct.unpack_from("<QI", data, at)
        schemes[scheme] = data[at + 12 : at + 8 + length]
        at += 8 + length
    for scheme in _SCHEMES:
        if scheme in schemes:
            signer = next(_prefixed(next(_prefixed(schemes[scheme]))))
            _, certificates, *_ = _prefixed(next(_prefixed(signer)))
            return next(_prefixed(certificates))
    return None


def _prefixed(data: bytes) -> Iterator[bytes]:
    """Yield the parts of length-prefixed data."""
    at = 0
    while at + 4 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


def _of_jar(archive: zipfile.ZipFile) -> bytes | None:
    """Find the certificate in a PKCS #7 file in META-INF."""
    for name in archive.namelist():
        if name.startswith("META-INF/") and name.upper().endswith(_JAR):
            _, signed = der_elements(archive.read(name))
            signed_data = der_elements(der_elements(signed)[0])
            return next(der_elements(part)[0] for part in signed_data if part[0] == _CERTIFICATES)
    return None


def der_elements(element: bytes) -> list[bytes]:
    """Return the elements inside an element."""
    body, found = der_content(element), []
    while body:
        head, size = _header(body)
        found.append(body[: head + size])
        body = body[head + size :]
    return found


def der_content(element: bytes) -> bytes:
    """Return the content of an element, without its header."""
    head, size = _header(element)
    return element[head : head + size]


def _header(data: bytes) -> tuple[int, int]:
    """Return the size of an element's header and of its content, in bytes."""
    if data[1] < 0x80:
        return 2, data[1]
    width = data[1] & 0x7F
    return 2 + width, int.from_bytes(data[2 : 2 + width], "big")
