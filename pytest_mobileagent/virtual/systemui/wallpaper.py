"""The wallpaper: a picture that was put into its place, else hills under an evening sky."""

from __future__ import annotations

import io
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image, UnidentifiedImageError

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem

PLACE: Final = "/data/system/users/0/wallpaper_orig"  # where Android keeps the one that was chosen
CROPPED: Final = "/data/system/users/0/wallpaper"  # what it cuts from that, and loads at boot
HILLS: Final = Path(__file__).with_name("hills.png")


def wallpaper(files: FileSystem) -> bytes:
    """Give it as an encoded picture; one that cannot be read is as good as none."""
    if files.is_file(PLACE) and readable(data := files.read(PLACE)):
        return data
    return hills()


def load(files: FileSystem) -> None:
    """Take up the one that is found at boot."""
    if files.is_file(CROPPED):
        files.rename(CROPPED, PLACE)  # so that one chosen later counts at the next boot


def stamp(files: FileSystem) -> int:
    """Give a number that changes when the wallpaper does."""
    return hash(files.stat(PLACE)) if files.is_file(PLACE) else 0


@lru_cache(1)
def readable(data: bytes) -> bool:
    """Tell whether bytes are a picture."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return False
    return True


@cache
def hills() -> bytes:
    """Give the one that a phone comes with."""
    return HILLS.read_bytes()
