"""The screens of a run: each is stored once, named by its content, as plain files."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.episode import redaction
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import read_bytes, write_bytes

if TYPE_CHECKING:
    from pytest_mobileagent.screen.screen import Screen

FOLDER = "screens"
CONTENT = re.compile("[0-9a-f]{32}")  # a screen's name
SUFFIXES = (".png", ".jpg", ".xml")


class ScreenStore:
    """A folder of screenshots (HASH.png) and view hierarchies (HASH.xml).

    HASH is half the SHA-256 of the content, so what several steps, episodes or workers see alike
    is written once.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_episode(cls, episode: Path) -> ScreenStore:
        """Return the store of an episode's run; records of version 1 have one in each episode."""
        shared = episode.parent.parent / FOLDER
        own = episode / FOLDER
        # Not by whether there are links: unpacked archives have the screens themselves there.
        has_own = any(CONTENT.fullmatch(path.stem) for path in own.glob("*.png"))
        return cls(own if has_own else shared)

    def path(self, name: str, suffix: str) -> Path:
        """Return the file of a screenshot (".png") or hierarchy (".xml") by its name."""
        return self.folder / f"{name}{suffix}"

    def read(self, name: str, suffix: str) -> bytes:
        """Return what the file of a screenshot or hierarchy holds.

        Raises:
            OSError: it cannot be read, or is a link or no regular file.
            ValueError: the name is not that of a screen.
        """
        return read_bytes(self._named(name, suffix))

    def found(self, name: str, suffix: str) -> Path:
        """Return the file of a screenshot or hierarchy after a look whether it is there.

        Raises:
            OSError, ValueError: as by `read`, but that it may still not be readable.
        """
        path = self._named(name, suffix)
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        return path

    def _named(self, name: str, suffix: str) -> Path:
        if "/" in name or "\0" in name:
            msg = f"{name!r} is no name of a screen"
            raise ValueError(msg)
        return self.path(name, suffix)

    def add(self, screen: Screen) -> tuple[str, str]:
        """Store a screen if it is new, and return the names of its screenshot and its hierarchy.

        Raises:
            HostError: the folder cannot be written to.
        """
        xml, png = screen.xml.encode("utf-8", "replace"), screen.png
        if (rules := redaction.current()) is not None:
            xml, png = rules.screen(xml, png, screen.package)
        return self._add(png, ".png"), self._add(xml, ".xml")

    def add_picture(self, content: bytes) -> str:
        """Store a picture that was sent to a model, if it is new, and return its file's name.

        Raises:
            HostError: the folder cannot be written to.
        """
        suffix = ".png" if content.startswith(b"\x89PNG") else ".jpg"
        if redaction.current() is not None and not self._has(content, suffix):
            content = redaction.blackened(content)  # nobody knows what is where on it
        return self._add(content, suffix) + suffix

    def link(self, place: Path, png: str, xml: str) -> None:
        """Make links that help a person find a screen; skipped on a disk without links."""
        for name, suffix in ((png, ".png"), (xml, ".xml")):
            target = os.path.relpath(self.path(name, suffix), place.parent)
            with contextlib.suppress(OSError):
                Path(f"{place}{suffix}").symlink_to(target)

    def _has(self, content: bytes, suffix: str) -> bool:
        return self.path(_name(content), suffix).exists()

    def _add(self, content: bytes, suffix: str) -> str:
        name = _name(content)
        path = self.path(name, suffix)
        if path.exists():
            return name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, content)
        except OSError as error:
            msg = f"cannot write {path}: {error}"
            raise HostError(msg) from error
        return name


def _name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
