"""What a run comes to: numbers over the results of its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.metrics.epochs import epochs_of, over_epochs, repeated
from pytest_mobileagent.report.metrics.numbers import field, mean_of, quotient_of, ratio, sum_of
from pytest_mobileagent.report.metrics.spending import spending
from pytest_mobileagent.report.metrics.stops import latched, terminations
from pytest_mobileagent.report.metrics.suspects import with_suspects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# What the summary is divided by, and the field of a result that says so.
GROUPS = {
    "suites": "suite",
    "environments": "environment",
    "apps": "app",
    "levels": "level",
    "kinds": "kind",
    "languages": "language",
    "tags": "tags",
}


def summarise(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the numbers of a run: over all tasks, and by suite, app, tag and the like.

    A task without a level, say, is in none of the levels; one with two tags is in both. `repeated`
    lists the tasks with several epochs (see `epochs.repeated`).
    """
    epochs = epochs_of(results)
    groups = {name: _by(field, results, epochs) for name, field in GROUPS.items()}
    return {**totals(results, epochs), **groups, "repeated": repeated(results)}


def _by(field: str, results: Sequence[Mapping[str, Any]], epochs: int) -> dict[str, Any]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        value = result[field]
        for name in dict.fromkeys(value if isinstance(value, list) else [value]):
            if name is not None:
                groups.setdefault(str(name), []).append(result)
    return {name: totals(groups[name], epochs) for name in sorted(groups)}


def totals(results: Sequence[Mapping[str, Any]], epochs: int | None = None) -> dict[str, Any]:
    """Return the numbers over some results; a number over nothing is None, never 0.

    `epochs` is how many the run has; None for as many as every task here has. What the fields are,
    and over what, docs/metrics.md tells; see also `terminations`, `latched`, `spending` and
    `over_epochs`, each of which gives some of them.

    Counts of tasks: `tasks` counts all, `decided` those with a verdict, `errors`, `skipped`,
    `review` (a person has to decide) and `not_run` (the run ended before they began) the others.
    `check_errors`: the errors of tasks that were played, and whose check then raised.
    `without_snapshot`: those whose device was not brought back to a snapshot. `infrastructure`
    counts attempts that were lost because a device, a worker or the network broke, also those of
    tasks that another attempt decided. `estimated` counts the tasks with estimates in the place of
    what no provider told, `programs` those of programs from outside, `unmetered` those of them that
    acted without a call of a model that was seen: what they cost is not known.

    Rates and means:
    - `success_rate` = successes / decided; `success_rate_of_all` = successes / tasks;
      `success_rate_with_suspects` takes the `suspects` for failures (see `suspects.marked`).
    - `mean_step_ratio`: mean of steps / golden steps over successes, not clamped (SPA-Bench,
      arXiv 2410.15164, section 5.1).
    - `partial_credit`: mean share of the sub-goals that held, by weight, over decided tasks that
      have some; `progress`: of those that held at some step.
    """
    decided = [result for result in results if result["success"] is not None]
    successes = sum(bool(result["success"]) for result in decided)
    return {
        "tasks": len(results),
        "decided": len(decided),
        "successes": successes,
        **_undecided(results),
        "success_rate": ratio(successes, len(decided)),
        "success_rate_of_all": ratio(successes, len(results)),
        **with_suspects(results),
        **over_epochs(results, epochs_of(results) if epochs is None else epochs),
        "mean_step_ratio": mean_of(decided, field("step_ratio")),
        **terminations(results, decided),
        **latched(decided),
        "partial_credit": mean_of(decided, field("partial_credit")),
        "progress": mean_of(decided, field("progress")),
        **_pace(decided),
        **_effects(decided),
        **spending(results, decided),
        "estimated": sum(bool(result["estimated"]) for result in results),
        "programs": sum(result["metered"] is not None for result in results),
        "unmetered": sum(result["metered"] is False for result in results),
    }


_UNDECIDED = {"errors": "error", "skipped": "skipped", "review": "review", "not_run": "not run"}


def _undecided(results: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {
        **{name: _outcomes(results, outcome) for name, outcome in _UNDECIDED.items()},
        "check_errors": sum(map(check_raised, results)),
        "infrastructure": sum(len(result["infrastructure"]) for result in results),
        "without_snapshot": sum(without_snapshot(result) for result in results),
    }


def _outcomes(results: Iterable[Mapping[str, Any]], outcome: str) -> int:
    return sum(result["outcome"] == outcome for result in results)


def check_raised(result: Mapping[str, Any]) -> bool:
    """Whether a task was played, and then its check raised, which decides nothing."""
    broke = (result["outcome"], result["fault"]) == ("error", "task")
    return broke and result["steps"] is not None


def without_snapshot(result: Mapping[str, Any]) -> bool:
    """Whether a task began on a device that was not brought back to a snapshot."""
    return result["reset"] is not None and result["reset"]["kind"] != "snapshot"


def _pace(decided: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return steps and seconds of decided tasks: the sums, and means by task, step and action.

    `latency` is MobileAgentBench's: seconds from one action to the next, those of the agent and
    those until the screen rests. What we do ourselves, such as reading probes and recording, is in
    `seconds`, and in none of the other seconds.
    """
    return {
        "mean_steps": mean_of(decided, field("steps")),
        "mean_actions": mean_of(decided, field("actions")),
        "mean_calls": mean_of(decided, field("calls")),
        "seconds": sum_of(decided, field("seconds")),
        "mean_seconds": mean_of(decided, field("seconds")),
        "seconds_per_step": quotient_of(decided, field("seconds"), field("steps")),
        "thinking_seconds": sum_of(decided, field("thinking_seconds")),
        "acting_seconds": sum_of(decided, field("acting_seconds")),
        "latency": quotient_of(decided, _busy_seconds, field("actions")),
    }


def _busy_seconds(result: Mapping[str, Any]) -> float | None:
    thinking, acting = result["thinking_seconds"], result["acting_seconds"]
    return None if thinking is None or acting is None else thinking + acting


def _effects(decided: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how many steps of decided tasks had no effect, repeated others, or were invalid.

    The rates are of all steps of the tasks of which it is known.
    """
    names = {
        "no_effect_steps": "no_effect_rate",
        "repeated_steps": "repeated_rate",
        "invalid_actions": "invalid_rate",
    }
    counts = {name: sum_of(decided, field(name)) for name in names}
    rates = {names[name]: quotient_of(decided, field(name), field("steps")) for name in names}
    return counts | rates
