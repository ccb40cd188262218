"""The wallpaper: the chosen picture, or by default hills under an evening sky."""

from __future__ import annotations

import io
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image, UnidentifiedImageError

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem

PLACE: Final = "/data/system/users/0/wallpaper_orig"  # where Android stores the chosen picture
CROPPED: Final = "/data/system/users/0/wallpaper"  # what Android crops it to, and loads at boot
HILLS: Final = Path(__file__).with_name("hills.png")


def wallpaper(files: FileSystem) -> bytes:
    """Return the wallpaper as an encoded picture; an unreadable file counts as missing."""
    if files.is_file(PLACE) and readable(data := files.read(PLACE)):
        return data
    return hills()


def load(files: FileSystem) -> None:
    """Load the wallpaper found at boot."""
    if files.is_file(CROPPED):
        files.rename(CROPPED, PLACE)  # so that one chosen later takes effect at the next boot


def stamp(files: FileSystem) -> int:
    """Return a number that changes when the wallpaper does."""
    return hash(files.stat(PLACE)) if files.is_file(PLACE) else 0


@lru_cache(1)
def readable(data: bytes) -> bool:
    """Return whether bytes are a readable picture."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return False
    return True


@cache
def hills() -> bytes:
    """Return the default wallpaper."""
    return HILLS.read_bytes()
