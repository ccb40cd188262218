"""Files and folders as apps show them."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from pytest_mobileagent.virtual.kernel.files import SHARED

AUTHORITY: Final = "com.android.externalstorage.documents"


@dataclass(frozen=True)
class Document:
    """A file or a folder; `modified` is in seconds since the epoch."""

    path: str
    size: int
    modified: float
    is_folder: bool

    @property
    def name(self) -> str:
        """Its name in its folder."""
        return posixpath.basename(self.path)

    @property
    def folder(self) -> str:
        """The path of the folder that it is in."""
        return posixpath.dirname(self.path)

    @property
    def extension(self) -> str:
        """The end of a file's name, in small letters and without the dot."""
        return "" if self.is_folder else posixpath.splitext(self.path)[1][1:].lower()

    @property
    def uri(self) -> str:
        """The URI under which other apps receive it."""
        return document_uri(self.path)


def document_uri(path: str) -> str:
    """Return the URI of a path in the shared storage."""
    inside = path.removeprefix(SHARED).lstrip("/")
    return f"content://{AUTHORITY}/document/{quote(f'primary:{inside}', safe='')}"
