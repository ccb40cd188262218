"""Where drafts are written: a file for a person to edit, and beside it what the model wrote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.draft.edits import draft_of
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def places(output: Path | None, tasks: Sequence[str]) -> list[Path | None]:
    """Return the file for the draft of each task: `output` for a single one, or else inside of it.

    Raises:
        ValueError: a file is there already, or would have to hold several drafts.
    """
    if output is None:
        return [None for _ in tasks]
    if output.suffix == ".py":
        if len(tasks) > 1:
            msg = f"{output} is one file, and there are {len(tasks)} tasks: name a folder"
            raise ValueError(msg)
        found = [output]
    else:
        found = [output / f"test_{_word(task)}.py" for task in tasks]
    for path in found:
        if path.exists() or draft_of(path).exists():
            msg = f"{path} is there already, or its draft is, and no draft overwrites anything"
            raise ValueError(msg)
        if found.count(path) > 1:
            msg = f"{path} would hold the drafts of two tasks: draft them one by one"
            raise ValueError(msg)
    return [*found]


def write(path: Path, text: str) -> None:
    """Write a draft into a new file, and beside it as what it is to be compared with.

    Raises:
        HostError: that cannot be done.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for each in (draft_of(path), path):
            with each.open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        msg = f"cannot write {path}: {error.strerror}"
        raise HostError(msg) from error


def comment(lines: Iterable[str]) -> str:
    """Return lines as comments of Python, whatever stands in them."""
    return "".join(f"# {' '.join(printable(line).splitlines())}".rstrip() + "\n" for line in lines)


def _word(task: str) -> str:
    """Return the last part of a task's id as a word of a file's name."""
    return re.sub(r"\W+", "_", task.rpartition("/")[2]).strip("_").lower()[:60] or "task"
