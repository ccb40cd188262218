"""What a run comes to: numbers over the results of its tasks."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# What the summary is divided by, and the field of a result that says so.
_GROUPS = {
    "suites": "suite",
    "environments": "environment",
    "apps": "app",
    "levels": "level",
    "kinds": "kind",
    "languages": "language",
    "tags": "tags",
}
_COUNTS = ("calls", "unpriced_calls", "retries")
_AMOUNTS = (
    "input_tokens", "output_tokens", "cached_tokens", "estimated_input_tokens",
    "estimated_output_tokens", "cost_usd",
)  # fmt: skip


def summarise(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the numbers of a run: over all tasks, and by suite, app, tag and the like.

    A task without a level, say, is in none of the levels; one with two tags is in both.
    """
    groups = {name: _by(field, results) for name, field in _GROUPS.items()}
    return {**totals(results), **groups}


def _by(field: str, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        value = result[field]
        for name in dict.fromkeys(value if isinstance(value, list) else [value]):
            if name is not None:
                groups.setdefault(str(name), []).append(result)
    return {name: totals(groups[name]) for name in sorted(groups)}


def totals(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the numbers over some results; a number over nothing is None, never 0.

    Counts of tasks:
    - `tasks` counts all, `decided` those with a verdict, `errors`, `skipped`, `review` (a person
      has to decide) and `not_run` (the run ended before they began) the others.
    - `premature`: failures that the agent reported as done. `overdue`: successes that ran into the
      step limit. An agent that gave up reported nothing as done.
    - `without_snapshot`: those whose device was not brought back to a snapshot.
    - `infrastructure` counts attempts that were lost because a device, a worker or the network
      broke, also those of tasks that another attempt decided.
    - `terminations`: how many episodes ended in which way.

    Rates and means:
    - `success_rate` = successes / decided; `success_rate_of_all` = successes / tasks.
    - `mean_step_ratio`: mean of steps / golden steps over successes, not clamped (SPA-Bench,
      arXiv 2410.15164, section 5.1).
    - `premature_rate` = premature / decided tasks that the agent reported as done; `overdue_rate` =
      overdue / decided tasks that ran into the step limit (SPA-Bench, section 5.1).
    - `false_finish_rate` = premature / failures, MobileAgentBench's early stops; and
      `over_execution_rate` = successes that went on after the goal was first met / successes, its
      late stops (MobileAgentBench, arXiv 2406.08184: FFR and OER). Successes of
      which nobody knows when the goal was first met are left out of the latter.
    - `partial_credit`: mean share of the sub-goals that held, by weight, over decided tasks that
      have some.
    - `mean_steps`, `mean_actions`, `mean_calls` (of models) over decided tasks.

    Seconds, all over decided tasks: `seconds` in all, `thinking_seconds` in the agent and
    `acting_seconds` on the device; `seconds_per_step` = all their seconds / all their steps.

    Tokens and money are over all tasks, undecided ones included (see `_spent`); `roles` has the
    same for each role of a model. `estimated` counts the tasks with estimates in the place of what
    no provider told, `programs` those of programs from outside, `unmetered` those of them that
    acted without a call of a model that was seen: what they cost is not known.
    """
    decided = [result for result in results if result["success"] is not None]
    successes = [result for result in decided if result["success"]]
    reported = [result for result in decided if result["termination"] == "self-reported"]
    limited = [result for result in decided if result["termination"] == "step limit"]
    failures = [result for result in decided if not result["success"]]
    return {
        "tasks": len(results),
        "decided": len(decided),
        "successes": len(successes),
        **_undecided(results),
        "success_rate": ratio(len(successes), len(decided)),
        "success_rate_of_all": ratio(len(successes), len(results)),
        "mean_step_ratio": _mean(decided, lambda result: result["step_ratio"]),
        "premature": sum(bool(result["premature"]) for result in decided),
        "premature_rate": _mean(reported, lambda result: result["premature"]),
        "false_finish_rate": _mean(failures, lambda result: result["premature"]),
        "overdue": sum(bool(result["overdue"]) for result in decided),
        "overdue_rate": _mean(limited, lambda result: result["overdue"]),
        "over_execution_rate": _mean(successes, _over_executed),
        "partial_credit": _mean(decided, lambda result: result["partial_credit"]),
        "terminations": _terminations(results),
        **_pace(decided),
        **_spent(results),
        "estimated": sum(bool(result["estimated"]) for result in results),
        "programs": sum(result["metered"] is not None for result in results),
        "unmetered": sum(result["metered"] is False for result in results),
        "roles": _roles(results),
    }


_UNDECIDED = {"errors": "error", "skipped": "skipped", "review": "review", "not_run": "not run"}


def _undecided(results: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {
        **{name: _outcomes(results, outcome) for name, outcome in _UNDECIDED.items()},
        "infrastructure": sum(len(result["infrastructure"]) for result in results),
        "without_snapshot": sum(without_snapshot(result) for result in results),
    }


def _pace(decided: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "mean_steps": _mean(decided, lambda result: result["steps"]),
        "mean_actions": _mean(decided, lambda result: result["actions"]),
        "mean_calls": _mean(decided, lambda result: result["calls"]),
        "seconds": _sum(decided, "seconds"),
        "seconds_per_step": ratio(_sum(decided, "seconds"), _sum(decided, "steps")),
        "thinking_seconds": _sum(decided, "thinking_seconds"),
        "acting_seconds": _sum(decided, "acting_seconds"),
    }


def without_snapshot(result: Mapping[str, Any]) -> bool:
    """Whether a task began on a device that was not brought back to a snapshot."""
    return result["reset"] is not None and result["reset"]["kind"] != "snapshot"


def ratio(over: float | None, under: float | None) -> float | None:
    """Return a quotient; None where there is none, or it is beyond what a float can hold."""
    try:
        return over / under if over is not None and under else None
    except OverflowError:
        return None


def _outcomes(results: Iterable[Mapping[str, Any]], outcome: str) -> int:
    return sum(result["outcome"] == outcome for result in results)


def _over_executed(result: Mapping[str, Any]) -> bool | None:
    first, steps = result["first_success_step"], result["steps"]
    return None if first is None or steps is None else steps > first


def _terminations(results: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    counts = Counter(result["termination"] for result in results if result["termination"])
    return dict(sorted(counts.items()))


def _roles(results: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    by_role: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        for role, spent in (result["roles"] or {}).items():
            by_role.setdefault(role, []).append(spent)
    return {role: _spent(by_role[role]) for role in sorted(by_role)}


def _spent(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return tokens and money: each the sum of what is known, and None if nothing is.

    `input_tokens` (`cached_tokens` of them cached), `output_tokens`, `cost_usd` in US dollars;
    `unpriced_calls` counts the calls of models whose price is not known, `calls` all, `retries`
    what had to be asked again. `estimated_input_tokens` and `estimated_output_tokens` are
    MobileAgentBench's estimate for all calls ("Metrics").
    """
    counts = {name: _sum(results, name) or 0 for name in _COUNTS}
    return counts | {name: _sum(results, name) for name in _AMOUNTS}


def _mean(
    results: Iterable[Mapping[str, Any]], value: Callable[[Mapping[str, Any]], float | None]
) -> float | None:
    values = [number for result in results if (number := value(result)) is not None]
    return ratio(_finite(values), len(values))


def _sum(results: Iterable[Mapping[str, Any]], field: str) -> float | None:
    return _finite([result[field] for result in results if result.get(field) is not None])


def _finite(values: Sequence[float]) -> float | None:
    """Return the sum; None if there is nothing to add, or it is beyond what a float can hold."""
    try:
        return sum(values) if values and math.isfinite(sum(values)) else None
    except OverflowError:
        return None
