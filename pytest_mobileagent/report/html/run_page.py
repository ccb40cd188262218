"""report.html: written as a whole or not at all, alone or with its pictures.

Only what has changed is made anew: the blocks of other episodes are taken from the page before.
"""

from __future__ import annotations

import io
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.runs import INDEX
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import opened, replacing
from pytest_mobileagent.report.html.data_blocks import ExistingPage, line, pack, unpack
from pytest_mobileagent.report.html.episode import episode_data, words_of
from pytest_mobileagent.report.html.index import VERSION, attempts, index_data, signature
from pytest_mobileagent.report.html.page import shell
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.recorded_run import REPORT, document, recorded_run
from pytest_mobileagent.report.text.narration import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


_ABANDONED = 600.0  # seconds; no page takes that long to write


def write_page(run: Path, whole: Mapping[str, Any], path: Path | None = None) -> None:
    """Write the page of a run, into its folder if no `path` is given.

    `whole` is the content of its report.json. Episodes that the page showed before, and that are as
    they were, are taken over from it.

    Raises:
        OSError: it cannot be written; a page that was there stays as it was.
    """
    page = path or run / PAGE
    index = ("index", pack(index_data(run, whole)))
    write(page, run.name, chain([index], episodes(run, whole, page.parent, ExistingPage.of(page))))


def write(path: Path, title: str, blocks: Iterable[tuple[str, bytes]]) -> None:
    """Write a page of blocks, each with its name, to a file: all of it or nothing.

    Raises:
        OSError: it cannot be written; a file that was there stays as it was.
    """
    before, after = shell(title)
    _drop_parts(path)
    with replacing(path) as file:
        file.write(before + b"\n")  # a block begins its line
        file.writelines(line(name, packed) for name, packed in blocks)
        file.write(after)


def _drop_parts(path: Path) -> None:
    """Remove the remains of processes that were killed while they wrote the page."""
    for part in path.parent.glob(f".{path.name}.*"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _ABANDONED:
                part.unlink()


def episodes(
    run: Path, whole: Mapping[str, Any], page: Path, written: ExistingPage, mark: str = ""
) -> Iterator[tuple[str, bytes]]:
    """Yield name and block of each episode of a run, and of its words; `page` is a folder.

    Paths in blocks are relative to it.

    Those that `written` holds as they would be made again are taken from there. `mark` is put
    before all names (see `index_data`).
    """
    for task in whole["tasks"]:
        folders = attempts(run, task)
        broke = task["infrastructure"] or ()
        for folder in folders:
            others = [_other(each, broke, mark) for each in folders if each != folder]
            name = f"e:{mark}{folder.name}"
            of = signature(folder, VERSION, name, others)
            block = written.get(name, of) or pack(
                _episode_or_damage(folder, page, name[2:], others), of
            )
            yield name, block
            words = f"w:{name[2:]}"
            yield words, written.get(words, of) or pack(words_of(unpack(block)), of)


def _other(folder: Path, broke: Sequence[Any], mark: str) -> dict[str, Any]:
    number = folder.name.rpartition(".")[2]
    place = int(number) if number.isdecimal() and len(number) < 9 else len(broke)
    reason = str(broke[place]) if place < len(broke) else ""
    return {"e": mark + folder.name, "reason": reason}


def _episode_or_damage(
    folder: Path, page: Path, name: str, others: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    about = {"e": name, "attempts": list(others)}
    try:
        return episode_data(folder, page) | about
    except Exception as error:  # noqa: BLE001 - one episode must not cost the page of all others
        return {**about, "damaged": f"it cannot be shown: {type(error).__name__}: {error}"}


def page_of(run: Path, *, anew: bool = False) -> Path:
    """Return the page of a run, writing it first if it is missing or out of date.

    `anew`: write it in any case. Where its folder cannot be written to, it is written into a
    new folder for temporary files.

    Raises:
        OSError: it cannot be written anywhere, or the report cannot be read.
        RecordError: the run's report or its run.json is damaged, or of a newer version.
    """
    page = run / PAGE
    if not anew and _is_new(run, page):
        return page
    whole = report_of(run)
    try:
        write_page(run, whole)
    except PermissionError:
        page = temporary_page()
        write_page(run, whole, page)
    return page


def report_of(run: Path) -> dict[str, Any]:
    """Return the report of a run by the effective verdicts, even if it has not written one.

    Raises:
        OSError: it cannot be read.
        RecordError: it, or the run.json of a run without one, is damaged or of a newer version.
    """
    recorded = recorded_run(run)
    tasks = list(recorded.tasks)
    report = recorded.report
    if report is None:
        return document(recorded.about, {task["nodeid"]: task for task in tasks})
    return {**report, "summary": {**report["summary"], **summarise(tasks)}, "tasks": tasks}


def _is_new(run: Path, page: Path) -> bool:
    """Whether a run has ended, and its page was written after that."""
    try:
        written = page.stat().st_mtime_ns
        return max((run / name).stat().st_mtime_ns for name in (REPORT, INDEX)) <= written
    except OSError:
        return False


def temporary_page() -> Path:
    """Return a path for a page whose own folder cannot be written to."""
    return Path(tempfile.mkdtemp(prefix="mobileagent-report-"), PAGE)


WIDTH = 360  # pixels of a packed picture
_QUALITY = 70
_LARGE, _TOO_LARGE = 50_000_000, 100_000_000  # bytes of a page
_BASE64 = 4 / 3


class TooLargeError(HostError):
    """A page would be larger than browsers and servers accept."""


def write_packed(run: Path, whole: Mapping[str, Any], path: Path) -> str:
    """Write the page of a run with all its pictures to a file, and return a warning if it is large.

    Raises:
        TooLargeError: it would be larger than 100 MB; the text says what to do instead.
        OSError: it cannot be written; a file that was there stays as it was.
    """
    parts = [(run, episodes(run, whole, run, ExistingPage.of(run / PAGE)))]
    return packed(path, run.name, [("index", pack(index_data(run, whole)))], parts)


def packed(
    path: Path,
    title: str,
    before: Sequence[tuple[str, bytes]],
    parts: Iterable[tuple[Path, Iterable[tuple[str, bytes]]]],
) -> str:
    """Write a page with all the pictures that it names; return a warning if it is large.

    It has the blocks `before`, and for each of `parts` a run's folder with blocks whose pictures
    are named by paths relative to it.

    Raises:
        TooLargeError, OSError: as by `write_packed`.
    """
    names: dict[str, Path] = {}
    blocks = [block for run, given in parts for block in _collect_pictures(given, run, names)]
    size = sum(len(content) for _, content in blocks) * _BASE64
    write(path, title, chain(before, blocks, _within_limit(_pictures(names), size, len(names))))
    size = path.stat().st_size
    if size < _LARGE:
        return ""
    return f"{path} has {size / 1e6:.0f} MB: browsers take a while to open it"


def _collect_pictures(
    blocks: Iterable[tuple[str, bytes]], run: Path, names: dict[str, Path]
) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks unchanged, and add the pictures that they name to `names`."""
    whole = run.resolve()
    for name, packed in blocks:
        for relative in _picture_paths(unpack(packed)) if name.startswith("e:") else ():
            picture = (run / relative).resolve()
            if picture.is_relative_to(whole):  # the run may be another person's
                names.setdefault(PurePosixPath(relative).stem, picture)
        yield name, packed


def _picture_paths(episode: Mapping[str, Any]) -> Iterator[str]:
    calls = list(episode.get("judging") or ())
    for frame in episode.get("frames") or ():
        yield from (frame[name] for name in ("png", "after") if frame.get(name))
        calls += frame["calls"]
    for call in calls:
        for message in call.get("prompt") or ():
            yield from message["pictures"]


def _pictures(names: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of pictures, without those that cannot be read."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, packed in zip(names, pool.map(_thumbnail, names.values()), strict=True):
            if packed is not None:
                yield f"p:{name}", packed


def _thumbnail(path: Path) -> bytes | None:
    """Return a picture as WebP, no wider than `WIDTH`; None if it cannot be read."""
    from PIL import Image  # a heavy library, loaded only when needed

    packed = path.with_suffix(".webp")  # since the page's data were made
    try:
        with opened(path if path.exists() else packed) as file, Image.open(file) as image:
            small = image.convert("RGB")
            small.thumbnail((WIDTH, image.height), reducing_gap=2.0)
        encoded = io.BytesIO()
        small.save(encoded, "WEBP", quality=_QUALITY, method=2)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return encoded.getvalue()


def _within_limit(
    blocks: Iterable[tuple[str, bytes]], size: float, count: int
) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of `count` pictures as long as a page of `size` bytes has room for them.

    Raises:
        TooLargeError: the page has no room for one.
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
