"""Metrics of cost: tokens and money in total, per task, step and action, and by role."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.entry import Entry, Spent
from pytest_mobileagent.statistics import mean_of, quotient_of, sum_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Of = Callable[[Entry], Spent]  # what is counted of a task: the agent's spending, or a role's
    Value = Callable[[Entry], float | None]

_COUNTS = ("calls", "unpriced_calls", "uncounted_calls", "retries")
_AMOUNTS = (
    "input_tokens", "output_tokens", "cached_tokens", "estimated_input_tokens",
    "estimated_output_tokens", "cost_usd",
)  # fmt: skip
_NOTHING = Spent(calls=0, unpriced_calls=0, uncounted_calls=0)


def spending(results: Sequence[Entry], decided: Sequence[Entry]) -> dict[str, Any]:
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
    names = sorted({role for result in results for role in result.roles or ()})
    return {
        **_sums(results, _agents),
        **_means(results, decided, _agents),
        "tokens_per_action": quotient_of(
            decided, _tokens(decided, _agents), lambda each: each.actions
        ),
        "mean_estimated_tokens": mean_of(decided, _tokens(decided, _agents, "estimated_")),
        "roles": {name: _role(name, results, decided) for name in names},
    }


def _agents(task: Entry) -> Spent:
    return task


def _role(name: str, results: Sequence[Entry], decided: Sequence[Entry]) -> dict[str, Any]:
    """Return sums and means of a role's models; a task that was played without them spent 0."""

    def of(task: Entry) -> Spent:
        return (task.roles or {}).get(name, _NOTHING)

    of_all, of_decided = (
        [task for task in tasks if task.roles is not None] for tasks in (results, decided)
    )
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
    was_unobserved = isinstance(spent, Entry) and spent.metered is False
    return spent.calls == 0 and not was_unobserved
