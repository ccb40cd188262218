"""The screens of a run: each is stored once, named by its content, in files that may be packed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.episode import redaction
from pytest_mobileagent.fileio import MOST_BYTES, read_bytes, write_bytes, writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.screen import Screen

FOLDER = "screens"
CONTENT = re.compile("[0-9a-f]{32}")  # the name of a screen
# The suffixes of files as written and as packed (see `episode.packing`).
STORED_AS: Mapping[str, tuple[str, ...]] = {
    ".png": (".png", ".webp"),
    ".xml": (".xml", ".xml.gz"),
    ".jpg": (".jpg",),
}
SUFFIXES = tuple(suffix for suffixes in STORED_AS.values() for suffix in suffixes)


class ScreenStore:
    """A folder of screenshots (HASH.png or .webp) and view hierarchies (HASH.xml or .xml.gz).

    HASH is half the SHA-256 of the original content. So content that several steps, episodes or
    workers share is written once, and has the same name whether or not it is packed.

    A page of the user's own copy of a data set is not copied: its file is a link to the copy. What
    a link leads to is only used if it has the content of the name, so a run of unknown origin
    cannot reveal other files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_episode(cls, episode: Path) -> ScreenStore:
        """Return the store of an episode's run; in version 1 each episode has its own."""
        own = episode / FOLDER
        # The presence of links proves nothing: unpacked archives contain the screens themselves.
        has_own = any(CONTENT.fullmatch(path.stem) for path in own.glob("*.png"))
        return cls(own if has_own else episode.parent.parent / FOLDER)

    def path(self, name: str, suffix: str) -> Path:
        """Return the path to which a screenshot (".png") or hierarchy (".xml") is written.

        A packed one has another suffix (see `file`).
        """
        return self.folder / f"{name}{suffix}"

    def file(self, name: str, suffix: str) -> Path:
        """Return the current file of a screenshot or hierarchy; `path` if there is none."""
        places = [self.path(name, each) for each in STORED_AS[suffix]]
        return next((place for place in places if os.path.lexists(place)), places[0])

    def read(self, name: str, suffix: str) -> bytes:
        """Return a hierarchy, or a screenshot as encoded in its file.

        Raises:
            OSError: if the file cannot be read, or is not a regular file.
            ValueError: if the name is not that of a screen, or the file has another content.
        """
        for _ in range(2):  # it may be packed at this moment
            path = self._named(name, suffix)
            if path.is_symlink():
                return self._referred(path, name)
            with contextlib.suppress(FileNotFoundError):
                content = read_bytes(path)
                return content if path.suffix != ".gz" else _unpacked(content, path)
        return read_bytes(path)

    def _referred(self, link: Path, name: str) -> bytes:
        content = read_bytes(link, follows=True)
        if _name(content) != name:
            raise ValueError(f"{link} leads to {link.resolve()}, which is not what was recorded")
        return content

    def found(self, name: str, suffix: str) -> Path:
        """Return the file of a screenshot or hierarchy after checking that it exists.

        Raises:
            OSError, ValueError: as for `read`, although the content is not read yet.
        """
        path = self._named(name, suffix)
        if path.is_symlink():
            self._referred(path, name)
        elif not stat.S_ISREG(path.lstat().st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        return path

    def _named(self, name: str, suffix: str) -> Path:
        if "/" in name or "\0" in name:
            raise ValueError(f"{name!r} is not the name of a screen")
        return self.file(name, suffix)

    def add(self, screen: Screen) -> tuple[str, str]:
        """Store a screen if it is new, and return the names of its screenshot and its hierarchy.

        The first name is "" if no screenshot was taken.

        Raises:
            HostError: if the folder cannot be written.
        """
        xml, png = screen.xml.encode("utf-8", "replace"), screen.png
        if (rules := redaction.current()) is not None:
            xml, png = rules.screen(xml, png, screen.package, screen.extent)
        picture = self._add(png, ".png", screen.files[0]) if screen.extent is None else ""
        return picture, self._add(xml, ".xml", screen.files[1])

    def add_picture(self, content: bytes) -> str:
        """Store a picture that was sent to a model, if it is new, and return its file name.

        Raises:
            HostError: if the folder cannot be written.
        """
        suffix = ".png" if content.startswith(b"\x89PNG") else ".jpg"
        is_new = not self.file(_name(content), suffix).exists()
        if is_new and redaction.current() is not None:
            content = redaction.blackened(content)  # all of it, as it may show anything
        return self._add(content, suffix) + suffix

    def link(self, place: Path, png: str, xml: str) -> None:
        """Create links that help people find a screen; skipped on a disk without links."""
        for name, suffix in ((png, ".png"), (xml, ".xml")) if png else ((xml, ".xml"),):
            file = self.file(name, suffix)
            link = Path(f"{place}{file.name.removeprefix(name)}")
            with contextlib.suppress(OSError):
                link.unlink(missing_ok=True)  # of a screen that this one replaces
                link.symlink_to(os.path.relpath(file, place.parent))

    def _add(self, content: bytes, suffix: str, copy: str = "") -> str:
        name = _name(content)
        if self.file(name, suffix).exists():
            return name
        path = self.path(name, suffix)
        with writing(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (copy and _refer(path, copy, content)):
                write_bytes(path, content)
        return name


def _refer(path: Path, copy: str, content: bytes) -> bool:
    """Create a link to a file that has this content; return whether that was possible."""
    try:
        if read_bytes(Path(copy), follows=True) != content:
            return False  # such as a page that noise covers
        path.unlink(missing_ok=True)  # a link to a copy that has moved
        with contextlib.suppress(FileExistsError):  # another worker was faster
            path.symlink_to(copy)
    except OSError:
        return False
    return True


def _unpacked(content: bytes, path: Path) -> bytes:
    """Return the content of a gzip file.

    Raises:
        OSError: if the content exceeds the size limit of files.
        ValueError: if the file is damaged.
    """
    try:
        unpacking = zlib.decompressobj(wbits=31)
        text = unpacking.decompress(content, MOST_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if len(text) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it holds more than {MOST_BYTES >> 20} MB", str(path))
    if not unpacking.eof:
        raise ValueError(f"{path} is damaged: its end is missing")
    return text


def _name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
