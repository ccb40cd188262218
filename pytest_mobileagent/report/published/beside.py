"""A run beside a published score: the difference, its interval, and the settings that differ."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import asdict
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import to_wire
from pytest_mobileagent.report.metrics.doubtful import unclear_as_failed
from pytest_mobileagent.report.metrics.epochs import epochs_of
from pytest_mobileagent.report.names import agent_name, models_of
from pytest_mobileagent.report.published.scores import read_scores, scores_of
from pytest_mobileagent.report.published.settings import Difference, preset_of, unlike_preset
from pytest_mobileagent.statistics import Z, mean, proportion, standard_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.published.scores import PublishedScore
    from pytest_mobileagent.report.recorded_run import RecordedRun
    from pytest_mobileagent.statistics import Estimate


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
    own, theirs = _estimate(rates), score.score / 100
    interval = _interval(own, theirs, _error_of(score, tasks))
    differs = _differences(run, score, len(tasks))
    return dict(
        to_wire(
            {
                **asdict(score),
                "score": theirs,
                "standard_error": _share(score.standard_error),
                "own": own.value,
                "own_error": standard_error(rates),
                "own_interval": None if own.low is None else [own.low, own.high],
                "decided": len(tasks),
                "epochs": epochs_of(covered),
                "difference": None if own.value is None else own.value - theirs,
                "interval": interval,
                "by_chance": None if interval is None else interval[0] <= 0 <= interval[1],
                "differs_in": differs,
            }
        )
    )


def _trials(covered: Iterable[Entry], score: PublishedScore) -> list[list[bool]]:
    """Return the outcomes of each task that has any, whatever its environments."""
    trials: dict[str, list[bool]] = defaultdict(list)
    for task in covered:
        if task.success is not None:
            counts = not score.only_reported or task.termination in _REPORTED
            trials[task.id].append(task.success and counts)
    return list(trials.values())


def _estimate(rates: Sequence[float]) -> Estimate:
    """Return the mean over tasks: Student's t interval, or Wilson's if all have the same rate."""
    same = len(set(rates)) == 1
    return proportion(math.fsum(rates), len(rates)) if same else mean(rates)


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


def _interval(own: Estimate, theirs: float, error: float) -> list[float] | None:
    """Return the interval of the difference, by adding the squares of both half-widths.

    This is Newcombe's method 10 (Statistics in Medicine 17, 1998), for two independent estimates.
    """
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


def _share(points: float | None) -> float | None:
    return None if points is None else points / 100
