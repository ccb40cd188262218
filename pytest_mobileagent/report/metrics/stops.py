"""How tasks ended: SPA-Bench's terminations, and MobileAgentBench's early and late stops."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.report.metrics.numbers import mean_of, ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.report.metrics.numbers import Result

_CHECK = "check"
# How decided tasks may end; the others are errors, and decide nothing.
_ENDINGS = set(map(str, Termination)) - {Termination.BUDGET, Termination.INTERRUPTED}


def terminations(results: Sequence[Result], decided: Sequence[Result]) -> dict[str, Any]:
    """Return how episodes ended, and SPA-Bench's inaccuracies (arXiv 2410.15164, section 5.1).

    - `terminations` counts the endings of all episodes; `termination_rates` are those of decided
      tasks / decided tasks.
    - `premature`: failures that the agent reported as done; an agent that gave up reported nothing
      as done. `premature_rate` = premature / decided tasks that it reported as done.
    - `overdue`: successes that ran into the step limit; `overdue_rate` = overdue / decided tasks
      that did.
    """
    reported = [result for result in decided if result["termination"] == "self-reported"]
    limited = [result for result in decided if result["termination"] == "step limit"]
    return {
        "terminations": _endings(results),
        "termination_rates": _shares(_endings(decided)),
        "premature": sum(bool(result["premature"]) for result in decided),
        "premature_rate": mean_of(reported, lambda result: result["premature"]),
        "overdue": sum(bool(result["overdue"]) for result in decided),
        "overdue_rate": mean_of(limited, lambda result: result["overdue"]),
    }


def _endings(results: Sequence[Result]) -> dict[str, int]:
    counts = Counter(result["termination"] for result in results if result["termination"])
    return dict(sorted(counts.items()))


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of each ending, also of those that were none; nothing of nothing."""
    whole = sum(counts.values())
    names = sorted({*counts, *_ENDINGS}) if whole else ()
    return {name: counts.get(name, 0) / whole for name in names}


def latched(decided: Sequence[Result]) -> dict[str, Any]:
    """Return MobileAgentBench's metrics (arXiv 2406.08184, "Metrics").

    There a success latches: a task is done as soon as its goal is met after some step, whatever the
    agent does then. Only a check that was asked of every step tells that, so tasks that judges or
    people decide are in none of these numbers.

    - `latched`: the tasks whose check was asked; `latched_successes`: those whose goal was met at
      some step; `latched_success_rate`, its SR, is their share.
    - `step_efficiency`, its SE: mean of steps to the first success / golden steps.
    - `early_stops`: the others of them that were reported as done; `false_finish_rate`, its FFR, is
      their share of the others. `late_stops`: successes after which the agent went on;
      `over_execution_rate`, its OER, is their share of the successes.
    """
    asked = [result for result in decided if _was_asked(result)]
    met = [result for result in asked if result["first_success_step"] is not None]
    failures = [result for result in asked if result["first_success_step"] is None]
    early = sum(result["termination"] == "self-reported" for result in failures)
    late = sum(_went_on(result) for result in met)
    return {
        "latched": len(asked),
        "latched_successes": len(met),
        "latched_success_rate": ratio(len(met), len(asked)),
        "step_efficiency": mean_of(met, step_efficiency),
        "early_stops": early,
        "false_finish_rate": ratio(early, len(failures)),
        "late_stops": late,
        "over_execution_rate": ratio(late, len(met)),
    }


def step_efficiency(result: Result) -> float | None:
    """Return steps to the first success / golden steps of a task; None if one is not known."""
    return ratio(result["first_success_step"], result["golden_steps"])


def _was_asked(result: Result) -> bool:
    """Whether a check was asked of every step.

    It was not if its evidence says that it `held` at no known step, or if it holds and nobody knows
    since when. Older verdicts have no `held`: of them failures are taken as asked.
    """
    verdict = result["verdict"] or {}
    if verdict.get("scorer", _CHECK) != _CHECK:  # version 1 had checks only
        return False
    if result["first_success_step"] is not None:
        return True
    return result["success"] is False and (verdict.get("evidence") or {}).get("held") != []


def _went_on(result: Result) -> bool:
    steps = result["steps"]
    return steps is not None and steps > result["first_success_step"]
