"""Makes the plain pictures of these tests quickly, which took most of their time."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image as pillow

if TYPE_CHECKING:
    from collections.abc import Iterator

    Image = pillow.Image

SAVE, RESIZE = pillow.Image.save, pillow.Image.resize


def colour_of(image: Image) -> Any:
    """Return the only colour of a plain picture without metadata; None for another picture."""
    is_simple = image.mode in {"L", "RGB"} and not image.info
    colours = image.getcolors(1) if is_simple else None
    return colours[0][1] if colours else None


@lru_cache
def encoded(mode: str, size: tuple[int, int], colour: Any, kind: str, options: Any) -> bytes:
    stream = io.BytesIO()
    SAVE(pillow.new(mode, size, colour), stream, kind, **dict(options))
    return stream.getvalue()


def save(image: Image, file: Any, kind: Any = None, **options: Any) -> None:
    if kind is None or (colour := colour_of(image)) is None or isinstance(file, str):
        SAVE(image, file, kind, **options)
    else:
        file.write(encoded(image.mode, image.size, colour, kind, tuple(options.items())))


def resize(image: Image, size: tuple[int, int], *given: Any, **options: Any) -> Image:
    if (colour := colour_of(image)) is None:
        return RESIZE(image, size, *given, **options)
    return pillow.new(image.mode, size, colour)


@pytest.fixture(scope="module", autouse=True)
def _quick_pictures() -> Iterator[None]:
    """Encode each plain picture once, and make a smaller one without scaling."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pillow.Image, "save", save)
        patch.setattr(pillow.Image, "resize", resize)
        yield
