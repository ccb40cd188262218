"""Published scores, read from a TOML file, and a run beside each.

The latter has the difference, its interval, and the settings that differ. A file:

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
from collections import defaultdict
from dataclasses import MISSING, asdict, dataclass, fields
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any, get_type_hints

from pytest_mobileagent.episode import Termination
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_text
from pytest_mobileagent.jsonable import expect, plural, printable, to_wire, why_unreadable
from pytest_mobileagent.report.export.tables import Cell, Column, Table
from pytest_mobileagent.report.metrics.doubtful import unclear_as_failed
from pytest_mobileagent.report.metrics.epochs import epochs_of
from pytest_mobileagent.report.names import agent_name, models_of
from pytest_mobileagent.report.published_settings import (
    Difference,
    in_words,
    preset_of,
    unlike_preset,
)
from pytest_mobileagent.statistics import Z, mean, proportion, standard_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun
    from pytest_mobileagent.statistics import Estimate

    Beside = Mapping[str, Any]  # see `published_beside`

_REPORTED = {Termination.SELF_REPORTED, Termination.GAVE_UP}


def published_beside(run: RecordedRun, path: Path) -> list[dict[str, Any]]:
    """Return the published scores of a run's agent in a file, each with the run beside it.

    The fields of each are those of `PublishedScore`, with all scores as shares, and

    - `own`: the run's success rate over these tasks, each with the mean of its epochs, with its
      `own_error` (over tasks) and `own_interval`; `decided`: the number of its tasks; `epochs`.
    - `difference`: own - published; `interval`: its interval at 95 %; `by_chance`: whether chance
      explains the difference, None if that cannot be told.
    - `differs_in`: the settings that differ (see `Difference`).

    Raises:
        RecordError: if the file is wrong, or has no score of this agent and of tasks in this run.
    """
    agent = agent_name(str(run.about.get("agent") or ""))
    scores = scores_of(agent, read_scores(path), path)
    found = [beside(run, score) for score in scores if any(map(score.covers, run.tasks))]
    if not found:
        theirs = ", ".join(dict.fromkeys(score.suite for score in scores))
        own = ", ".join(dict.fromkeys(task.suite or "(no suite)" for task in run.tasks)) or "none"
        msg = f"{run.folder} has no task of {path}: its scores of {agent} are of {theirs}"
        raise RecordError(f"{msg}; the run has {own}")
    return found


def beside(run: RecordedRun, score: PublishedScore) -> dict[str, Any]:
    """Return a run beside a score of its agent (see `published_beside`)."""
    covered = [task for task in unclear_as_failed(run.tasks) if score.covers(task)]
    tasks = _trials(covered, score)
    rates = [fmean(trials) for trials in tasks]
    # Student's t over tasks, or Wilson's interval if all have the same rate.
    own = proportion(math.fsum(rates), len(rates)) if len(set(rates)) == 1 else mean(rates)
    theirs, error = score.score / 100, score.standard_error
    interval = _interval_of(own, theirs, _error_of(score, tasks))
    found = {
        **asdict(score),
        "score": theirs,
        "standard_error": None if error is None else error / 100,
        "own": own.value,
        "own_error": standard_error(rates),
        "own_interval": None if own.low is None else [own.low, own.high],
        "decided": len(tasks),
        "epochs": epochs_of(covered),
        "difference": None if own.value is None else own.value - theirs,
        "interval": interval,
        "by_chance": None if interval is None else interval[0] <= 0 <= interval[1],
        "differs_in": _differences(run, score, len(tasks)),
    }
    return dict(to_wire(found))


def _trials(covered: Iterable[Entry], score: PublishedScore) -> list[list[bool]]:
    """Return the outcomes of each task that has any, whatever its environments."""
    trials: dict[str, list[bool]] = defaultdict(list)
    for task in covered:
        if task.success is not None:
            counts = not score.only_reported or task.termination in _REPORTED
            trials[task.id].append(task.success and counts)
    return list(trials.values())


def _error_of(score: PublishedScore, tasks: Sequence[Sequence[bool]]) -> float:
    """Return the standard error of a published score on its own tasks.

    If it is not published, it is estimated from how the run's tasks vary between their epochs; with
    one epoch this is not known, and the published score is taken as exact.
    """
    if score.standard_error is not None:
        return score.standard_error / 100
    within = [variance(map(float, trials)) for trials in tasks if len(trials) > 1]
    if not within:
        return 0.0
    return math.sqrt(fmean(within) / len(tasks) / (score.runs or 1))


def _interval_of(own: Estimate, theirs: float, error: float) -> list[float] | None:
    """Return the difference's interval: Newcombe's method 10 (Statistics in Medicine 17, 1998)."""
    if own.value is None or own.low is None or own.high is None:
        return None
    difference, half = own.value - theirs, Z * error
    low = difference - math.hypot(own.value - own.low, half)
    return [max(-1.0, low), min(1.0, difference + math.hypot(own.high - own.value, half))]


def _differences(run: RecordedRun, score: PublishedScore, decided: int) -> list[Difference]:
    """Return what differs between the run and the published one, the tasks and the model first."""
    found = []
    if decided != score.tasks:
        found.append(Difference(name="tasks", own=decided, published=score.tasks, source=""))
    models = models_of(run.about)
    if score.model is None or {each.partition(":")[2] or each for each in models} != {score.model}:
        own = ", ".join(models) or None
        found.append(Difference(name="model", own=own, published=score.model, source=score.source))
    preset = preset_of(run.about)
    if preset is None or preset != score.preset:  # then nothing says which settings to compare
        own, theirs = preset or "none", score.preset
        return [*found, Difference(name="preset", own=own, published=theirs, source=score.source)]
    return [*found, *unlike_preset(run.folder, run.about, run.tasks)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedScore:
    """The score of an agent, in per cent of the tasks, and where it is published.

    - `suite`, `tasks`: whose tasks, and how many; `level`, `tag`, `app`, `language` select some.
    - `only_reported`: whether only reported successes count, as in AndroidWorld's own harness.
    - `preset`: with which the agent is run as its authors did; `model`: their model.
    - `runs`: the number of runs of which the score is the mean; `standard_error`: in points.
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
        RecordError: if it cannot be read, or a key or a value is wrong; the message says where.
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
        raise RecordError(f"{place} has no {' and no '.join(missing)}: {_meaning(missing[0])}")
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


_CHANCE = {
    True: "chance can explain the difference",
    False: "chance does not explain the difference: see what differs",
    None: "whether chance can explain the difference cannot be told: too few tasks are decided",
}


def as_lines(name: str, scores: Sequence[Beside]) -> list[str]:
    """Return the lines for a run and the published scores of its agent, for a terminal."""
    return [printable(line) for each in scores for line in _lines(name, each)]


def _lines(name: str, beside: Beside) -> Iterator[str]:
    error = "" if beside["own_error"] is None else f" ± {_points(beside['own_error'])}"
    many = f"{_of(beside)}, {plural(beside['epochs'], 'epoch')}"
    model = f" with {beside['model']}" if beside["model"] else ""
    parts = [
        f"{name}  {_points(beside['own'])}{error} ({many})",
        f"published {_points(beside['score'])}{model}",
        f"difference {_points(beside['difference'])}{_between(beside['interval'])}",
    ]
    if "verified" in beside:
        parts.append(f"verified: {beside['verified']}")
    if beside["differs_in"]:
        parts.append(f"differs in: {', '.join(in_words(beside['differs_in']))}")
    yield "   ".join(parts)
    yield f"  {_CHANCE[beside['by_chance']]}"
    yield from (f"  {note}" for note in _notes(beside))


def _notes(beside: Beside) -> Iterator[str]:
    yield f"published in: {beside['source']}"
    if beside["decided"] < beside["tasks"]:
        yield f"the run has decided {_of(beside)}; the others may be easier or harder"
    if beside["only_reported"]:
        yield "only successes that the agent reported count, as in the original harness"
    if beside["standard_error"] is None and beside["epochs"] == 1:
        yield "with one epoch, the published score is taken as exact: --mobile-epochs=3 tells more"


def as_table(names: Sequence[str], runs: Sequence[Sequence[Beside]]) -> Table:
    """Return a table with a row for each run and published score of its agent."""
    pairs = [(name, each) for name, own in zip(names, runs, strict=True) for each in own]
    rows = [_row(name, each) for name, each in pairs]
    if not any("verified" in each for _, each in pairs):
        for row in rows:
            del row["verified"]
    notes = tuple(f"{name}: {note}" for name, each in pairs for note in _notes(each))
    return Table(tuple(map(Column, rows[0])), tuple(tuple(row.values()) for row in rows), notes)


def _row(name: str, beside: Beside) -> dict[str, Cell]:
    """Return the cells of a row, by the titles of their columns."""
    chance = {True: "yes", False: "no", None: None}[beside["by_chance"]]
    return {
        "Agent": Cell(name),
        "own score": Cell(beside["own"], 1, percent=True, error=beside["own_error"]),
        "tasks": Cell(_of(beside).removesuffix(" tasks").removesuffix(" task")),
        "epochs": Cell(beside["epochs"], 0),
        "published": Cell(beside["score"], 1, percent=True),
        "with": Cell(beside["model"]),
        "difference": Cell(_points(beside["difference"])),
        "95 %": Cell(_between(beside["interval"]).strip(" ()") or None),
        "explained by chance": Cell(chance),
        "differs in": Cell(", ".join(in_words(beside["differs_in"])) or "nothing"),
        "verified": Cell(beside.get("verified", "not a bundle")),
    }


def _of(beside: Beside) -> str:
    """Return how many of the published score's tasks are decided: "24 of 116 tasks"."""
    whole = plural(beside["tasks"], "task")
    return whole if beside["decided"] == beside["tasks"] else f"{beside['decided']} of {whole}"


def _between(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f" ({' to '.join(map(_points, interval))})"


def _points(share: float | None) -> str:
    """Return a share, or a difference of shares, in points."""
    return "n/a" if share is None else f"{100 * share + 0.0:.1f}".replace("-0.0", "0.0")
