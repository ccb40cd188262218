"""The signer of an APK. Digests are not verified; updates only require the same certificate."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.apk.der import inside

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Iterator

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
            _, signed = inside(archive.read(name))
            signed_data = inside(inside(signed)[0])
            return next(inside(part)[0] for part in signed_data if part[0] == _CERTIFICATES)
    return None
