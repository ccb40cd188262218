"""Metrics of repeated tasks: uncertainty over tasks and epochs, pass@k, pass^k, flakiness.

A task is identified by id and environment; epochs repeat it. Those with a verdict are its trials.
"""

from __future__ import annotations

import math
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.statistics import (
    Estimate,
    mean,
    pass_all,
    pass_at,
    proportion,
    ratio,
    standard_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.report.entry import Entry


STABLE_PASS, FLAKY, STABLE_FAIL = "stable pass", "flaky", "stable fail"
_MOST = 10  # pass@k is computed for each k up to this, and for the number of epochs


def epochs_of(results: Iterable[Entry]) -> int:
    """Return the smallest number of epochs of any task, decided or not; 0 without tasks."""
    return min((len(each) for each in by_task(results).values()), default=0)


def over_epochs(results: Sequence[Entry], epochs: int) -> dict[str, Any]:
    """Return the metrics over epochs, and those that treat tasks as samples (see docs/metrics.md).

    `epochs` is the number of epochs of the run (see `epochs_of`). A metric without samples is None.

    The `interval` of the success rate is Student's t at 95 % over tasks, each with the mean of its
    epochs, so more epochs of the same tasks do not make it narrower than the number of tasks
    allows. Without epochs, or if all tasks have the same rate, it is Wilson's interval with one
    trial for each task. Of the `epochs`, `standard_error_ddof_0` uses the population's deviation,
    which matches B-MoCA's table 2 (arXiv 2404.16660).
    """
    tasks = [trials for each in by_task(results).values() if (trials := _trials(each))]
    classes = [classify(trials) for trials in tasks]
    flips = [flip for trials in tasks if (flip := _flips(trials)) is not None]
    rates = [fmean(trials) for trials in tasks]
    return {
        "standard_error": standard_error(rates),
        "interval": _over_tasks(tasks),
        "epochs": _epochs(results, epochs),
        **_passes(tasks, epochs),
        "flip_rate": fmean(flips) if flips else None,
        "stable_passes": classes.count(STABLE_PASS),
        "flaky": classes.count(FLAKY),
        "stable_fails": classes.count(STABLE_FAIL),
    }


def repeated(results: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return an entry for each task with at least two epochs, the highest flip rate first.

    Its `interval` is Wilson's at 95 %; its `class` is None below two decided epochs.
    """
    entries = [_entry(each) for each in by_task(results).values() if len(each) > 1]
    return sorted(entries, key=lambda entry: (-(entry["flip_rate"] or 0), entry["id"]))


def classify(trials: Sequence[bool]) -> str | None:
    """Return the class of a task: stable pass, flaky or stable fail; None below two trials."""
    if len(trials) < 2:
        return None
    return STABLE_PASS if all(trials) else FLAKY if any(trials) else STABLE_FAIL


def _entry(epochs: Sequence[Entry]) -> dict[str, Any]:
    trials, first = _trials(epochs), epochs[0]
    rate = proportion(sum(trials), len(trials))
    return {
        "id": first.id,
        "environment": first.environment,
        "suite": first.suite,
        "epochs": len(epochs),
        "decided": len(trials),
        "successes": sum(trials),
        "success_rate": rate.value,
        "interval": _interval(rate),
        "flip_rate": _flips(trials),
        "class": classify(trials),
    }


def by_task(results: Iterable[Entry]) -> dict[tuple[Any, Any], list[Entry]]:
    """Return the epochs of each task, by its id and its environment."""
    tasks: dict[tuple[Any, Any], list[Entry]] = {}
    for result in results:
        tasks.setdefault((result.id, result.environment), []).append(result)
    return tasks


def _trials(epochs: Iterable[Entry]) -> list[bool]:
    return [bool(each.success) for each in epochs if each.success is not None]


def _over_tasks(tasks: Sequence[Sequence[bool]]) -> list[float] | None:
    rates = [fmean(trials) for trials in tasks]
    if len(set(rates)) > 1 and any(len(trials) > 1 for trials in tasks):
        return _interval(mean(rates))
    has_wilson = len(tasks) > 1 or sum(map(len, tasks)) == 1
    return _interval(proportion(math.fsum(rates), len(tasks))) if has_wilson else None


def rate_and_interval(
    results: Iterable[Entry], value: Callable[[Entry], bool | None]
) -> tuple[float | None, list[float] | None]:
    """Return the rate of the results whose value is true, and its interval (see `over_epochs`).

    The interval is that of the mean over tasks; both are None without known values.
    """
    tasks = [
        known
        for each in by_task(results).values()
        if (known := [found for found in map(value, each) if found is not None])
    ]
    trials = [trial for known in tasks for trial in known]
    return (fmean(trials), _over_tasks(tasks)) if trials else (None, None)


def _interval(estimate: Estimate) -> list[float] | None:
    """Return the interval of an estimate, limited to 0 and 1; None if it has none."""
    if estimate.low is None or estimate.high is None:
        return None
    return [max(0.0, estimate.low), min(1.0, estimate.high)]


def _epochs(results: Sequence[Entry], number: int) -> dict[str, Any]:
    by_epoch: dict[int, list[bool]] = {}
    for result in results:
        if result.success is not None:
            by_epoch.setdefault(result.epoch or 0, []).append(result.success)
    rates = {str(epoch): fmean(by_epoch[epoch]) for epoch in sorted(by_epoch)}
    means = list(rates.values())
    return {
        "number": number,
        "success_rates": rates,
        "standard_error": standard_error(means),
        "standard_error_ddof_0": pstdev(means) / math.sqrt(len(means)) if len(means) > 1 else None,
    }


def _passes(tasks: Sequence[Sequence[bool]], epochs: int) -> dict[str, Any]:
    each = sorted({*range(1, min(epochs, _MOST) + 1), epochs} - {0})
    return {
        "pass_at": {str(k): _mean_pass(pass_at, k, tasks) for k in each},
        "pass_all": {str(k): _mean_pass(pass_all, k, tasks) for k in each},
        "pass_tasks": {str(k): sum(len(trials) >= k for trials in tasks) for k in each},
    }


def _mean_pass(
    chance: Callable[[int, int, int], float | None], k: int, tasks: Sequence[Sequence[bool]]
) -> float | None:
    known = [chance(k, sum(trials), len(trials)) for trials in tasks]
    chances = [each for each in known if each is not None]
    return fmean(chances) if chances else None


def _flips(trials: Sequence[bool]) -> float | None:
    """Return the share of pairs of trials with different outcomes; None below two trials."""
    passed, count = sum(trials), len(trials)
    return ratio(passed * (count - passed), math.comb(count, 2))
