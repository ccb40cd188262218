"""The summary of a run: metrics over the results of its tasks, with their time and cost."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.entry import Entry, Spent
from pytest_mobileagent.report.metrics.behaviour import (
    effects,
    latched,
    matched,
    measured,
    met_at_start,
    noise_totals,
    terminations,
)
from pytest_mobileagent.report.metrics.doubtful import with_doubtful
from pytest_mobileagent.report.metrics.epochs import (
    epochs_of,
    over_epochs,
    rate_and_interval,
    repeated,
)
from pytest_mobileagent.statistics import mean_of, quotient_of, ratio, sum_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Of = Callable[[Entry], Spent]  # what is counted of a task: the agent's spending, or a role's
    Value = Callable[[Entry], float | None]

# The groups in a summary, each with the field of a result that it groups by.
GROUPS = {
    "suites": "suite", "environments": "environment", "variants": "variant", "apps": "app",
    "levels": "level", "kinds": "kind", "languages": "language", "tags": "tags",
}  # fmt: skip


def summarise(results: Sequence[Entry]) -> dict[str, Any]:
    """Return the metrics of a run over all tasks, and by the fields in `GROUPS`.

    A task without a level, for example, is in no group of levels; one with two tags is in both.
    `repeated` lists the tasks with several epochs (see `epochs.repeated`).
    """
    epochs = epochs_of(results)
    known: dict[tuple[int, ...], dict[str, Any]] = {}  # many groups contain the same results

    def of(group: Sequence[Entry]) -> dict[str, Any]:
        which = tuple(map(id, group))
        if which not in known:
            known[which] = totals(group, epochs)
        return known[which]

    groups = {name: _by(field, results, of) for name, field in GROUPS.items()}
    return {**of(results), **groups, "repeated": repeated(results)}


def _by(field: str, results: Sequence[Entry], of: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[Entry]] = {}
    for result in results:
        value = getattr(result, field)
        for name in dict.fromkeys(value if isinstance(value, list) else [value]):
            if name is not None:
                groups.setdefault(str(name), []).append(result)
    return {name: of(groups[name]) for name in sorted(groups)}


def totals(results: Sequence[Entry], epochs: int | None = None) -> dict[str, Any]:
    """Return the metrics over some results; a metric without samples is None, never 0.

    `epochs` is the run's number of epochs, by default that of these results. docs/metrics.md
    defines all fields, with their sources. `mean_step_ratio`, of SPA-Bench (arXiv 2410.15164,
    section 5.1), is the mean of steps / golden steps over successes, not clamped.
    """
    decided = [result for result in results if result.success is not None]
    begun = [result for result in decided if not met_at_start(result)]
    successes = sum(bool(result.success) for result in decided)
    affected, interval = rate_and_interval(
        results, lambda each: None if each.side_effects is None else each.side_effects > 0
    )
    return {
        "tasks": len({result.id for result in results}),
        "episodes": len(results),
        "decided": len(decided),
        "successes": successes,
        **_undecided(results),
        "success_rate": ratio(successes, len(decided)),
        "success_rate_of_all": ratio(successes, len(results)),
        **with_doubtful(results),
        **over_epochs(results, epochs_of(results) if epochs is None else epochs),
        "mean_step_ratio": mean_of(begun, lambda each: each.step_ratio),
        "met_at_start": len(decided) - len(begun),
        **measured(decided),
        **terminations(results, decided),
        **latched(decided),
        "partial_credit": mean_of(decided, lambda each: each.partial_credit),
        "progress": mean_of(decided, lambda each: each.progress),
        **matched(results),
        **_pace(decided),
        **effects(decided),
        "crashes": sum_of(results, lambda each: each.crashes),
        **noise_totals(results),
        "side_effects": sum_of(results, lambda each: each.side_effects),
        "side_effect_rate": affected,
        "side_effect_interval": interval,
        **{name: sum_of(results, attrgetter(name)) for name in _ASKED},
        **spending(results, decided),
        "estimated": sum(bool(result.estimated) for result in results),
        "programs": sum(result.metered is not None for result in results),
        "unmetered": sum(result.metered is False for result in results),
        "sees": "/".join(sorted({result.sees for result in results if result.sees})) or None,
    }


_ASKED = ("questions", "answered", "useful", "needless")
_UNDECIDED = {"errors": "error", "skipped": "skipped", "review": "review", "not_run": "not run"}


def _undecided(results: Sequence[Entry]) -> dict[str, int]:
    """Return why tasks have no verdict, and attempts and resets that went wrong."""
    outcomes = Counter(result.outcome for result in results)
    return {
        **{name: outcomes[outcome] for name, outcome in _UNDECIDED.items()},
        "check_errors": sum(map(check_raised, results)),
        "infrastructure": sum(len(result.infrastructure) for result in results),
        "without_snapshot": sum(without_snapshot(result) is not None for result in results),
    }


def check_raised(result: Entry) -> bool:
    """Return whether a task was run, but its check raised an error, so it is undecided."""
    return (result.outcome, result.fault) == ("error", "task") and result.steps is not None


def without_snapshot(result: Entry) -> dict[str, Any] | None:
    """Return the reset of a task whose device was not restored from a snapshot; else None."""
    reset = result.reset
    return reset if reset is not None and reset["kind"] != "snapshot" else None


def _pace(decided: Sequence[Entry]) -> dict[str, Any]:
    """Return steps and seconds of decided tasks: sums, and means per task, step and action.

    `latency` is MobileAgentBench's: the seconds from one action to the next, spent by the agent and
    until the screen has settled. Only `seconds` includes our own work, such as reading probes.
    """
    return {
        "mean_steps": mean_of(decided, lambda each: each.steps),
        "mean_actions": mean_of(decided, lambda each: each.actions),
        "mean_calls": mean_of(decided, lambda each: each.calls),
        "seconds": sum_of(decided, lambda each: each.seconds),
        "mean_seconds": mean_of(decided, lambda each: each.seconds),
        "seconds_per_step": quotient_of(decided, attrgetter("seconds"), attrgetter("steps")),
        "thinking_seconds": sum_of(decided, lambda each: each.thinking_seconds),
        "acting_seconds": sum_of(decided, lambda each: each.acting_seconds),
        "latency": quotient_of(decided, _busy_seconds, lambda each: each.actions),
    }


def _busy_seconds(result: Entry) -> float | None:
    thinking, acting = result.thinking_seconds, result.acting_seconds
    return None if thinking is None or acting is None else thinking + acting


_COUNTS = ("calls", "unpriced_calls", "uncounted_calls", "retries")
_AMOUNTS = (
    "input_tokens", "output_tokens", "cached_tokens", "estimated_input_tokens",
    "estimated_output_tokens", "cost_usd",
)  # fmt: skip
_NOTHING = Spent(calls=0, unpriced_calls=0, uncounted_calls=0)


def spending(results: Sequence[Entry], decided: Sequence[Entry]) -> dict[str, Any]:
    """Return the tokens and the money spent on tasks, and by role; None without samples.

    Sums are over all tasks, including undecided ones, of the known amounts. Means are over the
    tasks whose number is known completely, which excludes tasks with an unpriced call; a task
    without any call cost nothing, except for a program whose calls were not observed. Means of
    decided tasks have the same name as those of all tasks that were run, without `_of_all`.
    Estimated tokens are those of MobileAgentBench (arXiv 2406.08184, "Metrics").
    """
    names = sorted({role for result in results for role in result.roles or ()})
    return {
        **_sums(results, _agents),
        **_means(results, decided, _agents),
        "tokens_per_action": quotient_of(decided, _tokens(decided, _agents), attrgetter("actions")),
        "mean_estimated_tokens": mean_of(decided, _tokens(decided, _agents, "estimated_")),
        "roles": {name: _role(name, results, decided) for name in names},
    }


def _agents(task: Entry) -> Spent:
    return task


def _role(name: str, results: Sequence[Entry], decided: Sequence[Entry]) -> dict[str, Any]:
    """Return sums and means of a role's models; a task that was played without them spent 0."""

    def of(task: Entry) -> Spent:
        return (task.roles or {}).get(name, _NOTHING)

    of_all = [task for task in results if task.roles is not None]
    of_decided = [task for task in decided if task.roles is not None]
    return {**_sums(of_all, of), **_means(of_all, of_decided, of)}


def _sums(results: Sequence[Entry], of: Of) -> dict[str, Any]:
    spent = list(map(of, results))
    counts = {name: sum_of(spent, attrgetter(name)) or 0 for name in _COUNTS}
    return counts | {name: sum_of(spent, attrgetter(name)) for name in _AMOUNTS}


def _means(results: Sequence[Entry], decided: Sequence[Entry], of: Of) -> dict[str, Any]:
    return {
        "mean_cost_usd": mean_of(decided, _cost(decided, of)),
        "mean_cost_usd_of_all": mean_of(results, _cost(results, of)),
        "cost_per_step": quotient_of(decided, _cost(decided, of), lambda each: each.steps),
        "mean_tokens": mean_of(decided, _tokens(decided, of)),
        "mean_tokens_of_all": mean_of(results, _tokens(results, of)),
    }


def _cost(group: Iterable[Entry], of: Of) -> Value:
    """Return a function that returns the cost of a task, or None if it is not fully known."""
    is_known = any(of(task).cost_usd is not None for task in group)

    def cost(task: Entry) -> float | None:
        spent = of(task)
        if not is_known or spent.unpriced_calls:
            return None
        return 0.0 if spent.cost_usd is None and _asked_nothing(spent) else spent.cost_usd

    return cost


def _tokens(group: Iterable[Entry], of: Of, kind: str = "") -> Value:
    """Return a function that returns the tokens of a task, or None if they are unknown."""
    both = attrgetter(f"{kind}input_tokens", f"{kind}output_tokens")
    is_known = any(both(of(task)) != (None, None) for task in group)

    def tokens(task: Entry) -> float | None:
        spent = of(task)
        into: int | None
        out: int | None
        into, out = both(spent)
        if into is not None and out is not None:
            return into + out
        return 0 if is_known and into is out and _asked_nothing(spent) else None

    return tokens


def _asked_nothing(spent: Spent) -> bool:
    return spent.calls == 0 and not (isinstance(spent, Entry) and spent.metered is False)
