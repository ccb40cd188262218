"""Published scores, read from a TOML file.

suite = "android_world"
tasks = 116
only_reported = true

[[score]]
agent = "m3a"
preset = "android-world"
model = "gpt-4-turbo-2024-04-09"
score = 25.4
source = "arXiv:2405.14573, Table 3"
"""

from __future__ import annotations

import difflib
import math
import tomllib
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_text
from pytest_mobileagent.jsonable import expect, plural, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedScore:
    """The score of an agent, in per cent of the tasks, and where it is published.

    - `suite`: whose tasks it is of; `tasks`: the number of these tasks. `level`, `tag`, `app` and
      `language` select some of the suite's tasks.
    - `only_reported`: whether a success counts only if the agent has reported the end itself, as in
      AndroidWorld's own harness.
    - `preset`: with which the agent is run as its authors did; `model`: their model.
    - `runs`: the number of runs of which the score is the mean; `standard_error` of the score, in
      points.
    """

    agent: str
    score: float
    source: str
    suite: str
    tasks: int
    model: str | None = None
    preset: str | None = None
    only_reported: bool = False
    level: int | None = None
    tag: str | None = None
    app: str | None = None
    language: str | None = None
    runs: int | None = None
    standard_error: float | None = None

    def covers(self, task: Entry) -> bool:
        """Return whether the score is of this task, among others."""
        return (
            task.suite == self.suite
            and self.level in {None, task.level}
            and self.app in {None, task.app}
            and self.language in {None, task.language}
            and (self.tag is None or self.tag in task.tags)
        )


_FIELDS = {each.name: each for each in fields(PublishedScore)}
_KINDS = get_type_hints(PublishedScore)
_OF_ONE = {"agent", "score", "source", "model", "preset", "runs", "standard_error"}
_OF_ALL = [name for name in _FIELDS if name not in _OF_ONE]  # may stand once, above all scores
_LIMITS = {
    "score": (0, 100),
    "standard_error": (0, 100),
    "tasks": (1, math.inf),
    "runs": (1, math.inf),
}


def read_scores(path: Path) -> list[PublishedScore]:
    """Return the scores in a file.

    Raises:
        RecordError: if the file cannot be read, or a key or a value in it is wrong; the message
            says where, and what to do.
    """
    try:
        content = tomllib.loads(read_text(path))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path} is not TOML: {why_unreadable(error)}") from error
    tables = content.pop("score", None)
    if not isinstance(tables, list) or not tables or not all(isinstance(t, dict) for t in tables):
        raise RecordError(f"{path} has no scores: give each a table [[score]]")
    shared = _checked(content, f"{path}", _OF_ALL)
    places = [f"{path}, score {number} ({t.get('agent')})" for number, t in enumerate(tables, 1)]
    return [
        _score({**shared, **_checked(table, place, list(_FIELDS))}, place)
        for table, place in zip(tables, places, strict=True)
    ]


def _score(given: Mapping[str, Any], place: str) -> PublishedScore:
    needed = [name for name, each in _FIELDS.items() if each.default is MISSING]
    if missing := [name for name in needed if name not in given]:
        msg = f"{place} has no {' and no '.join(missing)}: {_meaning(missing[0])}"
        raise RecordError(msg)
    return PublishedScore(**given)


def _checked(given: Mapping[str, Any], place: str, known: list[str]) -> dict[str, Any]:
    """Return the values of a table, if all keys are known and all values of the right kind."""
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            what = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            if name in _FIELDS:
                what = "it belongs to a table [[score]]"
            raise RecordError(f"{place}: unknown key {name!r}; {what}")
        try:
            expect(value, _KINDS[name], name)
        except TypeError as error:
            raise RecordError(f"{place}: {error}; {_meaning(name)}") from None
        if name in _LIMITS and not _LIMITS[name][0] <= value <= _LIMITS[name][1]:
            raise RecordError(f"{place}: {name} = {value}; {_meaning(name)}")
        if isinstance(value, str) and not value.strip():
            raise RecordError(f"{place}: {name} is empty; {_meaning(name)}")
    return dict(given)


_MEANINGS = {
    "agent": "the name of the agent, as --agent takes it",
    "score": "per cent of the tasks, from 0 to 100",
    "source": "where the score is published: a paper and its table, or a file and its version",
    "suite": "the suite whose tasks the score is of",
    "tasks": "the number of tasks that the score is of",
    "only_reported": "true or false",
    "runs": "the number of runs of which the score is the mean",
    "standard_error": "in points, from 0 to 100",
    "level": "a whole number",
}


def _meaning(name: str) -> str:
    return f"{name} is {_MEANINGS.get(name, 'a text')}"


def scores_of(agent: str, scores: list[PublishedScore], path: Path) -> list[PublishedScore]:
    """Return the scores of an agent.

    Raises:
        RecordError: if there are none; the message lists the agents that have some.
    """
    found = [score for score in scores if score.agent == agent]
    if not found:
        agents = list(dict.fromkeys(score.agent for score in scores))
        near = difflib.get_close_matches(agent, agents, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has those of {', '.join(agents)}"
        count = plural(len(scores), "score")
        raise RecordError(f"{path} has no score of the agent {agent!r} among its {count}; {hint}")
    return found
