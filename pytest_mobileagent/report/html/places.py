"""Where the attempts at a task of a report are, and what they were made of."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.exchanges import STREAM as CALLS
from pytest_mobileagent.episode.runs import inside, slug
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.report.html.calls import JUDGES
from pytest_mobileagent.report.recorded import key_of
from pytest_mobileagent.verdict.store import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILES = (STREAM, CALLS, VERDICTS, JUDGES)


def attempts(run: Path, task: Mapping[str, Any]) -> list[Path]:
    """Return the folders of the attempts at a task of a report, the one that counts last.

    `run` is the run's folder. A task that did not begin has none.
    """
    own = inside(run, task.get("episode"))
    stem = (
        run / "episodes" / slug(key_of(task))
        if own is None
        else own.with_name(own.name.rpartition(".")[0] or "-")
    )
    found: list[Path] = []
    while (folder := stem.with_name(f"{stem.name}.{len(found)}")).is_dir():
        found.append(folder)
    others = [folder for folder in found if folder != own]
    return [*others, own] if own is not None and own.is_dir() else others


def signature(episode: Path, *more: object) -> str:
    """Return a word that changes with the files of an episode, and with whatever else is given."""
    digest = hashlib.sha256(repr(more).encode("utf-8", "replace"))
    for name in _FILES:
        try:
            status = (episode / name).stat()
        except OSError:
            digest.update(b"-")
        else:
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]
