"""SPA-Bench (arXiv 2410.15164); open-ended tasks belong to table 16 only.

spa-bench:2   spa-bench-sets    success by set: single-app and cross-app, English and Chinese
spa-bench:3   spa-bench         all numbers of single-app tasks in English
spa-bench:11                    all numbers of single-app tasks in Chinese
spa-bench:12                    all numbers of cross-app tasks in English
spa-bench:13                    all numbers of cross-app tasks in Chinese
spa-bench:14  spa-bench-levels  success by set and level; needs levels 1 to 3
spa-bench:16                    success on open-ended tasks
"""

from __future__ import annotations

from pytest_mobileagent.report.export.layouts.layout import (
    Layout,
    Measure,
    Parts,
    Run,
    Wanted,
    grouped,
    has,
    measure,
    titled,
)
from pytest_mobileagent.report.export.layouts.own import success
from pytest_mobileagent.report.export.tables import Cell

_RATE = measure("Success Rate", "success_rate", 3)
_REPORTED, _LIMITED = "self-reported", "step limit"  # all other endings are errors in the paper
_LANGUAGES: Parts = {
    "Overall": lambda task: task.language in {"en", "zh"},
    "English": has("language", "en"),
    "Chinese": has("language", "zh"),
}
_APPS: Parts = {
    "Single-App": lambda task: task.kind not in {"cross-app", "open-ended"},
    "Cross-App": has("kind", "cross-app"),
}


def _set(apps: str, language: str) -> tuple[str, Wanted]:
    """Return what the tasks of a set are, and whether a task is in it."""
    of_apps, of_language = _APPS[apps], _LANGUAGES[language]
    return f"{apps.lower()} tasks in {language}", lambda task: of_apps(task) and of_language(task)


def _ended(run: Run, endings: set[str]) -> Cell:
    rates = run.summary["termination_rates"]
    return Cell(sum(rates.get(each, 0.0) for each in endings) if rates else None)


def _errors(run: Run) -> Cell:
    return _ended(run, {*run.summary["termination_rates"]} - {_REPORTED, _LIMITED})


_REASON, _INACCURACY = "Termination Reason", "Termination Inaccuracy"
_PERFORMANCE = (
    Measure("Success Rate", success),
    measure("Mean Step Ratio on Success", "mean_step_ratio", 2),
    Measure("SRC Rate", lambda run: _ended(run, {_REPORTED}), _REASON),
    Measure("MSR Rate", lambda run: _ended(run, {_LIMITED}), _REASON),
    Measure("Error Rate", _errors, _REASON),
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
            found += grouped({group: _set(apps, language)[1]}, *titled(of_level, _RATE))
    return found


TABLES = (
    Layout("spa-bench:2 spa-bench-sets", grouped(_APPS, *titled(_LANGUAGES, _RATE))),
    Layout("spa-bench:3 spa-bench", _PERFORMANCE, _set("Single-App", "English")),
    Layout("spa-bench:11", _PERFORMANCE, _set("Single-App", "Chinese")),
    Layout("spa-bench:12", _PERFORMANCE, _set("Cross-App", "English")),
    Layout("spa-bench:13", _PERFORMANCE, _set("Cross-App", "Chinese")),
    Layout("spa-bench:14 spa-bench-levels", _levels()),
    Layout("spa-bench:16", (_RATE,), ("open-ended", has("kind", "open-ended"))),
)
