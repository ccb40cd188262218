"""MobileAgentBench (arXiv 2406.08184); needs tasks whose check is asked after every step.

mobileagentbench:2  mobileagentbench  all numbers of tasks without the tag `online`
mobileagentbench:3                    all numbers of tasks with the tag `online`
mobileagentbench:figure-4a            success by level; needs levels 1 to 3
mobileagentbench:figure-4b            success by backbone, the first model of each run
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.report.export.layouts.layout import (
    Layout,
    Measure,
    Parts,
    Run,
    has,
    measure,
    titled,
)
from pytest_mobileagent.report.export.tables import Cell
from pytest_mobileagent.report.metrics.summary import totals
from pytest_mobileagent.report.names import models_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVELS: Parts = {title: has("level", n) for n, title in enumerate(("Easy", "Medium", "Hard"), 1)}
MODELS = Measure("Models", lambda run: Cell(", ".join(models_of(run.about)) or None))
_RATE = measure("SR ↑", "latched_success_rate", 2)
_NUMBERS = (
    _RATE,
    measure("SE ↓", "step_efficiency", 2),
    measure("Latency ↓", "latency", 2),
    measure("Tokens ↓", "mean_estimated_tokens", 2),
    measure("FFR ↓", "false_finish_rate", 2),
    measure("OER ↓", "over_execution_rate", 2),
)
_is_online = has("tags", "online")


def _by_model(runs: Sequence[Run]) -> list[Run]:
    """Return a run for each backbone, the first of a run's models, with the tasks of all its runs.

    If these ran the same tasks, its success rate is the mean of theirs.
    """
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(next(iter(models_of(run.about)), "(no model)"), []).append(run)
    pooled = []
    for model, own in found.items():
        tasks = [task for run in own for task in run.tasks]
        virtual = any(run.about.get("virtual") for run in own)
        about = {**own[0].about, "label": model, "virtual": virtual}
        pooled.append(Run(about, totals(tasks), tasks))
    return pooled


_OFFLINE = ("in apps without the web", lambda task: not _is_online(task))
_WEB = ("in apps that need the web", _is_online)
TABLES = (
    Layout("mobileagentbench:2 mobileagentbench", (MODELS, *_NUMBERS), _OFFLINE),
    Layout("mobileagentbench:3", _NUMBERS, _WEB),
    Layout("mobileagentbench:figure-4a", titled(LEVELS, _RATE)),
    Layout("mobileagentbench:figure-4b", (_RATE,), heads=("Model",), pooled=_by_model),
)
