"""Labels, read from a file of lines, a run that people have reviewed, or a data set of others."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.judge.calibration.importers import importer_of
from pytest_mobileagent.judge.calibration.label import (
    Label,
    Labels,
    LabelsError,
    labels_of_run,
    run_in,
)
from pytest_mobileagent.judge.cross_app import check_subtasks
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.plain import expect, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ABOUT = {"episode", "done", "note", "language"}


def read_labels(path: Path, *, suspects: bool = False) -> Labels:
    """Read labels from a file, or from what people have said of a run's episodes.

    A file has a line of JSON for each label (docs/judges.md), or is one of the data sets that an
    importer knows. Labels that a data set itself doubts are left out, unless `suspects` are wanted.

    Raises:
        LabelsError: it cannot be read, or has no label.
    """
    try:
        file = _file_of(path)
        found = labels_of_run(path) if file is None else _of_file(file, suspects=suspects)
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise LabelsError(msg) from None
    if not found.each:
        msg = f"{path} has no labels"
        raise LabelsError(msg)
    return found


def _file_of(path: Path) -> Path | None:
    """Return the file of labels; None if the path is a folder of runs. A data set may be a folder.

    Raises:
        LabelsError: it is a folder with neither.
    """
    if not path.is_dir():
        return path
    if run_in(path) is not None:
        return None
    files = sorted([*path.glob("*.json"), *path.glob("*.jsonl")])
    if len(files) != 1:
        kinds = "no run's folder, no folder of runs, and no data set in one JSON file"
        msg = f"{path} is {kinds}: name the file of the labels"
        raise LabelsError(msg)
    return files[0]


def _of_file(path: Path, *, suspects: bool) -> Labels:
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        msg = f"{path} is no text"
        raise LabelsError(msg) from None
    if text.lstrip().startswith("["):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError) as error:
            msg = f"{path} is neither JSON nor lines of it: {why_unreadable(error)}"
            raise LabelsError(msg) from None
        return importer_of(items, path).labels(items, path, suspects=suspects)
    return Labels(tuple(_of_lines(path, text)))


def _of_lines(path: Path, text: str) -> Iterable[Label]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _label(path.parent, json.loads(line))
        except (ValueError, TypeError, LookupError, TaskError, RecursionError) as error:
            why = why_unreadable(error)
            if isinstance(error, KeyError):
                why = f"{error.args[0]} is missing"
            if isinstance(error, json.JSONDecodeError):
                why = f"this is no JSON: {why}"
            msg = f"{path}, line {number}: {why}"
            raise LabelsError(msg) from None


def _label(base: Path, line: Any) -> Label:
    """Return the label of a line; its episode is relative to the folder of the file.

    Raises:
        ValueError, TypeError, LookupError, TaskError: the line is not a label.
    """
    given = expect(line, dict, "a label")
    name = expect(given["episode"], str, "episode")
    folder = base / name
    if not folder.is_dir():
        msg = f"there is no folder {folder}"
        raise ValueError(msg)
    return Label(
        name,
        expect(given["done"], bool, "done"),
        partial(read, folder, EpisodeRecord),
        _question({key: value for key, value in given.items() if key not in _ABOUT}),
        expect(given.get("language", ""), str, "language"),
        expect(given.get("note", ""), str, "note"),
    )


def _question(given: dict[str, Any]) -> Question:
    question = Question.from_json(given)
    if question.subtasks:
        check_subtasks(question.subtasks)
    return question
