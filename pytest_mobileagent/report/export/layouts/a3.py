"""A3 (arXiv 2501.01149).

a3:2                  right functions and wrong lines of drafted checks; needs a file with the
                      totals of `draft-check --compare`, written by hand (docs/reports.md)
a3:3                  right verdicts of judges; needs a file: what `calibrate --format=json` prints
a3:4  androidcontrol  step accuracy by subset and level; needs AndroidControl's tags
                      (`test-IDD`, …), and `low` where agents are given `instructions`
a3:5                  success by level; needs levels 1 to 3
a3:6                  success by category; needs operations and queries
a3:5-6  a3            tables 5 and 6 in a row for each agent
a3:v2  a3-v2          of the second release, success and essential states by level and category;
                      needs tasks with a `rubric` or sub-goals
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task import FULL, OFFICIAL
from pytest_mobileagent.jsonable import Each
from pytest_mobileagent.report.export.layouts import (
    LEVELS,
    Layout,
    Measure,
    Parts,
    Run,
    Wanted,
    grouped,
    has,
    long,
    measure,
    success,
    titled,
    turned,
)
from pytest_mobileagent.report.export.tables import Cell
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.report.entry import Entry

_KINDS: Parts = {
    title: has("kind", title.lower())
    for title in ("Operation", "Single-frame Query", "Multi-frame Query")
}
_RATE = measure("Succ. Rate", "success_rate", percent=True)
_BOTH = (
    *(replace(each, group="Test Level") for each in titled(LEVELS, _RATE)),
    *(replace(each, group="Test Category") for each in titled(_KINDS, _RATE)),
    Measure("All", lambda run: success(run, digits=1, percent=True)),
)


def _states(run: Run) -> Cell:
    """Return the share of essential states that were achieved.

    A3 counts the states of all tasks together (`print_llm_results.py` of its release), so a task
    with many states weighs more than one with few.
    """
    decided = [task for task in run.tasks if task.success is not None]
    counted = [(_count(task), task.partial_credit) for task in decided]
    known = [(count, share) for count, share in counted if count and share is not None]
    achieved = sum(count * share for count, share in known)
    return Cell(ratio(achieved, sum(count for count, _ in known)), 1, percent=True)


def _count(task: Entry) -> int:
    """Return the number of states that decide a task: statements for judges, or sub-goals."""
    evidence = task.verdict["evidence"] if task.verdict else {}
    details = [judge.get("details") or {} for judge in evidence.get("judges") or ()]
    judged = next((each["statements"] for each in details if "statements" in each), None)
    return len(judged if judged is not None else task.subgoals or ())


def _second_release(runs: Sequence[Run]) -> list[Measure]:
    """Return success and states of original goals, and the success alone of rewritten ones."""
    original = {None, FULL, OFFICIAL}
    names = sorted({task.variant or "" for run in runs for task in run.tasks} - {"", *original})
    rewritten = {f"{name.capitalize()} goals": has("variant", name) for name in names}
    parts = {
        **LEVELS,
        "Operation": _KINDS["Operation"],
        "Information Retrieval": lambda task: (task.kind or "").endswith("frame query"),
        "All": lambda _: True,
    }
    rate = measure("SR", "success_rate", percent=True)
    of_original = grouped({"": lambda task: task.variant in original}, rate, _STATES)
    return [*grouped(parts, *of_original), *grouped(rewritten, rate)]


_STATES = Measure("States", _states)


def _in_subset(name: str) -> Wanted:
    def wanted(task: Entry) -> bool:
        return name in {tag.lower().removeprefix("test-").replace(" ", "_") for tag in task.tags}

    return wanted


# AndroidControl's subsets, by tags; the agents of tasks with the tag "low" received an instruction
# for each step. What A3 calls a success rate is a step accuracy.
_SUBSETS: Parts = {
    title: _in_subset(title.lower().replace(" ", "_"))
    for title in ("IDD", "Category Unseen", "App Unseen", "Task Unseen")
}
_LOW: Parts = {"High": lambda task: "low" not in task.tags, "Low": has("tags", "low")}
_STEPS = measure("", "step_accuracy", percent=True, sign=False)


_DRAFTS = {"models": Each(dict.fromkeys(("functions", "right", "lines", "wrong"), int))}
_ANSWERS = ("true_positives", "true_negatives", "false_positives", "false_negatives")
_JUDGE = {"judge": str, **dict.fromkeys(_ANSWERS, int)}
_JUDGES = {"modes": [{"mode": str, "judges": [_JUDGE]}]}


def _drafts(data: dict[str, Any]) -> Iterator[Run]:
    for model, each in data["models"].items():
        if not (0 <= each["right"] <= each["functions"] and 0 <= each["wrong"] <= each["lines"]):
            raise ValueError(f"a part of {model!r} is negative, or more than the whole")
        right, wrong = ratio(each["right"], each["functions"]), ratio(each["wrong"], each["lines"])
        yield Run({"label": model}, {"right": right, "wrong": wrong})


def _judges(data: dict[str, Any]) -> Iterator[Run]:
    for mode in data["modes"]:
        more = f", {mode['mode']}" if len(data["modes"]) > 1 else ""
        for each in mode["judges"]:
            counts = [each[name] for name in _ANSWERS]
            if min(counts) < 0:
                raise ValueError(f"a count of {each['judge']!r} is negative")
            right = ratio(sum(counts[:2]), sum(counts))
            yield Run({"label": f"{each['judge']}{more}"}, {"right": right})


_SHARE = partial(measure, digits=0, percent=True)
TABLES = (
    Layout(
        "a3:2",
        (_SHARE("Correct Func.", "right"), _SHARE("Wrong Line", "wrong")),
        heads=("LLM",),
        source="a file with the totals of `draft-check --compare` (docs/reports.md)",
        kind=_DRAFTS,
        counted=_drafts,
    ),
    Layout(
        "a3:3",
        (_SHARE("Eval Correct", "right"),),
        heads=("LLM",),
        source="what `calibrate --format=json` prints",
        kind=_JUDGES,
        counted=_judges,
    ),
    Layout(
        "a3:4 androidcontrol",
        grouped(_SUBSETS, *titled(_LOW, _STEPS)),
        arrange=turned,
        heads=("Test Subset", "Test Level", "Succ. Rate"),
    ),
    Layout("a3:5", grouped(LEVELS, _RATE), None, long, ("Agent", "Test Level")),
    Layout("a3:6", grouped(_KINDS, _RATE), None, long, ("Agent", "Test Category")),
    Layout("a3:5-6 a3", _BOTH),
    Layout("a3:v2 a3-v2", _second_release),
)
