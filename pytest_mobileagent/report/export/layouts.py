"""The columns of a table of runs: our own, or those of a paper's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.export.subsets import (
    LEVELS,
    OPERATION,
    QUERIES,
    Run,
    a3_v2,
    androidcontrol,
    spa_bench_levels,
    spa_bench_sets,
)
from pytest_mobileagent.report.export.tables import Cell, Column, Table
from pytest_mobileagent.report.names import models_of, names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Summary = Mapping[str, Any]
    Content = list[tuple["Column", Callable[["Run"], "Cell"]]]


_ERRORS = {"self-reported", "step limit"}  # the terminations that SPA-Bench does not call errors
_VARIANTS = {"full": "Full Instruction", "vague": "Ambiguous Instruction"}
_ACCURACIES = (("Type", "type_accuracy"), ("Step. Acc", "step_accuracy"), ("SR", "success_rate"))
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
    if summary["decided"] < summary["tasks"]:
        rate = Cell(summary["success_rate_of_all"])
        count = f"{summary['decided']} of {summary['tasks']} tasks are decided"
        notes.append(f"{name}: {count}; its success rate of all is {rate}")
    if run.about.get("virtual"):
        notes.append(f"{name}: {VIRTUAL}")
    return notes


def _own(runs: Sequence[Run]) -> Content:
    epochs = min(run.summary["epochs"]["number"] for run in runs)
    repeated = [_passed(f"pass@{epochs}", "pass_at", epochs)]
    repeated.append(_passed(f"pass^{epochs}", "pass_all", epochs))
    return [
        (Column("Tasks"), lambda run: Cell(run.summary["tasks"], 0)),
        (Column("Success rate"), lambda run: _success(run, digits=1, percent=True)),
        (Column("Of all"), lambda run: Cell(run.summary["success_rate_of_all"], 1, percent=True)),
        *(repeated if epochs > 1 else []),
        _number("Step ratio", "mean_step_ratio", 2),
        _share("Premature", "premature_rate"),
        _share("Overdue", "overdue_rate"),
        _number("Steps", "mean_steps", 1),
        _number("s/step", "seconds_per_step", 2),
        _number("Tokens/task", "mean_tokens", 0),
        _number("USD/task", "mean_cost_usd", 4),
    ]


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
        _number("Premature Rate", "premature_rate", 3, inaccuracy),
        _number("Overdue Rate", "overdue_rate", 3, inaccuracy),
        _number("Mean Exec Time per Step (sec)", "seconds_per_step", 1),
        _number("Mean Token Cost per Step (USD)", "cost_per_step", 3),
    ]


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


def _a3(_: Sequence[Run]) -> Content:
    def of(group: str, name: str, title: str, above: str) -> tuple[Column, Callable[[Run], Cell]]:
        return Column(title, above), lambda run: Cell(
            (run.summary[group].get(name) or {}).get("success_rate"), 1, percent=True
        )

    levels = [of("levels", level, title, "Test Level") for level, title in LEVELS.items()]
    kinds = [of("kinds", kind, kind.title(), "Test Category") for kind in (OPERATION, *QUERIES)]
    return [*levels, *kinds, (Column("All"), lambda run: _success(run, digits=1, percent=True))]


# Mobile-Bench-v2's splits, by the tags of tasks.
_SPLITS = {
    "simple": "Common-Simple",
    "complex": "Common-Complex",
    "noisy": "Noisy Data",
    "ambiguous": "Ambiguous Data",
}


def _mobile_bench_v2(_: Sequence[Run]) -> Content:
    """Return the columns of Mobile-Bench-v2's table 3: TYPE on a single path, SE otherwise.

    On a single path, its code compares the n-th action with the n-th golden one. Tasks whose check
    compares no steps have no step accuracy.
    """

    def of(split: str, field: str, title: str) -> tuple[Column, Callable[[Run], Cell]]:
        return Column(title, _SPLITS[split]), lambda run: _of_split(run, split, field)

    columns = (("type or efficiency", "Type/SE"), ("step", "Step. Acc"), ("success", "SR"))
    each = [of(split, field, title) for split in _SPLITS for field, title in columns]
    return [
        (Column("Models"), lambda run: Cell(", ".join(models_of(run.about)) or None)),
        (
            Column("Cate."),
            lambda run: Cell(
                ("Single" if run.is_on_path else "Multi") if run.summary["tasks"] else None
            ),
        ),
        *each,
    ]


def _of_split(run: Run, split: str, field: str) -> Cell:
    numbers = run.summary["tags"].get(split)
    if numbers is None:
        return Cell(None)
    if field == "step":
        return Cell(numbers["step_accuracy"], 1, percent=True)
    if field == "success":
        rate = "path_success_rate" if run.is_on_path else "success_rate"
        return Cell(numbers[rate], 1, percent=True)
    if run.is_on_path:
        return Cell(numbers["type_accuracy"], 1, percent=True)
    return Cell(numbers["step_efficiency"], 2)


def _ambiguous(_: Sequence[Run]) -> Content:
    """Return the columns of Mobile-Bench-v2's table 6 (arXiv 2505.11891): full and vague goals."""

    def of(variant: str, title: str, name: str) -> tuple[Column, Callable[[Run], Cell]]:
        return Column(title, _VARIANTS[variant]), lambda run: Cell(
            (run.summary["variants"].get(variant) or {}).get(name), 1, percent=True
        )

    return [of(variant, *numbers) for variant in _VARIANTS for numbers in _ACCURACIES]


LAYOUTS: dict[str, Callable[[Sequence[Run]], Content]] = {
    "own": _own,
    "spa-bench": _spa_bench,
    "spa-bench-sets": spa_bench_sets,
    "spa-bench-levels": spa_bench_levels,
    "mobileagentbench": _mobileagentbench,
    "b-moca": _b_moca,
    "a3": _a3,
    "a3-v2": a3_v2,
    "mobile-bench-v2": _mobile_bench_v2,
    "androidcontrol": androidcontrol,
    "mobile-bench-v2-ambiguous": _ambiguous,
}


def _number(
    title: str, name: str, digits: int, group: str = ""
) -> tuple[Column, Callable[[Run], Cell]]:
    return Column(title, group), lambda run: Cell(run.summary[name], digits)


def _share(title: str, name: str) -> tuple[Column, Callable[[Run], Cell]]:
    return Column(title), lambda run: Cell(run.summary[name], 1, percent=True)


def _passed(title: str, name: str, epochs: int) -> tuple[Column, Callable[[Run], Cell]]:
    return Column(title), lambda run: Cell(run.summary[name].get(str(epochs)), 1, percent=True)


def _success(run: Run, *, digits: int = 3, percent: bool = False) -> Cell:
    """Return the success rate, with its interval over tasks if the run has several epochs."""
    summary = run.summary
    interval = summary["interval"] if summary["epochs"]["number"] > 1 else None
    low, high = interval or (None, None)
    return Cell(summary["success_rate"], digits, percent=percent, low=low, high=high)


def _run_to_run(summary: Summary | None) -> Cell:
    """Return the mean over epochs with B-MoCA's standard error (ddof 0)."""
    if summary is None:
        return Cell(None)
    rates = summary["epochs"]["success_rates"].values()
    mean = sum(rates) / len(rates) if rates else None
    return Cell(mean, 0, percent=True, error=summary["epochs"]["standard_error_ddof_0"])


def _ended(run: Run, endings: set[str]) -> Cell:
    rates = run.summary["termination_rates"]
    return Cell(sum(rates.get(each, 0.0) for each in endings) if rates else None)
