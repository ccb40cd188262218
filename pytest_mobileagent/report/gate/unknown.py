"""What a number of money or tokens leaves out: calls without a price, and those nobody saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Task = Mapping[str, Any]

_COSTS = {"cost_usd", "mean_cost_usd", "mean_cost_usd_of_all", "cost_per_step"}
_TOKENS = {
    "input_tokens", "output_tokens", "cached_tokens", "estimated_input_tokens",
    "estimated_output_tokens", "mean_tokens", "mean_tokens_of_all", "tokens_per_action",
    "mean_estimated_tokens",
}  # fmt: skip
_CALLS = {"calls", "mean_calls"}  # of these only what nobody saw is left out
_FILLED = ("cost_usd", "input_tokens", "output_tokens", "cached_tokens")
_ESTIMATES = ("estimated_input_tokens", "estimated_output_tokens")


def left_out(metric: str, tasks: Sequence[Task]) -> str:
    """Return in words what a metric does not know of, or "" if it knows all, or is another."""
    *roles, name = metric.split(".")
    if name not in _COSTS | _TOKENS | _CALLS:
        return ""
    played = [task for task in tasks if task["steps"] is not None]
    spent = [(task["roles"] or {}).get(roles[-1], {}) for task in played] if roles else played
    counts = {
        "call{} without a price": sum(map(_unpriced, spent)) * (name in _COSTS),
        "call{} without tokens": sum(map(_uncounted, spent)) * (name in _TOKENS),
        "episode{} whose calls nobody saw": sum(task["metered"] is False for task in played),
    }
    return " and ".join(
        f"{count} {what.format('s' * (count != 1))}" for what, count in counts.items() if count
    )


def at_least(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks as if what is not known had cost nothing: they cost more than that."""
    return [
        task
        if task["steps"] is None
        else {
            **task,
            **_filled(task),
            "roles": {
                role: {**each, **_filled(each)} for role, each in (task["roles"] or {}).items()
            },
        }
        for task in tasks
    ]


def _unpriced(spent: Task) -> int:
    return int(spent.get("unpriced_calls") or 0)


def _uncounted(spent: Task) -> int:
    """Return how many calls have no tokens; reports of older versions tell only of all."""
    if (count := spent.get("uncounted_calls")) is not None:
        return int(count)
    known = None not in (spent.get("input_tokens"), spent.get("output_tokens"))
    return 0 if known else int(spent.get("calls") or 0)


def _filled(spent: Task) -> dict[str, Any]:
    amounts = {name: spent.get(name) or 0 for name in (*_FILLED, *_ESTIMATES)}
    return {**amounts, "unpriced_calls": 0}
