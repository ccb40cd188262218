"""The page of a run in one file: its screens are in it, smaller than they were, each once."""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import opened
from pytest_mobileagent.report.html.blocks import Written, pack, unpack
from pytest_mobileagent.report.html.index import index_data
from pytest_mobileagent.report.html.writing import episodes, write
from pytest_mobileagent.report.text.words import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

WIDTH = 360  # pixels of a packed picture
_QUALITY = 70
_LARGE, _TOO_LARGE = 50_000_000, 100_000_000  # bytes of a page
_BASE64 = 4 / 3


class TooLargeError(HostError):
    """A page would be larger than browsers and their servers take."""


def write_packed(run: Path, whole: Mapping[str, Any], path: Path) -> str:
    """Write the page of a run with all its pictures to a file, and return a warning if it is large.

    Raises:
        TooLargeError: it would be larger than 100 MB; the text says what to do instead.
        OSError: it cannot be written; a file that was there stays as it was.
    """
    names: dict[str, Path] = {}
    blocks = list(_noting(episodes(run, whole, run, Written.of(run / PAGE)), run, names))
    index = ("index", pack(index_data(run, whole)))
    size = sum(len(packed) for _, packed in blocks) * _BASE64
    write(path, run.name, chain([index], blocks, _within(_pictures(names), size, len(names))))
    size = path.stat().st_size
    if size < _LARGE:
        return ""
    return f"{path} has {size / 1e6:.0f} MB: browsers take a while to open it"


def _noting(
    blocks: Iterable[tuple[str, bytes]], run: Path, names: dict[str, Path]
) -> Iterator[tuple[str, bytes]]:
    """Pass blocks on, and add the pictures that they name to `names`."""
    whole = run.resolve()
    for name, packed in blocks:
        for relative in _named(unpack(packed)):
            picture = (run / relative).resolve()
            if picture.is_relative_to(whole):  # the run may be another person's
                names.setdefault(PurePosixPath(relative).stem, picture)
        yield name, packed


def _named(episode: Mapping[str, Any]) -> Iterator[str]:
    calls = list(episode.get("judging") or ())
    for frame in episode.get("frames") or ():
        yield from (frame[name] for name in ("png", "after") if frame.get(name))
        calls += frame["calls"]
    for call in calls:
        for message in call.get("prompt") or ():
            yield from message["pictures"]


def _pictures(names: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of pictures; one that cannot be read has none."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, packed in zip(names, pool.map(_small, names.values()), strict=True):
            if packed is not None:
                yield f"p:{name}", packed


def _small(path: Path) -> bytes | None:
    """Return a picture as WebP, no wider than `WIDTH`; None if it cannot be read."""
    from PIL import Image  # a heavy library is loaded by who needs it

    try:
        with opened(path) as file, Image.open(file) as image:
            small = image.convert("RGB")
            small.thumbnail((WIDTH, image.height), reducing_gap=2.0)
        packed = io.BytesIO()
        small.save(packed, "WEBP", quality=_QUALITY, method=2)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return packed.getvalue()


def _within(
    blocks: Iterable[tuple[str, bytes]], size: float, count: int
) -> Iterator[tuple[str, bytes]]:
    """Pass the blocks of `count` pictures on as long as a page of `size` bytes has room for them.

    Raises:
        TooLargeError: it has none for one.
    """
    for number, (name, packed) in enumerate(blocks):
        size += len(packed) * _BASE64
        if size > _TOO_LARGE:
            msg = (
                f"the page would be larger than {_TOO_LARGE / 1e6:.0f} MB, with {number} of "
                f"{count} pictures in it: leave out --pack, and put {PAGE} and the folder screens "
                "beside it into a zip file"
            )
            raise TooLargeError(msg)
        yield name, packed
