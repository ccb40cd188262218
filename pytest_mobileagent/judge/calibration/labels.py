"""Labelled episodes, for each of which people have decided whether it was done.

Labels are read from a file with one label per line, from a run that people have reviewed, or from a
published data set, which is recognised by its content.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent._task.wording import literal
from pytest_mobileagent.episode import EpisodeRecord, Termination
from pytest_mobileagent.episode.observation import DeviceInfo
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import MobileAgentError, RecordError, TaskError
from pytest_mobileagent.jsonable import expect, why_unreadable
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.judge.subtasks import check_subtasks
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.verdict import by_people, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from pytest_mobileagent.verdict import Verdict


class LabelsError(ValueError):
    """Labels cannot be read; the message says where, and what is wrong."""


@dataclass(frozen=True, slots=True)
class Label:
    """People's decision on whether an episode was done.

    - `name`: the episode's name in lists. `load` reads the episode, or raises RecordError.
    - `question`: the question for judges. `language`: overrides the task's, unless it is empty.
    - `note`: a remark by the person who labelled it.
    """

    name: str
    done: bool
    load: Callable[[], EpisodeRecord]
    question: Question = field(default_factory=Question)
    language: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels, and one-line remarks on how they were read."""

    each: tuple[Label, ...]
    remarks: tuple[str, ...] = ()


_RUN = "run.json"


def labels_of_run(path: Path) -> Labels:
    """Return people's verdicts on the episodes of a run, or of the newest run in a folder of runs.

    The last verdict by a person that was not withdrawn counts. Judges get the same question as in
    the run if one of their verdicts has it (`evidence["question"]`).

    Raises:
        LabelsError: if there is no verdict by a person.
        OSError: if a folder cannot be read.
    """
    run = run_in(path) or path
    episodes = [each for each in _episodes(run) if (each / STREAM).is_file()]
    found, undecided = [], 0
    for folder in episodes:
        recorded = verdicts(folder)
        last = next(reversed(by_people(recorded)), None)
        undecided += last is None
        if last is not None:
            name = folder.relative_to(run).as_posix()
            load = partial(read, folder, EpisodeRecord)
            found.append(Label(name, bool(last.passed), load, _asked(recorded), note=last.reason))
    if not found:
        raise LabelsError(
            f"no person has decided an episode of {run}: run `python -m pytest_mobileagent review`"
        )
    left = f"{undecided} of {len(episodes)} episodes have no verdict by a person, and are left out"
    return Labels(tuple(found), (left,) if undecided else ())


def run_in(path: Path) -> Path | None:
    """Return the folder if it is a run's, or else the newest run in it; None if there is none.

    Raises:
        OSError: if the folder cannot be read.
    """
    if (path / _RUN).is_file() or (path / "episodes").is_dir():
        return path
    return max((each for each in path.iterdir() if (each / _RUN).is_file()), default=None)


def _episodes(run: Path) -> Sequence[Path]:
    folder = run / "episodes"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _asked(recorded: Sequence[Verdict]) -> Question:
    """Return the question of the last verdict that has one, or else the default question."""
    for verdict in reversed(recorded):
        given = verdict.evidence.get("question")
        with contextlib.suppress(MobileAgentError, TypeError):  # from another version
            if isinstance(given, dict):
                return Question.from_json(given)
    return Question()


_ABOUT = {"episode", "done", "note", "language"}


def read_labels(path: Path, *, suspects: bool = False) -> Labels:
    """Read labels from a file, or from people's verdicts on the episodes of a run.

    A file has a line of JSON for each label (docs/calibration.md), or is a published data set.
    Labels that a data set itself doubts are left out, unless `suspects` is set.

    Raises:
        LabelsError: if the labels cannot be read, or there are none.
    """
    try:
        file = _file_of(path)
        found = labels_of_run(path) if file is None else _of_file(file, suspects=suspects)
    except OSError as error:
        raise LabelsError(f"cannot read {path}: {error.strerror}") from None
    if not found.each:
        raise LabelsError(f"{path} has no labels")
    return found


def _file_of(path: Path) -> Path | None:
    """Return the file of labels, which may be in a data set's folder; None for a run or runs."""
    if not path.is_dir():
        return path
    if run_in(path) is not None:
        return None
    files = sorted([*path.glob("*.json"), *path.glob("*.jsonl")])
    if len(files) != 1:
        kinds = "neither a run's folder, nor a folder of runs, nor a data set in one JSON file"
        raise LabelsError(f"{path} is {kinds}: name the file with the labels")
    return files[0]


def _of_file(path: Path, *, suspects: bool) -> Labels:
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise LabelsError(f"{path} is not UTF-8 text") from None
    if text.lstrip().startswith("["):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError) as error:
            msg = f"{path} is neither JSON nor JSON lines: {why_unreadable(error)}"
            raise LabelsError(msg) from None
        if not _is_digirl(items):
            known = f"neither a known data set (available: {_DIGIRL}) nor a label in each line"
            raise LabelsError(f"{path} is {known}")
        return _of_digirl(items, path, suspects=suspects)
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
                why = f"this is not JSON: {why}"
            raise LabelsError(f"{path}, line {number}: {why}") from None


def _label(base: Path, line: Any) -> Label:
    """Return the label of a line, whose episode is relative to the file's folder.

    Raises:
        ValueError, TypeError, LookupError, TaskError: if the line is not a label.
    """
    given = expect(line, dict, "a label")
    name = expect(given["episode"], str, "episode")
    folder = base / name
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
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


_DIGIRL = "DigiRL"  # DigiRL-agent/digirl (Apache-2.0), digirl/environment/android/evaluate.py
_COLUMNS = ("task", "screenshot", "label")
_DONE = {"success": True, "failure": False}


def _is_digirl(items: list[Any]) -> bool:
    """Return whether each item has a task, a screenshot, and one of DigiRL's labels."""
    return bool(items) and all(
        isinstance(item, dict)
        and all(isinstance(item.get(name), str) for name in _COLUMNS)
        and item["label"] in _DONE
        for item in items
    )


def _of_digirl(items: list[Any], path: Path, *, suspects: bool) -> Labels:
    """Return a label for each item: an episode with a single screen and no steps."""
    accepted = [item for item in items if suspects or not item.get("suspect")]
    found = []
    for item in accepted:
        picture = path.parent / item["screenshot"]
        if picture.resolve().parent != path.resolve().parent or not picture.is_file():
            raise LabelsError(f"{path}: there is no screenshot {item['screenshot']!r} beside it")
        found.append(
            Label(
                f"{picture.stem}: {item['task']}",
                _DONE[item["label"]],
                partial(_on_screen, item["task"], picture),
                Question(actions="none"),
                note=str(item.get("rationale", "")),
            )
        )
    left = len(items) - len(accepted)
    doubted = f"{left} of {len(items)} labels are left out, as the data set itself doubts them"
    return Labels(tuple(found), (f"{doubted} (--suspects includes them)",) if left else ())


def _on_screen(task: str, picture: Path) -> EpisodeRecord:
    try:
        screen = Screen("", picture.read_bytes(), where=str(picture))
    except OSError as error:
        raise RecordError(f"cannot read {picture}: {error.strerror}") from error
    case = Case(Task(literal(task), source=_DIGIRL), picture.stem)
    device = DeviceInfo("", "", "", 0, screen.size, 0)
    return EpisodeRecord(case, task, "", device, screen, termination=Termination.SELF_REPORTED)
