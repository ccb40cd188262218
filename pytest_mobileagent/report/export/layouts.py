"""The columns of a table of runs: our own, or those of a paper's tables.

Many of these are subsets of a benchmark's tasks, such as levels, languages and sets. They are
selected by the fields of the tasks' entries, so they also work for other suites.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.task import FULL, OFFICIAL
from pytest_mobileagent.report.export.tables import Cell, Column, Run, Table
from pytest_mobileagent.report.metrics.summary import totals
from pytest_mobileagent.report.names import models_of, names_of
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry

    Summary = Mapping[str, Any]
    Content = list[tuple[Column, Callable[["Run"], Cell]]]
    Of = Callable[["Run"], Summary | None]  # the numbers of a run, or of some of its tasks
    Wanted = Callable[[Entry], bool]


VIRTUAL = "virtual phones test the harness; do not publish these numbers as an agent's"


def tabulate(layout: str, runs: Sequence[Run]) -> Table:
    """Return a table with a row for each run, named as by `names.names_of`.

    `layout` is one of `LAYOUTS`.
    """
    content = LAYOUTS[layout](runs)
    columns = (Column("Agent"), *(column for column, _ in content))
    names = names_of([run.about for run in runs])
    rows = tuple(
        (Cell(name), *(cell(run) for _, cell in content))
        for name, run in zip(names, runs, strict=True)
    )
    notes = [note for pair in zip(names, runs, strict=True) for note in _notes(*pair)]
    return Table(columns, rows, tuple(notes))


def _notes(name: str, run: Run) -> list[str]:
    summary, notes = run.summary, []
    if summary["decided"] < summary["episodes"]:
        rate = Cell(summary["success_rate_of_all"])
        count = f"{summary['decided']} of {summary['episodes']} episodes are decided"
        notes.append(f"{name}: {count}; its success rate of all is {rate}")
    if run.about.get("virtual"):
        notes.append(f"{name}: {VIRTUAL}")
    return notes


def _column(
    title: str,
    name: str,
    digits: int = 1,
    *,
    group: str = "",
    percent: bool = True,
    of: Of = lambda run: run.summary,
) -> tuple[Column, Callable[[Run], Cell]]:
    """Return a column with the number that is called `name` in what `of` returns for a run."""
    return Column(title, group), lambda run: Cell((of(run) or {}).get(name), digits, percent)


_number = partial(_column, percent=False)


def _group(groups: str, name: str) -> Of:
    """Return a function that returns the summary of a group of a run's tasks; None without any."""
    return lambda run: run.summary[groups].get(name)


def _subset(wanted: Wanted) -> Of:
    """Return a function that returns the numbers of a run's tasks that `wanted` accepts."""
    return lambda run: totals([task for task in run.tasks if wanted(task)])


def _own(runs: Sequence[Run]) -> Content:
    epochs = min(run.summary["epochs"]["number"] for run in runs)
    repeated = [
        _column(f"pass@{epochs}", str(epochs), of=lambda run: run.summary["pass_at"]),
        _column(f"pass^{epochs}", str(epochs), of=lambda run: run.summary["pass_all"]),
    ]
    return [
        _number("Tasks", "tasks", 0),
        _number("Episodes", "episodes", 0),
        (Column("Success rate"), lambda run: _success(run, digits=1, percent=True)),
        _column("Of all", "success_rate_of_all"),
        *(repeated if epochs > 1 else []),
        _number("Step ratio", "mean_step_ratio", 2),
        _column("Premature", "premature_rate"),
        _column("Overdue", "overdue_rate"),
        _number("Steps", "mean_steps", 1),
        _number("s/step", "seconds_per_step", 2),
        _number("Tokens/task", "mean_tokens", 0),
        _number("USD/task", "mean_cost_usd", 4),
    ]


def _success(run: Run, *, digits: int = 3, percent: bool = False) -> Cell:
    """Return the success rate, with its interval over tasks if the run has several epochs."""
    summary = run.summary
    interval = summary["interval"] if summary["epochs"]["number"] > 1 else None
    low, high = interval or (None, None)
    return Cell(summary["success_rate"], digits, percent=percent, low=low, high=high)


_ERRORS = {"self-reported", "step limit"}  # the terminations that SPA-Bench does not call errors


def _spa_bench(_: Sequence[Run]) -> Content:
    reason, inaccuracy = "Termination Reason", "Termination Inaccuracy"
    return [
        (Column("Success Rate"), _success),
        _number("Mean Step Ratio on Success", "mean_step_ratio", 2),
        (Column("SRC Rate", reason), lambda run: _ended(run, {"self-reported"})),
        (Column("MSR Rate", reason), lambda run: _ended(run, {"step limit"})),
        (
            Column("Error Rate", reason),
            lambda run: _ended(run, {*run.summary["termination_rates"]} - _ERRORS),
        ),
        _number("Premature Rate", "premature_rate", 3, group=inaccuracy),
        _number("Overdue Rate", "overdue_rate", 3, group=inaccuracy),
        _number("Mean Exec Time per Step (sec)", "seconds_per_step", 1),
        _number("Mean Token Cost per Step (USD)", "cost_per_step", 3),
    ]


def _ended(run: Run, endings: set[str]) -> Cell:
    rates = run.summary["termination_rates"]
    return Cell(sum(rates.get(each, 0.0) for each in endings) if rates else None)


# SPA-Bench's sets: the title, and whether the tasks span several apps.
_SETS = {"Single-App": False, "Cross-App": True}
_LANGUAGES = {"English": "en", "Chinese": "zh"}


def _spa_bench_sets(_: Sequence[Run]) -> Content:
    """Return the columns of SPA-Bench's table 2: success in one app and across apps, by language.

    Its open-ended tasks belong to neither set.
    """
    languages = {title: (code,) for title, code in _LANGUAGES.items()}
    return [
        _number(title, "success_rate", 3, group=group, of=_subset(_is_of(is_across, codes)))
        for group, is_across in _SETS.items()
        for title, codes in {"Overall": tuple(_LANGUAGES.values()), **languages}.items()
    ]


def _spa_bench_levels(_: Sequence[Run]) -> Content:
    """Return the columns of SPA-Bench's table 14: success of each set, by level."""
    return [
        _number(
            f"Level {level}",
            "success_rate",
            3,
            group=f"{group.replace('App', 'app')} {language} Tasks",
            of=_subset(_is_of(is_across, (code,), level)),
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


def _mobileagentbench(_: Sequence[Run]) -> Content:
    return [
        (Column("Models"), lambda run: Cell(", ".join(models_of(run.about)) or None)),
        (Column("SR ↑"), lambda run: Cell(run.summary["latched_success_rate"], 2)),
        _number("SE ↓", "step_efficiency", 2),
        _number("Latency ↓", "latency", 2),
        _number("Tokens ↓", "mean_estimated_tokens", 2),
        _number("FFR ↓", "false_finish_rate", 2),
        _number("OER ↓", "over_execution_rate", 2),
    ]


def _b_moca(runs: Sequence[Run]) -> Content:
    names = sorted({name for run in runs for name in run.summary["environments"]})

    def of(name: str) -> tuple[Column, Callable[[Run], Cell]]:
        return Column(f"Env {name}"), lambda run: _run_to_run(run.summary["environments"].get(name))

    average = (Column("Average"), lambda run: _run_to_run(run.summary))
    return [*map(of, names), average]


def _run_to_run(summary: Summary | None) -> Cell:
    """Return the mean over epochs with B-MoCA's standard error (ddof 0)."""
    if summary is None:
        return Cell(None)
    rates = summary["epochs"]["success_rates"].values()
    mean = sum(rates) / len(rates) if rates else None
    return Cell(mean, 0, percent=True, error=summary["epochs"]["standard_error_ddof_0"])


_OPERATION, _QUERIES = "operation", ("single-frame query", "multi-frame query")
_LEVELS = {"1": "Easy", "2": "Medium", "3": "Hard"}


def _a3(_: Sequence[Run]) -> Content:
    def of(title: str, above: str, groups: str, name: str) -> tuple[Column, Callable[[Run], Cell]]:
        return _column(title, "success_rate", group=above, of=_group(groups, name))

    levels = [of(title, "Test Level", "levels", level) for level, title in _LEVELS.items()]
    kinds = [of(k.title(), "Test Category", "kinds", k) for k in (_OPERATION, *_QUERIES)]
    return [*levels, *kinds, (Column("All"), lambda run: _success(run, digits=1, percent=True))]


def _a3_v2(runs: Sequence[Run]) -> Content:
    """Return the columns of success and of achieved essential states, by level and category.

    A3 counts the states of all tasks together (`print_llm_results.py` of its release), so a task
    with many states weighs more than one with few. Rewritten goals have no states; if a run
    contains some, they have separate columns.
    """
    whole = {None, FULL, OFFICIAL}
    rewritten = sorted({task.variant or "" for run in runs for task in run.tasks} - {"", *whole})
    groups: dict[str, Wanted] = {
        **{title: _has("level", int(level)) for level, title in _LEVELS.items()},
        "Operation": _has("kind", _OPERATION),
        "Information Retrieval": lambda task: task.kind in _QUERIES,
        "All": lambda _: True,
    }
    found: Content = []
    for group, wanted in groups.items():
        of_group = _both(lambda task: task.variant in whole, wanted)
        found.append(_column("SR", "success_rate", group=group, of=_subset(of_group)))
        found.append((Column("States", group), _states_of(of_group)))
    return found + [
        _column(
            "SR", "success_rate", group=f"{n.capitalize()} goals", of=_subset(_has("variant", n))
        )
        for n in rewritten
    ]


def _has(name: str, value: object) -> Wanted:
    return lambda task: getattr(task, name) == value


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


# Mobile-Bench-v2's splits, by the tags of tasks.
_SPLITS = {
    "simple": "Common-Simple",
    "complex": "Common-Complex",
    "noisy": "Noisy Data",
    "ambiguous": "Ambiguous Data",
}
# The numbers of each split on a single path, and otherwise.
_OF_SPLIT = (
    ("Type/SE", "type_accuracy", "step_efficiency"),
    ("Step. Acc", "step_accuracy", "step_accuracy"),
    ("SR", "path_success_rate", "success_rate"),
)


def _mobile_bench_v2(_: Sequence[Run]) -> Content:
    """Return the columns of Mobile-Bench-v2's table 3: TYPE on a single path, SE otherwise.

    On a single path, its code compares the n-th action with the n-th golden one. Tasks whose check
    compares no steps have no step accuracy.
    """

    def of(split: str, title: str, *names: str) -> tuple[Column, Callable[[Run], Cell]]:
        def cell(run: Run) -> Cell:
            name = names[not run.is_on_path]
            is_share = name != "step_efficiency"
            number = (run.summary["tags"].get(split) or {}).get(name)
            return Cell(number, 1 if is_share else 2, percent=is_share)

        return Column(title, _SPLITS[split]), cell

    def category(run: Run) -> Cell:
        one_or_many = "Single" if run.is_on_path else "Multi"
        return Cell(one_or_many if run.summary["tasks"] else None)

    return [
        (Column("Models"), lambda run: Cell(", ".join(models_of(run.about)) or None)),
        (Column("Cate."), category),
        *(of(split, *numbers) for split in _SPLITS for numbers in _OF_SPLIT),
    ]


_VARIANTS = {"full": "Full Instruction", "vague": "Ambiguous Instruction"}
_ACCURACIES = (("Type", "type_accuracy"), ("Step. Acc", "step_accuracy"), ("SR", "success_rate"))


def _ambiguous(_: Sequence[Run]) -> Content:
    """Return the columns of Mobile-Bench-v2's table 6 (arXiv 2505.11891): full and vague goals."""
    return [
        _column(title, name, group=above, of=_group("variants", variant))
        for variant, above in _VARIANTS.items()
        for title, name in _ACCURACIES
    ]


# AndroidControl's subsets of the test set, by the tags of tasks, with the names that A3 uses.
_SUBSETS = {
    "idd": "IDD",
    "category_unseen": "Category Unseen",
    "app_unseen": "App Unseen",
    "task_unseen": "Task Unseen",
}
_LOW = "low"  # the tag of tasks whose agent received an instruction for each step


def _androidcontrol(_: Sequence[Run]) -> Content:
    """Return the columns of A3's table 4: the step accuracy, which it calls a success rate."""

    def is_in(subset: str, low: bool, task: Entry) -> bool:
        tags = {tag.lower().removeprefix("test-").replace(" ", "_") for tag in task.tags}
        return subset in tags and (_LOW in tags) is low

    return [
        _column(level, "step_accuracy", group=above, of=_subset(partial(is_in, subset, low)))
        for subset, above in _SUBSETS.items()
        for level, low in (("High", False), ("Low", True))
    ]


LAYOUTS: dict[str, Callable[[Sequence[Run]], Content]] = {
    "own": _own,
    "spa-bench": _spa_bench,
    "spa-bench-sets": _spa_bench_sets,
    "spa-bench-levels": _spa_bench_levels,
    "mobileagentbench": _mobileagentbench,
    "b-moca": _b_moca,
    "a3": _a3,
    "a3-v2": _a3_v2,
    "mobile-bench-v2": _mobile_bench_v2,
    "androidcontrol": _androidcontrol,
    "mobile-bench-v2-ambiguous": _ambiguous,
}
