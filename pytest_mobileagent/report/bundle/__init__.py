"""Reads bundles, which may come from a stranger: nothing in them is executed or trusted.

A bundle is a zip file with a `bundle.json` and a folder for each run. It is unpacked into a private
folder, which is deleted when the process ends. Links, names that lead elsewhere, two entries of one
name, and more or larger entries than any run has are refused before anything is written.
"""

from __future__ import annotations

import atexit
import errno
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import MOST_BYTES, opened, read_json
from pytest_mobileagent.jsonable import check

if TYPE_CHECKING:
    from typing import IO

SUFFIX = ".mobilerun.zip"
ABOUT = "bundle.json"
SCHEMA_VERSION = 1
KIND: dict[str, Any] = {
    "schema_version": (int, float), "made": str, "version": str, "runs": [str], "screens": bool,
    "left_out": [str],
}  # fmt: skip
MOST_ENTRIES = 500_000
_MOST_DIRECTORY = 1 << 27  # bytes of the list of entries
_MOST_TOTAL = 1 << 36  # bytes of all entries, unpacked
_MOST_RATIO = 200  # of unpacked to packed bytes; the records of runs reach 30
_SMALL = 1 << 20  # bytes of an entry whose ratio does not matter
_DEEPEST = 8
_PART = re.compile(r"[\w.@+=,~ -]{1,255}")
_END, _LOCATOR = b"PK\x05\x06", b"PK\x06\x07"


@dataclass(frozen=True, slots=True)
class Bundle:
    """An unpacked bundle: its `bundle.json`, and the folders of its runs."""

    about: dict[str, Any]
    runs: tuple[Path, ...]


def is_bundle(path: Path) -> bool:
    """Return whether a path names a bundle."""
    return path.name.endswith(SUFFIX) and path.is_file()


def read_bundle(path: Path) -> Bundle:
    """Unpack a bundle into a private folder, once in a process, and return it.

    Raises:
        RecordError: if it is not a bundle, is damaged or hostile, or of a newer major version.
        OSError: if it cannot be read, or there is no space.
    """
    about = path.stat()
    return _unpacked(path.resolve(), about.st_ino, about.st_size, about.st_mtime_ns)


@lru_cache(32)
def _unpacked(path: Path, *_state: int) -> Bundle:
    target = Path(tempfile.mkdtemp(prefix="mobileagent-bundle-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    try:
        with opened(path, follows=True) as file:
            _check_directory(file)
            with zipfile.ZipFile(file) as archive:
                archive.extractall(target, _checked(archive.infolist()))
        about = check(read_json(target / ABOUT), KIND, ABOUT)
        runs = _runs(about, target)
    except RefusedError as error:
        raise RecordError(f"{path} {error}") from None
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
        *(LookupError, TypeError, ValueError, FileNotFoundError, struct.error),
    ) as error:
        msg = f"{path} is not a bundle, or is damaged: {type(error).__name__}: {error}"
        raise RecordError(msg) from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # a place before the file's start, as in a cut bundle
            raise RecordError(f"{path} is not a bundle, or is damaged: {error}") from error
        raise OSError(error.errno, f"{error.strerror}: unpacking {path} to {target}") from error
    return Bundle(about, runs)


def _runs(about: dict[str, Any], target: Path) -> tuple[Path, ...]:
    version = about["schema_version"]
    if not 1 <= version < SCHEMA_VERSION + 1:
        words = f"has schema version {version}; this version of pytest-mobileagent reads versions "
        raise RefusedError(f"{words}up to {SCHEMA_VERSION}: install a newer one")
    runs = tuple(target / name for name in about["runs"])
    if not runs or not all(_is_name(run.name) and run.parent == target for run in runs):
        raise RefusedError(f"names no runs of its own in {ABOUT}")
    if lost := next((run.name for run in runs if not run.is_dir()), None):
        raise RefusedError(f"lacks the run {lost!r}")
    if more := {path.name for path in target.iterdir()} - {ABOUT, *about["runs"]}:
        raise RefusedError(f"holds {min(more)!r}, which {ABOUT} does not name")
    return runs


class RefusedError(Exception):
    """Something that no bundle of ours contains."""


def _check_directory(file: IO[bytes]) -> None:
    """Refuse a list of entries that would need more memory than that of any run."""
    start = max(0, file.seek(0, 2) - (1 << 16) - 22 - 20)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0:
        raise RefusedError("is not a zip file")
    (length,) = struct.unpack_from("<L", tail, at + 12)
    if tail[max(0, at - 20) : at].startswith(_LOCATOR):  # the list of a very large zip file
        file.seek(max(0, start + at - 20 - 56 + 40))
        (length,) = struct.unpack("<Q", file.read(8))
    file.seek(0)
    if length > _MOST_DIRECTORY:
        raise RefusedError(f"lists more entries than the {MOST_ENTRIES} that are read")


def _checked(entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the entries that are files, after checking all; only what they declare is read."""
    if len(entries) > MOST_ENTRIES:
        raise RefusedError(f"lists more entries than the {MOST_ENTRIES} that are read")
    seen: set[str] = set()
    total = 0
    for entry in entries:
        name = entry.filename
        parts = name.removesuffix("/").split("/")
        if len(parts) > _DEEPEST or not all(map(_is_name, parts)):
            raise RefusedError(f"has an entry that leads elsewhere: {name!r}")
        if stat.S_IFMT(entry.external_attr >> 16) not in {0, stat.S_IFREG, stat.S_IFDIR}:
            raise RefusedError(f"has an entry that is a link or no file: {name!r}")
        if entry.flag_bits & 1:
            raise RefusedError(f"has an encrypted entry: {name!r}")
        if (folded := name.casefold()) in seen:
            raise RefusedError(f"has two entries of one name: {name!r}")
        seen.add(folded)
        total += entry.file_size
        is_bomb = entry.file_size > max(_SMALL, entry.compress_size * _MOST_RATIO)
        if is_bomb or entry.file_size > MOST_BYTES or total > _MOST_TOTAL:
            raise RefusedError(f"would unpack to more than a run holds, at {name!r}")
    return [entry for entry in entries if not entry.is_dir()]


def _is_name(part: str) -> bool:
    return _PART.fullmatch(part) is not None and not set(part) <= {"."}


def run_of(path: Path) -> Path:
    """Return the folder of a bundle's run.

    Raises:
        RecordError, OSError: as `read_bundle`, or if it holds several runs, such as shards.
    """
    runs = read_bundle(path).runs
    if len(runs) > 1:
        names = ", ".join(run.name for run in runs)
        raise RecordError(f"{path} holds several runs ({names}): merge it first (`merge`)")
    return runs[0]
