"""MobileGym; needs --mobile-side-effects.

mobilegym:numbers  mobilegym  success, credit for sub-goals, failures that were reported as
                              done, and unexpected side effects
"""

from __future__ import annotations

from pytest_mobileagent.report.export.layouts.layout import Layout, Measure, Run, measure
from pytest_mobileagent.report.export.tables import Cell
from pytest_mobileagent.statistics import ratio


def _false_completions(run: Run) -> Cell:
    rate = ratio(run.summary["premature"], run.summary["decided"])
    return Cell(rate, 1, percent=True)


TABLES = (
    Layout(
        "mobilegym:numbers mobilegym",
        (
            measure("SR ↑", "success_rate", percent=True),
            measure("PR ↑", "partial_credit", percent=True),
            Measure("FC ↓", _false_completions),
            measure("USE ↓", "side_effect_rate", percent=True),
        ),
    ),
)
