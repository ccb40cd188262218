"""Imports episodes of one run into another, with the screens that they need.

Screens, and pictures that models were given, never change, so they become hard links where the file
system supports them, and take no space. Other files of an episode may grow (by verdicts, for
example), so they are copied: the source run does not change.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.screens import CONTENT, FOLDER, SUFFIXES, ScreenStore
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import MOST_BYTES, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = re.compile(rb"\b" + CONTENT.pattern.encode() + rb"\b")


def import_episode(source: Path, run: Path, folder: Path) -> None:
    """Import the episode in the folder `source` into `run`, as a new `folder` of it.

    Links, and names in records, are followed only within their own run; missing files stay missing.
    If the import is interrupted, no `folder` is created.

    Raises:
        HostError: if the folder cannot be written, or exists already.
        RecordError: if there is no such episode.
    """
    if not source.is_dir():
        raise RecordError(f"there is no episode in {source}: it is not a folder")
    part = run / f".{folder.name[:80]}.{secrets.token_hex(4)}"
    try:
        part.mkdir(parents=True)
        _copy_files(source, part)
        _bring_screens(source, part, run)
        _link_screens(source, part, run / FOLDER, folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        part.rename(folder)
    except OSError as error:
        raise HostError(f"cannot import {source} as {folder}: {error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _copy_files(source: Path, target: Path) -> None:
    """Copy an episode's files, except its screens."""
    for root, folders, names in os.walk(source):
        where = Path(root)
        inside = target / where.relative_to(source)
        if where == source:
            folders[:] = [name for name in folders if name != FOLDER]
        inside.mkdir(exist_ok=True)
        for name in names:
            # A larger file is not a record, and may be a sparse file of terabytes.
            if _is_own(where / name, source) and (where / name).stat().st_size <= MOST_BYTES:
                copied = Path(shutil.copy2(where / name, inside / name))
                copied.chmod(copied.stat().st_mode | stat.S_IWUSR)  # verdicts will be appended here


def _bring_screens(source: Path, copied: Path, run: Path) -> None:
    """Copy the screens named in records into the run's store; version 1 stores them elsewhere.

    Links to the user's copy of a data set stay links, if they lead to what was recorded.
    """
    its_run = source.parent.parent
    stores = (ScreenStore.of_episode(source), ScreenStore(its_run / FOLDER))
    target = ScreenStore(run / FOLDER)
    target.folder.mkdir(parents=True, exist_ok=True)
    for name in _named(copied):
        for suffix in SUFFIXES:
            found = [store.path(name, suffix) for store in stores]
            for link in filter(Path.is_symlink, found):
                with contextlib.suppress(OSError, ValueError):
                    ScreenStore(link.parent).read(name, suffix)
                    target.path(name, suffix).symlink_to(link.resolve())
            if (path := next((p for p in found if _is_own(p, its_run)), None)) is not None:
                _bring(path.resolve(), target.path(name, suffix))


def _bring(path: Path, target: Path) -> None:
    """Link a file to another name, or copy it atomically."""
    if target.exists():
        return
    part = target.with_name(f".{target.stem}.{secrets.token_hex(4)}{target.suffix}")
    try:
        try:
            part.hardlink_to(path)
        except OSError:  # another disk, a file system without links, or another user's file
            shutil.copyfile(path, part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)  # a link cannot replace another link to the same file


def _named(episode: Path) -> Iterator[str]:
    found: set[bytes] = set()
    for path in episode.rglob("*.jsonl"):
        with opened(path) as lines:
            for line in lines:
                found.update(_NAMES.findall(line))
    return (name.decode() for name in sorted(found))


def _link_screens(source: Path, part: Path, screens: Path, folder: Path) -> None:
    """Recreate the links that help people find screens, if the disk supports links."""
    place = part / FOLDER
    place.mkdir(exist_ok=True)
    for path in sorted((source / FOLDER).glob("[0-9]*-*")):
        name = _content_name(path, source.parent.parent)
        if name is not None and (screens / name).is_file():
            target = os.path.relpath(screens / name, folder / FOLDER)
            with contextlib.suppress(OSError):
                (place / path.name).symlink_to(target)


def _content_name(path: Path, its_run: Path) -> str | None:
    """Return the store's name for the screen that a link leads to.

    Unpacked archives contain the screen itself instead of a link.
    """
    if not _is_own(path, its_run):
        return None
    if path.is_symlink():
        return path.resolve().name
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32] + path.suffix


def _is_own(path: Path, folder: Path) -> bool:
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())
