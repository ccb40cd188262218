"""What people have said of a run's episodes, as labels."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.judge.calibration.label import Label, Labels, LabelsError
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.verdict.store import verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.verdict.verdict import Verdict

_RUN = "run.json"
_PERSON = "person"


def labels_of_run(path: Path) -> Labels:
    """Return people's verdicts on the episodes of a run, or of the newest run in a folder of runs.

    The last verdict of a person counts. How judges were asked in the run is how they are asked
    again, where a verdict of theirs tells (`evidence["question"]`).

    Raises:
        LabelsError: there is no run, or no person has said anything.
        OSError: a folder cannot be read.
    """
    run = _newest(path)
    episodes = [each for each in _episodes(run) if (each / STREAM).is_file()]
    found, undecided = [], 0
    for folder in episodes:
        said = verdicts(folder)
        people = [verdict for verdict in said if verdict.scorer == _PERSON]
        done = next((v.passed for v in reversed(people) if v.passed is not None), None)
        undecided += done is None
        if done is not None:
            name = folder.relative_to(run).as_posix()
            load = partial(read, folder, EpisodeRecord)
            found.append(Label(name, done, load, _question(said), note=people[-1].reason))
    if not found:
        msg = f"no person has decided an episode of {run}: python -m pytest_mobileagent review"
        raise LabelsError(msg)
    left = f"{undecided} of {len(episodes)} episodes have no verdict of a person, and are left out"
    return Labels(tuple(found), (left,) if undecided else ())


def _newest(path: Path) -> Path:
    if (path / _RUN).is_file() or (path / "episodes").is_dir():
        return path
    runs = sorted(each for each in path.iterdir() if (each / _RUN).is_file())
    if not runs:
        msg = f"{path} is no run's folder, and no folder of runs"
        raise LabelsError(msg)
    return runs[-1]


def _episodes(run: Path) -> Sequence[Path]:
    folder = run / "episodes"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _question(said: Sequence[Verdict]) -> Question:
    """Return how judges were asked of an episode, as far as their last verdict tells."""
    for verdict in reversed(said):
        given = verdict.evidence.get("question")
        with contextlib.suppress(MobileAgentError, TypeError):  # of another version
            if isinstance(given, dict):
                return Question.from_json(given)
    return Question()
