"""B-MoCA (arXiv 2404.16660): success in percent ± the standard error over epochs (its runs).

b-moca:2                 six tasks as rows, each run as a column: zero-shot beside few-shot
b-moca:figure-5  b-moca  all tasks by environment (--mobile-env=100,101,105)
b-moca:figure-6          the six tasks, each run as a row: one for each agent
b-moca:figure-8          the same by the number of environments in training (--mobile-label=7)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.report.export.layouts.layout import (
    Layout,
    Measure,
    Wanted,
    has,
    titled,
    turned,
)
from pytest_mobileagent.report.export.tables import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.report.export.layouts.layout import Run

# The six representative tasks (section 4.1), by the end of a task's id.
_TASKS = {
    "Alarm(simple)": "clock/alarm_1030",
    "Alarm(complex)": "clock/alarm_1030_weekdays",
    "Language": "settings/add_language",
    "Calculator": "calculator/cos_180",
    "Call": "phone/white_house",
    "Wikipedia": "wikipedia/first_two_and_randomizer",
}


def _rate(run: Run) -> Cell:
    """Return the mean over epochs with the population's standard error (ddof 0)."""
    epochs = run.summary["epochs"]
    rates = epochs["success_rates"].values()
    mean = sum(rates) / len(rates) if rates else None
    return Cell(mean, 0, percent=True, sign=False, error=epochs["standard_error_ddof_0"])


_AVERAGE = Measure("Average", _rate)


def _environments(runs: Sequence[Run]) -> list[Measure]:
    names = sorted({task.environment or "" for run in runs for task in run.tasks} - {""})
    parts = {f"Env {name}": has("environment", name) for name in names}
    return [*titled(parts, _AVERAGE), _AVERAGE]


def _named(*names: str) -> Wanted:
    return lambda task: task.id.endswith(names)


_SIX = [*titled({title: _named(name) for title, name in _TASKS.items()}, _AVERAGE), _AVERAGE]
_PART = ("representative", _named(*_TASKS.values()))
TABLES = (
    Layout("b-moca:2", _SIX, _PART, turned, ("Task", "")),
    Layout("b-moca:figure-5 b-moca", _environments),
    Layout("b-moca:figure-6", _SIX, _PART),
    Layout("b-moca:figure-8", _SIX, _PART, heads=("Training environments",)),
)
