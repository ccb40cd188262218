"""Our own columns, and success rates as several papers print them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.report.export.layouts.layout import Layout, Measure, Run, measure
from pytest_mobileagent.report.export.tables import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence


def success(run: Run, *, digits: int = 3, percent: bool = False) -> Cell:
    """Return the success rate, with its interval over tasks if the run has several epochs."""
    summary = run.summary
    interval = summary["interval"] if summary["epochs"]["number"] > 1 else None
    low, high = interval or (None, None)
    return Cell(summary["success_rate"], digits, percent=percent, low=low, high=high)


_VERIFIED = Measure("Verified", lambda run: Cell(run.about.get("verified") or "not a bundle"))


def _columns(runs: Sequence[Run]) -> list[Measure]:
    epochs = min(run.summary["epochs"]["number"] for run in runs)

    def repeated(title: str, name: str) -> Measure:
        return Measure(
            f"{title}{epochs}",
            lambda run: Cell(run.summary[name].get(str(epochs)), 1, percent=True),
        )

    return [
        measure("Tasks", "tasks", 0),
        measure("Episodes", "episodes", 0),
        Measure("Success rate", lambda run: success(run, digits=1, percent=True)),
        measure("Of all", "success_rate_of_all", percent=True),
        *([repeated("pass@", "pass_at"), repeated("pass^", "pass_all")] if epochs > 1 else []),
        measure("Step ratio", "mean_step_ratio", 2),
        measure("Premature", "premature_rate", percent=True),
        measure("Overdue", "overdue_rate", percent=True),
        measure("Steps", "mean_steps", 1),
        measure("s/step", "seconds_per_step", 2),
        measure("Tokens/task", "mean_tokens", 0),
        measure("USD/task", "mean_cost_usd", 4),
        *([_VERIFIED] if any(run.about.get("verified") for run in runs) else []),
    ]


OWN = Layout("own", _columns)
