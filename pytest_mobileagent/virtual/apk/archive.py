"""An APK as a whole: a ZIP archive with a manifest, resources, code and a signature."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass

from pytest_mobileagent.virtual.apk.axml import parse
from pytest_mobileagent.virtual.apk.manifest import BadApk, Manifest, read_manifest
from pytest_mobileagent.virtual.apk.resources import Resources
from pytest_mobileagent.virtual.apk.signature import certificate

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
