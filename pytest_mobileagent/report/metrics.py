"""What a run comes to: numbers over the results of its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


def summarise(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the numbers of a run: over all tasks, and under "suites" and "environments" by each.

    Tasks that ran in no environment are in none; without `--mobile-env` there are none.
    """
    return {
        **totals(results),
        "suites": _by("suite", results),
        "environments": _by("environment", results),
    }


def _by(field: str, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    names = sorted({result[field] for result in results if result[field] is not None})
    return {name: totals([result for result in results if result[field] == name]) for name in names}


def totals(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the numbers over some results; None where there is nothing to count.

    - `tasks` counts all, `decided` those that passed or failed, `errors` and `skipped` the rest.
    - `success_rate` = successes / decided.
    - `mean_step_ratio`: mean of steps / golden steps over successes (SPA-Bench, section 5.1).
    - `premature_rate` = failures among those that the agent reported as done; `overdue_rate` =
      successes among those that ran into the step limit (SPA-Bench, section 5.1).
    - `infrastructure` counts attempts that were lost because a device, worker or the network broke,
      also those of tasks that another attempt decided.
    - `without_snapshot` counts tasks whose device was not brought back to a snapshot.
    - `mean_steps` over decided tasks; `seconds_per_step` = all their seconds / all their steps.
    """
    decided = [result for result in results if result["success"] is not None]
    reported = [result for result in decided if result["termination"] == "self-reported"]
    limited = [result for result in decided if result["termination"] == "step limit"]
    return {
        "tasks": len(results),
        "decided": len(decided),
        "successes": sum(bool(result["success"]) for result in decided),
        "errors": sum(result["outcome"] == "error" for result in results),
        "skipped": sum(result["outcome"] == "skipped" for result in results),
        "infrastructure": sum(len(result["infrastructure"]) for result in results),
        "without_snapshot": sum(without_snapshot(result) for result in results),
        "success_rate": _mean(decided, lambda result: result["success"]),
        "mean_step_ratio": _mean(decided, lambda result: result["step_ratio"]),
        "premature": sum(bool(result["premature"]) for result in decided),
        "premature_rate": _mean(reported, lambda result: result["premature"]),
        "overdue": sum(bool(result["overdue"]) for result in decided),
        "overdue_rate": _mean(limited, lambda result: result["overdue"]),
        "mean_steps": _mean(decided, lambda result: result["steps"]),
        "seconds": _sum(decided, "seconds"),
        "seconds_per_step": _ratio(_sum(decided, "seconds"), _sum(decided, "steps")),
        "input_tokens": _sum(results, "input_tokens"),
        "output_tokens": _sum(results, "output_tokens"),
        "cost_usd": _sum(results, "cost_usd"),
    }


def without_snapshot(result: Mapping[str, Any]) -> bool:
    """Whether a task began on a device that was not brought back to a snapshot."""
    return result["reset"] is not None and result["reset"]["kind"] != "snapshot"


def _mean(
    results: Iterable[dict[str, Any]], value: Callable[[dict[str, Any]], float | None]
) -> float | None:
    values = [number for result in results if (number := value(result)) is not None]
    return sum(values) / len(values) if values else None


def _sum(results: Iterable[dict[str, Any]], field: str) -> float | None:
    values = [result[field] for result in results if result[field] is not None]
    return sum(values) if values else None


def _ratio(over: float | None, under: float | None) -> float | None:
    return over / under if over is not None and under else None
