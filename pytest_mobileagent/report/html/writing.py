"""report.html written: all of it or nothing, and no more of it anew than has changed."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.fileio import replacing
from pytest_mobileagent.report.html.blocks import Written, line, pack
from pytest_mobileagent.report.html.episode import episode_data
from pytest_mobileagent.report.html.index import VERSION, index_data
from pytest_mobileagent.report.html.page import shell
from pytest_mobileagent.report.html.places import attempts, signature
from pytest_mobileagent.report.text.words import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_ABANDONED = 600.0  # seconds; no page takes as long to write


def write_page(run: Path, whole: Mapping[str, Any], path: Path | None = None) -> None:
    """Write the page of a run, into its folder if no `path` is given.

    `whole` is the content of its report.json. Episodes that the page showed before, and that are as
    they were, are taken over from it.

    Raises:
        OSError: it cannot be written; a page that was there stays as it was.
    """
    page = path or run / PAGE
    index = ("index", pack(index_data(run, whole)))
    write(page, run.name, chain([index], episodes(run, whole, page.parent, Written.of(page))))


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
    """Remove what processes have left that were killed while they wrote the page."""
    for part in path.parent.glob(f".{path.name}.*"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _ABANDONED:
                part.unlink()


def episodes(
    run: Path, whole: Mapping[str, Any], page: Path, written: Written, mark: str = ""
) -> Iterator[tuple[str, bytes]]:
    """Yield name and block of each episode of a run; paths are relative to `page`, a folder.

    Those that `written` holds as they would be made again are taken from there. `mark` is put
    before all names (see `index_data`).
    """
    for task in whole["tasks"]:
        folders = attempts(run, task)
        broke = task.get("infrastructure") or ()
        for folder in folders:
            others = [_other(each, broke, mark) for each in folders if each != folder]
            name = f"e:{mark}{folder.name}"
            of = signature(folder, VERSION, name, others)
            yield name, written.get(name, of) or pack(_shown(folder, page, name[2:], others), of)


def _other(folder: Path, broke: Sequence[Any], mark: str) -> dict[str, Any]:
    number = folder.name.rpartition(".")[2]
    place = int(number) if number.isdecimal() and len(number) < 9 else len(broke)
    reason = str(broke[place]) if place < len(broke) else ""
    return {"e": mark + folder.name, "reason": reason}


def _shown(
    folder: Path, page: Path, name: str, others: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    about = {"e": name, "attempts": list(others)}
    try:
        return episode_data(folder, page) | about
    except Exception as error:  # noqa: BLE001 - one episode must not cost the page of all others
        return {**about, "damaged": f"it cannot be shown: {type(error).__name__}: {error}"}
