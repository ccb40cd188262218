"""Labelled episodes: somebody has decided whether each was done.

A run that people have reviewed is one source of them.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.verdict import by_people, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.verdict import Verdict


class LabelsError(ValueError):
    """Labels cannot be read; the text says where, and what is wrong."""


@dataclass(frozen=True, slots=True)
class Label:
    """Whether an episode was done, as people say.

    - `name`: its name in lists. `load` reads the episode, which may be large; it raises
      RecordError.
    - `question`: what judges are asked about it. `language`: overrides the episode's language of
      the task; empty to keep that.
    - `note`: a remark of the person who labelled it.
    """

    name: str
    done: bool
    load: Callable[[], EpisodeRecord]
    question: Question = field(default_factory=Question)
    language: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels, and remarks on how they were read, a line each."""

    each: tuple[Label, ...]
    remarks: tuple[str, ...] = ()


_RUN = "run.json"


def labels_of_run(path: Path) -> Labels:
    """Return people's verdicts on the episodes of a run, or of the newest run in a folder of runs.

    The last verdict of a person that was not taken back counts. Judges are asked again as in the
    run, if one of their verdicts says how that was (`evidence["question"]`).

    Raises:
        LabelsError: no person has said anything.
        OSError: a folder cannot be read.
    """
    run = run_in(path) or path
    episodes = [each for each in _episodes(run) if (each / STREAM).is_file()]
    found, undecided = [], 0
    for folder in episodes:
        said = verdicts(folder)
        last = next(reversed(by_people(said)), None)
        undecided += last is None
        if last is not None:
            name = folder.relative_to(run).as_posix()
            load = partial(read, folder, EpisodeRecord)
            found.append(Label(name, bool(last.passed), load, _question(said), note=last.reason))
    if not found:
        msg = f"no person has decided an episode of {run}: python -m pytest_mobileagent review"
        raise LabelsError(msg)
    left = f"{undecided} of {len(episodes)} episodes have no verdict of a person, and are left out"
    return Labels(tuple(found), (left,) if undecided else ())


def run_in(path: Path) -> Path | None:
    """Return a folder if it is a run's, else that of the newest run in it; None if there is none.

    Raises:
        OSError: it cannot be read.
    """
    if (path / _RUN).is_file() or (path / "episodes").is_dir():
        return path
    return max((each for each in path.iterdir() if (each / _RUN).is_file()), default=None)


def _episodes(run: Path) -> Sequence[Path]:
    folder = run / "episodes"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _question(said: Sequence[Verdict]) -> Question:
    """Return what judges were asked about an episode, as far as their last verdict tells."""
    for verdict in reversed(said):
        given = verdict.evidence.get("question")
        with contextlib.suppress(MobileAgentError, TypeError):  # of another version
            if isinstance(given, dict):
                return Question.from_json(given)
    return Question()
