"""The tables of SPA-Bench, MobileAgentBench, B-MoCA and MobileGym."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.report.export.layouts import (
    LEVELS,
    MODELS,
    Layout,
    Measure,
    Parts,
    Run,
    Wanted,
    grouped,
    has,
    measure,
    success,
    titled,
    turned,
)
from pytest_mobileagent.report.export.tables import Cell
from pytest_mobileagent.report.metrics import totals
from pytest_mobileagent.report.names import models_of
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

ABOUT_SPA_BENCH = """
SPA-Bench (arXiv 2410.15164); open-ended tasks belong to table 16 only.

spa-bench:2   spa-bench-sets    success by set: single-app and cross-app, English and Chinese
spa-bench:3   spa-bench         all numbers of single-app tasks in English
spa-bench:11                    all numbers of single-app tasks in Chinese
spa-bench:12                    all numbers of cross-app tasks in English
spa-bench:13                    all numbers of cross-app tasks in Chinese
spa-bench:14  spa-bench-levels  success by set and level; needs levels 1 to 3
spa-bench:16                    success on open-ended tasks
"""

_RATE_OF_SET = measure("Success Rate", "success_rate", 3)
_REPORTED, _LIMITED = "self-reported", "step limit"  # all other endings are errors in the paper
_LANGUAGES: Parts = {
    "Overall": lambda task: task.language in {"en", "zh"},
    "English": has("language", "en"),
    "Chinese": has("language", "zh"),
}
_BY_APPS: Parts = {
    "Single-App": lambda task: task.kind not in {"cross-app", "open-ended"},
    "Cross-App": has("kind", "cross-app"),
}


def _set(apps: str, language: str) -> tuple[str, Wanted]:
    """Return what the tasks of a set are, and whether a task is in it."""
    of_apps, of_language = _BY_APPS[apps], _LANGUAGES[language]
    return f"{apps.lower()} tasks in {language}", lambda task: of_apps(task) and of_language(task)


def _ended(run: Run, endings: set[str]) -> Cell:
    rates = run.summary["termination_rates"]
    return Cell(sum(rates.get(each, 0.0) for each in endings) if rates else None)


def _error_rate(run: Run) -> Cell:
    return _ended(run, {*run.summary["termination_rates"]} - {_REPORTED, _LIMITED})


_REASON, _INACCURACY = "Termination Reason", "Termination Inaccuracy"
_PERFORMANCE = (
    Measure("Success Rate", success),
    measure("Mean Step Ratio on Success", "mean_step_ratio", 2),
    Measure("SRC Rate", lambda run: _ended(run, {_REPORTED}), _REASON),
    Measure("MSR Rate", lambda run: _ended(run, {_LIMITED}), _REASON),
    Measure("Error Rate", _error_rate, _REASON),
    measure("Premature Rate", "premature_rate", 3, group=_INACCURACY),
    measure("Overdue Rate", "overdue_rate", 3, group=_INACCURACY),
    measure("Mean Exec Time per Step (sec)", "seconds_per_step", 1),
    measure("Mean Token Cost per Step (USD)", "cost_per_step", 3),
)


def _levels() -> list[Measure]:
    found = []
    for apps, levels in {"Single-App": (1, 2, 3), "Cross-App": (1, 2)}.items():
        of_level = {f"Level {level}": has("level", level) for level in levels}
        for language in ("English", "Chinese"):
            group = f"{apps.replace('App', 'app')} {language} Tasks"
            found += grouped({group: _set(apps, language)[1]}, *titled(of_level, _RATE_OF_SET))
    return found


SPA_BENCH_TABLES = (
    Layout("spa-bench:2 spa-bench-sets", grouped(_BY_APPS, *titled(_LANGUAGES, _RATE_OF_SET))),
    Layout("spa-bench:3 spa-bench", _PERFORMANCE, _set("Single-App", "English")),
    Layout("spa-bench:11", _PERFORMANCE, _set("Single-App", "Chinese")),
    Layout("spa-bench:12", _PERFORMANCE, _set("Cross-App", "English")),
    Layout("spa-bench:13", _PERFORMANCE, _set("Cross-App", "Chinese")),
    Layout("spa-bench:14 spa-bench-levels", _levels()),
    Layout("spa-bench:16", (_RATE_OF_SET,), ("open-ended", has("kind", "open-ended"))),
)


ABOUT_MOBILEAGENTBENCH = """
MobileAgentBench (arXiv 2406.08184); needs tasks whose check is asked after every step.

mobileagentbench:2  mobileagentbench  all numbers of tasks without the tag `online`
mobileagentbench:3                    all numbers of tasks with the tag `online`
mobileagentbench:figure-4a            success by level; needs levels 1 to 3
mobileagentbench:figure-4b            success by backbone, the first model of each run
"""

_LATCHED = measure("SR ↑", "latched_success_rate", 2)
_NUMBERS = (
    _LATCHED,
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
MOBILEAGENTBENCH_TABLES = (
    Layout("mobileagentbench:2 mobileagentbench", (MODELS, *_NUMBERS), _OFFLINE),
    Layout("mobileagentbench:3", _NUMBERS, _WEB),
    Layout("mobileagentbench:figure-4a", titled(LEVELS, _LATCHED)),
    Layout("mobileagentbench:figure-4b", (_LATCHED,), heads=("Model",), pooled=_by_model),
)


ABOUT_B_MOCA = """
B-MoCA (arXiv 2404.16660): success in percent ± the standard error over epochs (its runs).

b-moca:2                 six tasks as rows, each run as a column: zero-shot beside few-shot
b-moca:figure-5  b-moca  all tasks by environment (--mobile-env=100,101,105)
b-moca:figure-6          the six tasks, each run as a row: one for each agent
b-moca:figure-8          the same by the number of environments in training (--mobile-label=7)
"""

# The six representative tasks (section 4.1), by the end of a task's id.
_SIX_TASKS = {
    "Alarm(simple)": "clock/alarm_1030",
    "Alarm(complex)": "clock/alarm_1030_weekdays",
    "Language": "settings/add_language",
    "Calculator": "calculator/cos_180",
    "Call": "phone/white_house",
    "Wikipedia": "wikipedia/first_two_and_randomizer",
}


def _rate_of_epochs(run: Run) -> Cell:
    """Return the mean over epochs with the population's standard error (ddof 0)."""
    epochs = run.summary["epochs"]
    rates = epochs["success_rates"].values()
    mean = sum(rates) / len(rates) if rates else None
    return Cell(mean, 0, percent=True, sign=False, error=epochs["standard_error_ddof_0"])


_AVERAGE = Measure("Average", _rate_of_epochs)


def _environments(runs: Sequence[Run]) -> list[Measure]:
    names = sorted({task.environment or "" for run in runs for task in run.tasks} - {""})
    parts = {f"Env {name}": has("environment", name) for name in names}
    return [*titled(parts, _AVERAGE), _AVERAGE]


def _ends_with(*names: str) -> Wanted:
    return lambda task: task.id.endswith(names)


_SIX_PARTS = {title: _ends_with(name) for title, name in _SIX_TASKS.items()}
_SIX = [*titled(_SIX_PARTS, _AVERAGE), _AVERAGE]
_PART = ("representative", _ends_with(*_SIX_TASKS.values()))
B_MOCA_TABLES = (
    Layout("b-moca:2", _SIX, _PART, turned, ("Task", "")),
    Layout("b-moca:figure-5 b-moca", _environments),
    Layout("b-moca:figure-6", _SIX, _PART),
    Layout("b-moca:figure-8", _SIX, _PART, heads=("Training environments",)),
)


ABOUT_MOBILEGYM = """
MobileGym; needs --mobile-side-effects.

mobilegym:numbers  mobilegym  success, credit for sub-goals, failures that were reported as
                              done, and unexpected side effects
"""


def _false_completions(run: Run) -> Cell:
    return Cell(ratio(run.summary["premature"], run.summary["decided"]), 1, percent=True)


MOBILEGYM_TABLES = (
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
