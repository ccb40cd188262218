"""Metrics of cost: tokens and money in total, per task, step and action, and by role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.statistics import field, mean_of, quotient_of, sum_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_mobileagent.statistics import Result, Value

_COUNTS = ("calls", "unpriced_calls", "uncounted_calls", "retries")
_AMOUNTS = (
    "input_tokens", "output_tokens", "cached_tokens", "estimated_input_tokens",
    "estimated_output_tokens", "cost_usd",
)  # fmt: skip
_NONE = {"calls": 0, "cost_usd": None, "unpriced_calls": 0, "uncounted_calls": 0}


def spending(results: Sequence[Result], decided: Sequence[Result]) -> dict[str, Any]:
    """Return the tokens and the money spent on tasks, and by role; None without samples.

    Sums over all tasks, including undecided ones, of the known amounts:

    - `input_tokens`, `cached_tokens` (a part of them), `output_tokens`; `cost_usd` in US dollars.
    - `calls`: model calls; `unpriced_calls`: those without a known price; `uncounted_calls`: those
      without known tokens; `retries`: repeated requests.
    - `estimated_input_tokens`, `estimated_output_tokens`: MobileAgentBench's estimates for all
      calls ("Metrics").

    Means over the tasks whose number is known completely, which excludes tasks with an unpriced
    call. A task without any call cost nothing, except for a program whose calls were not observed.

    - `mean_cost_usd` and `mean_tokens` (input and output) of decided tasks, and, with `_of_all`,
      of all tasks that were run.
    - `mean_estimated_tokens`: MobileAgentBench's "Tokens", of decided tasks.
    - `cost_per_step` = cost / steps and `tokens_per_action` = tokens / actions, of the same
      decided tasks.
    """
    return {
        **_sums(results),
        **_means(results, decided),
        "tokens_per_action": quotient_of(decided, _tokens(decided), field("actions")),
        "mean_estimated_tokens": mean_of(decided, _tokens(decided, "estimated_")),
        "roles": _roles(results, decided),
    }


def _sums(results: Iterable[Result]) -> dict[str, Any]:
    counts = {name: sum_of(results, field(name)) or 0 for name in _COUNTS}
    return counts | {name: sum_of(results, field(name)) for name in _AMOUNTS}


def _means(results: Sequence[Result], decided: Sequence[Result]) -> dict[str, Any]:
    return {
        "mean_cost_usd": mean_of(decided, _cost(decided)),
        "mean_cost_usd_of_all": mean_of(results, _cost(results)),
        "cost_per_step": quotient_of(decided, _cost(decided), field("steps")),
        "mean_tokens": mean_of(decided, _tokens(decided)),
        "mean_tokens_of_all": mean_of(results, _tokens(results)),
    }


def _roles(results: Sequence[Result], decided: Sequence[Result]) -> dict[str, Any]:
    """Return sums and means by role of the models; a task without calls of a role spent 0 on it."""
    names = sorted({role for result in results for role in result["roles"] or ()})
    return {name: _role(name, results, decided) for name in names}


def _role(name: str, results: Sequence[Result], decided: Sequence[Result]) -> dict[str, Any]:
    of_all, of_decided = _spent_as(name, results), _spent_as(name, decided)
    return {**_sums(of_all), **_means(of_all, of_decided)}


def _spent_as(role: str, results: Iterable[Result]) -> list[Result]:
    """Return each task's spending on a role and its steps, leaving out tasks without a record."""
    played = [result for result in results if result["roles"] is not None]
    return [
        {**_NONE, **result["roles"].get(role, {}), "steps": result["steps"]} for result in played
    ]


def _cost(group: Iterable[Result]) -> Value:
    """Return a function that returns the cost of a task, or None if it is not fully known."""
    is_known = any(result["cost_usd"] is not None for result in group)

    def cost(result: Mapping[str, Any]) -> float | None:
        if not is_known or result.get("unpriced_calls"):
            return None
        known = result["cost_usd"]
        return 0.0 if known is None and _asked_nothing(result) else known

    return cost


def _tokens(group: Iterable[Result], kind: str = "") -> Value:
    """Return a function that returns the tokens of a task, or None if they are unknown."""
    names = (f"{kind}input_tokens", f"{kind}output_tokens")
    is_known = any(result.get(name) is not None for result in group for name in names)

    def tokens(result: Mapping[str, Any]) -> float | None:
        if not is_known:
            return None
        into, out = (result.get(name) for name in names)
        if into is None and out is None and _asked_nothing(result):
            return 0
        return None if into is None or out is None else into + out

    return tokens


def _asked_nothing(result: Mapping[str, Any]) -> bool:
    return result.get("calls") == 0 and result.get("metered") is not False
