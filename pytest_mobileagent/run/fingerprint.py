"""What makes runs comparable: a hash of each part, by which a difference is named."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_mobileagent.task.case import Case

_LARGEST_SOURCE = 1_000_000  # bytes
PARTS = (
    "tasks", "checks", "apps", "agent", "models", "prompts", "device", "environments", "seeds",
    "limits", "plugin",
)  # fmt: skip


def fingerprints(parts: Mapping[str, Any]) -> dict[str, str | None]:
    """Return a hash of each of `PARTS`; None for those that the run does not have."""
    given = {name: parts.get(name) for name in PARTS}
    return {name: None if part is None else digest(part) for name, part in given.items()}


def tasks_of(cases: Iterable[Case]) -> list[Any]:
    """Return what identifies the cases of a run: ids, goals and all else that is recorded."""
    left_out = {"nodeid", "extra"}
    each = [
        {name: value for name, value in case.to_json().items() if name not in left_out}
        for case in cases
    ]
    return sorted(each, key=lambda case: str(case["key"]))


def content_of(folders: Iterable[Path]) -> list[Any]:
    """Return what identifies the files below folders: their relative paths and their contents."""
    found: list[Any] = []
    for folder in folders:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        own = (path for path in paths if "__pycache__" not in path.parts)
        found += ([path.relative_to(folder).as_posix(), _hash(path)] for path in own)
    return found


def sources_of(folder: Path) -> list[Any]:
    """Return what identifies a program's own files.

    Very large files, hidden folders and those of installed packages are left out.
    """
    found: list[Any] = []
    for where, folders, names in os.walk(folder):
        here = Path(where)
        folders[:] = sorted(name for name in folders if _is_own(here / name))
        paths = (here / name for name in sorted(names))
        own = (p for p in paths if p.is_file() and p.stat().st_size <= _LARGEST_SOURCE)
        found += ([path.relative_to(folder).as_posix(), _hash(path)] for path in own)
    return found


def _is_own(folder: Path) -> bool:
    others = {"node_modules", "__pycache__", "runs"}
    hidden = folder.name.startswith(".") or folder.name in others
    return not hidden and not (folder / "pyvenv.cfg").exists()


def _hash(path: Path) -> str | None:
    """Return a hash of a file's content; None if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
