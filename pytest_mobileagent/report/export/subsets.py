"""Layouts whose columns are subsets of a benchmark's tasks, such as levels, languages and sets.

Subsets are selected by the fields of the tasks' entries, so they also work for other suites.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.task import FULL, OFFICIAL
from pytest_mobileagent.report.export.tables import Cell, Column
from pytest_mobileagent.report.metrics.summary import totals
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry

    Content = list[tuple[Column, Callable[["Run"], Cell]]]
    Wanted = Callable[[Entry], bool]


OPERATION, QUERIES = "operation", ("single-frame query", "multi-frame query")
LEVELS = {"1": "Easy", "2": "Medium", "3": "Hard"}


@dataclass(frozen=True, slots=True)
class Run:
    """A run in a table: its "run" object in report.json, its summary, and its tasks' entries."""

    about: Mapping[str, Any]
    summary: Mapping[str, Any]
    tasks: Sequence[Entry] = ()

    @property
    def is_on_path(self) -> bool:
        """Whether the tasks' golden actions were executed instead of the agent's."""
        option = (self.about.get("options") or {}).get("mobile-path") or {}
        return option.get("value") == "single"


def a3_v2(runs: Sequence[Run]) -> Content:
    """Return the columns of success and of achieved essential states, by level and category.

    A3 counts the states of all tasks together (`print_llm_results.py` of its release), so a task
    with many states weighs more than one with few. Rewritten goals have no states; if a run
    contains some, they have separate columns.
    """
    whole = {None, FULL, OFFICIAL}
    rewritten = sorted({task.variant or "" for run in runs for task in run.tasks} - {"", *whole})
    groups: dict[str, Wanted] = {
        **{title: _has("level", int(level)) for level, title in LEVELS.items()},
        "Operation": _has("kind", OPERATION),
        "Information Retrieval": lambda task: task.kind in QUERIES,
        "All": lambda _: True,
    }
    found: Content = []
    for group, wanted in groups.items():
        of_group = _both(lambda task: task.variant in whole, wanted)
        found += [
            (Column("SR", group), _rate_of(of_group, percent=True)),
            (Column("States", group), _states_of(of_group)),
        ]
    return found + [
        (Column("SR", f"{name.capitalize()} goals"), _rate_of(_has("variant", name), percent=True))
        for name in rewritten
    ]


def _both(one: Wanted, other: Wanted) -> Wanted:
    return lambda task: one(task) and other(task)


def _states_of(wanted: Wanted) -> Callable[[Run], Cell]:
    def cell(run: Run) -> Cell:
        decided = [task for task in run.tasks if task.success is not None and wanted(task)]
        counts = [(_states(task), task.partial_credit) for task in decided]
        known = [(count, share) for count, share in counts if count and share is not None]
        achieved = sum(count * share for count, share in known)
        return Cell(ratio(achieved, sum(count for count, _ in known)), 1, percent=True)

    return cell


def _states(task: Entry) -> int:
    """Return the number of states that decide a task: statements for judges, or sub-goals."""
    evidence = task.verdict["evidence"] if task.verdict else {}
    details = [judge.get("details") or {} for judge in evidence.get("judges") or ()]
    judged = next((each["statements"] for each in details if "statements" in each), None)
    return len(judged if judged is not None else task.subgoals or ())


# SPA-Bench's sets: the title, and whether the tasks span several apps.
_SETS = {"Single-App": False, "Cross-App": True}
_LANGUAGES = {"English": "en", "Chinese": "zh"}


def spa_bench_sets(_: Sequence[Run]) -> Content:
    """Return the columns of SPA-Bench's table 2: success in one app and across apps, by language.

    Its open-ended tasks belong to neither set.
    """
    return [
        (Column(title, group), _rate_of(_is_of(is_across, codes)))
        for group, is_across in _SETS.items()
        for title, codes in _by_language().items()
    ]


def _by_language() -> dict[str, tuple[str, ...]]:
    each = {title: (code,) for title, code in _LANGUAGES.items()}
    return {"Overall": tuple(_LANGUAGES.values()), **each}


def spa_bench_levels(_: Sequence[Run]) -> Content:
    """Return the columns of SPA-Bench's table 14: success of each set, by level."""
    return [
        (
            Column(f"Level {level}", f"{group.replace('App', 'app')} {language} Tasks"),
            _rate_of(_is_of(is_across, (code,), level)),
        )
        for group, is_across in _SETS.items()
        for language, code in _LANGUAGES.items()
        for level in ((1, 2) if is_across else (1, 2, 3))
    ]


def _is_of(is_across: bool, codes: tuple[str, ...], level: int | None = None) -> Wanted:
    def wanted(task: Entry) -> bool:
        is_of_set = (task.kind == "cross-app") is is_across and task.kind != "open-ended"
        return is_of_set and task.language in codes and level in {None, task.level}

    return wanted


def _has(name: str, value: object) -> Wanted:
    return lambda task: getattr(task, name) == value


def _rate_of(wanted: Wanted, *, percent: bool = False) -> Callable[[Run], Cell]:
    """Return a function that returns the success rate of a run's tasks that `wanted` accepts."""

    def cell(run: Run) -> Cell:
        rate = totals([task for task in run.tasks if wanted(task)])["success_rate"]
        return Cell(rate, 1 if percent else 3, percent=percent)

    return cell


# AndroidControl's subsets of the test set, by the tags of tasks, with the names that A3 uses.
_SUBSETS = {
    "idd": "IDD",
    "category_unseen": "Category Unseen",
    "app_unseen": "App Unseen",
    "task_unseen": "Task Unseen",
}
_LOW = "low"  # the tag of tasks whose agent received an instruction for each step


def androidcontrol(_: Sequence[Run]) -> Content:
    """Return the columns of A3's table 4: the step accuracy, which it calls a success rate."""

    def of(subset: str, *, low: bool) -> tuple[Column, Callable[[Run], Cell]]:
        title = "Low" if low else "High"
        return Column(title, _SUBSETS[subset]), lambda run: _of_subset(run, subset, low=low)

    return [of(subset, low=low) for subset in _SUBSETS for low in (False, True)]


def _of_subset(run: Run, subset: str, *, low: bool) -> Cell:
    def is_in(task: Entry) -> bool:
        tags = {tag.lower().removeprefix("test-").replace(" ", "_") for tag in task.tags}
        return subset in tags and (_LOW in tags) is low

    return Cell(totals([t for t in run.tasks if is_in(t)])["step_accuracy"], 1, percent=True)
