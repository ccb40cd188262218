"""An episode of which somebody has said whether it was done, and how judges are asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.judge.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.episode.record import EpisodeRecord


class LabelsError(ValueError):
    """Labels that cannot be read; the text says where, and what is wrong."""


@dataclass(frozen=True, slots=True)
class Label:
    """Whether an episode was done, as people say.

    - `name`: what it is called in lists. `load` reads the episode, which may be large; it raises
      RecordError.
    - `question`: how judges are asked of it. `language`: of the task, in the place of what the
      episode says; empty for that.
    - `note`: what whoever has labelled it remarks.
    """

    name: str
    done: bool
    load: Callable[[], EpisodeRecord]
    question: Question = field(default_factory=Question)
    language: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels, and what has to be said of how they were read, a line each."""

    each: tuple[Label, ...]
    remarks: tuple[str, ...] = ()
