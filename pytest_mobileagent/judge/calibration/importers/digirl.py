"""DigiRL's few-shot examples of its evaluator: a screenshot, a task, and whether it shows it done.

Source: DigiRL-agent/digirl (Apache-2.0), digirl/environment/android/evaluate.py: its labels.json
has `task`, `screenshot` (a file beside it), `label` ("success" or "failure") and `rationale`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.record import DeviceInfo, EpisodeRecord, Termination
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.judge.calibration.label import Label, Labels, LabelsError
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.screen.screen import Screen
from pytest_mobileagent.task.case import Case
from pytest_mobileagent.task.task import Task

if TYPE_CHECKING:
    from pathlib import Path

NAME = "DigiRL"
_COLUMNS = ("task", "screenshot", "label")
_DONE = {"success": True, "failure": False}


def fits(items: list[Any]) -> bool:
    """Return whether each item has a task, a screenshot, and one of DigiRL's labels."""
    return bool(items) and all(
        isinstance(item, dict)
        and all(isinstance(item.get(name), str) for name in _COLUMNS)
        and item["label"] in _DONE
        for item in items
    )


def labels(items: list[Any], path: Path, *, suspects: bool) -> Labels:
    """Return a label for each item: an episode of a single screen, on which nothing was done.

    Raises:
        LabelsError: a screenshot is missing beside the file.
    """
    kept = [item for item in items if suspects or not item.get("suspect")]
    found = []
    for item in kept:
        picture = path.parent / item["screenshot"]
        if picture.resolve().parent != path.resolve().parent or not picture.is_file():
            msg = f"{path}: there is no screenshot {item['screenshot']!r} beside it"
            raise LabelsError(msg)
        found.append(
            Label(
                f"{picture.stem}: {item['task']}",
                _DONE[item["label"]],
                partial(_episode, item["task"], picture),
                Question(actions="none"),
                note=str(item.get("rationale", "")),
            )
        )
    left = len(items) - len(kept)
    doubted = f"{left} of {len(items)} labels are left out, as the data set itself doubts them"
    return Labels(tuple(found), (f"{doubted} (--suspects asks of them too)",) if left else ())


def _episode(task: str, picture: Path) -> EpisodeRecord:
    try:
        screen = Screen("", picture.read_bytes(), where=str(picture))
    except OSError as error:
        msg = f"cannot read {picture}: {error.strerror}"
        raise RecordError(msg) from error
    escaped = task.replace("{", "{{").replace("}", "}}")  # a goal is a template
    case = Case(Task(escaped, source=NAME), picture.stem)
    device = DeviceInfo("", "", "", 0, screen.size, 0)
    return EpisodeRecord(case, task, "", device, screen, termination=Termination.SELF_REPORTED)
