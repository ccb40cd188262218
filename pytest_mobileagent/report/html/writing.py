"""report.html written: all of it or nothing, and no more of it anew than has changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.html.blocks import Written, block
from pytest_mobileagent.report.html.episode import episode_data
from pytest_mobileagent.report.html.index import VERSION, index_data
from pytest_mobileagent.report.html.places import attempts, signature
from pytest_mobileagent.report.html.shell import shell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PAGE = "report.html"


def write_page(run: Path, whole: Mapping[str, Any]) -> None:
    """Write the page of a run into its folder; `whole` is the content of its report.json.

    Episodes that the page showed before, and that are as they were, are copied from it.

    Raises:
        OSError: it cannot be written; a page that was there stays as it was.
    """
    path = run / PAGE
    before, after = shell(str(whole["run"].get("id") or run.name))
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("wb") as file:
            file.write(before)
            file.write(block("index", index_data(run, whole)))
            file.writelines(episode_blocks(run, whole, run, Written.of(path)))
            file.write(after)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def episode_blocks(
    run: Path, whole: Mapping[str, Any], page: Path, written: Written, prefix: str = "e"
) -> Iterator[bytes]:
    """Yield the blocks of all episodes of a run; paths in them are relative to the folder `page`.

    Of those that `written` holds, as they would be made again, the lines are copied.
    """
    for task in whole["tasks"]:
        folders = attempts(run, task)
        broke = task.get("infrastructure") or ()
        for folder in folders:
            others = [_other(each, broke) for each in folders if each != folder]
            name = f"{prefix}:{folder.name}"
            of = signature(folder, VERSION, others)
            kept = written.get(name, of)
            yield kept or block(name, _shown(folder, page, others), of)


def _other(folder: Path, broke: Sequence[Any]) -> dict[str, Any]:
    number = folder.name.rpartition(".")[2]
    place = int(number) if number.isdecimal() and len(number) < 9 else len(broke)
    return {"e": folder.name, "reason": str(broke[place]) if place < len(broke) else ""}


def _shown(folder: Path, page: Path, others: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    try:
        return episode_data(folder, page, others)
    except Exception as error:  # noqa: BLE001 - one episode must not cost the page of all others
        why = f"it cannot be shown: {type(error).__name__}: {error}"
        return {"e": folder.name, "attempts": list(others), "damaged": why, "frames": []}
