"""The comparison of a run with its baseline, task by task and epoch by epoch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from math import fsum
from operator import attrgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task import FULL, OFFICIAL
from pytest_mobileagent._task.case import without_variant
from pytest_mobileagent.episode import runs
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import to_wire
from pytest_mobileagent.report.comparison.pairing import (
    across_variants,
    case_of,
    common,
    difference,
    fallen,
    paired_names,
    tallies,
    total,
)
from pytest_mobileagent.report.metrics.behaviour import noise_totals
from pytest_mobileagent.report.metrics.doubtful import unclear_as_failed
from pytest_mobileagent.report.names import agent_name, names_of
from pytest_mobileagent.report.published_settings import unlike_preset
from pytest_mobileagent.report.text import label
from pytest_mobileagent.statistics import mean, standard_error, student_cdf

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.report.comparison.pairing import Key, Tallies, Tally
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

    Both = Mapping[str, Sequence[str]]  # values in the "baseline" and in the "run"


LEVEL = 0.95  # of all intervals
MEASURES = ("steps", "seconds", "cost_usd", "crashes", "step_accuracy", "type_accuracy")
# Fingerprints that should be equal even when different agents, prompts or models are compared.
SHOULD_BE_EQUAL = (
    "tasks", "checks", "apps", "device", "environments", "seeds", "limits", "plugin", "wording",
    "noise", "sees",
)  # fmt: skip
_FEW = 3  # tasks named in an error


def paired_by_variant(base: RecordedRun, run: RecordedRun) -> tuple[RecordedRun, RecordedRun]:
    """Return two runs with task ids changed so that different variants of a task pair, too.

    A run compared with itself is split: vague and full goals, or rewritten and official ones.
    """
    before, after = base.tasks, run.tasks
    whole = {FULL, OFFICIAL}
    others = {task.variant for task in after} - whole - {None}
    if base.folder == run.folder and others and any(task.variant in whole for task in before):
        before = [task for task in before if task.variant in whole]
        after = [task for task in after if task.variant in others]
    before, after = across_variants(before, after)
    return replace(base, tasks=before), replace(run, tasks=after)


def compare(base: RecordedRun, run: RecordedRun) -> dict[str, Any]:
    """Return how `run` differs from `base`, as plain data: `comparison` of report.json.

    - `baseline`, `run`: id, agent, whether the run has ended; and for the tasks in both runs, the
      numbers of `decided` and of all `episodes`, and the mean of the tasks' success rates.
    - `tasks`: the number of tasks decided in both runs; `difference`, `interval` (95 %),
      `standard_error` and `p_value` (two-sided) of the success rate: a paired t-test over them.
    - `variants`: the variant of the tasks in each run, if they differ (see `Task.vague`).
    - `gained`, `lost`: tasks that pass in most of their epochs in one run only. `flaky`: tasks that
      passed in some epochs and failed in others, in either run. `new`, `missing`: tasks that are in
      one run only, or were decided in one run only.
    - `paired`: the number of episodes of the same task, environment and epoch that both runs
      decided, and how many of them became a success (`gained`) or a failure (`lost`).
    - `epochs`: the highest number of decided epochs of a task, in the baseline and in the run.
    - `steps`, `seconds`, `cost_usd`, `crashes`, `step_accuracy`, `type_accuracy`: means of decided
      episodes in `baseline` and `run` over common tasks, and the `difference` with its interval.
    - `noise`: noise met in common tasks, and the reactions, in `baseline` and `run`.
    - `versions`: the versions of Python, the system and packages that differ, each in `baseline`
      and in `run`; `nodes`: the machines of each run, if workers were on several.
    - `differs_in`: the fingerprints of run.json that differ; `should_be_equal`: those of them that
      should be equal when agents are compared; `unknown`: those that one of the runs lacks.
    - `unlike_preset`: what differs from the settings of a preset (`published_settings`), in each.

    Unclear answers count as failed, as in gates.

    Raises:
        ValueError: if the runs have no task in common.
    """
    base, run = paired_by_variant(base, run)
    base, run = (replace(each, tasks=unclear_as_failed(each.tasks)) for each in (base, run))
    before, after = tallies(base.tasks), tallies(run.tasks)
    _check_overlap(base.folder, run.folder, before, after)
    keys, found = common(before, after), difference(before, after)
    names = names_of([base.about, run.about])
    both = [key for key in before if key in after]
    compared = {
        "baseline": _about(base, names[0], [before[key] for key in both]),
        "run": _about(run, names[1], [after[key] for key in both]),
        "tasks": found.tasks,
        "variants": _variants(base, run, keys),
        "difference": found.value,
        "interval": found.interval(LEVEL),
        "level": LEVEL,
        "standard_error": found.error,
        "p_value": found.p_value,
        **_changes(before, after),
        "paired": _paired(base.tasks, run.tasks),
        "epochs": [max((t[k].decided for k in keys), default=0) for t in (before, after)],
        **{name: _measure(name, base.tasks, run.tasks, keys) for name in MEASURES},
        **_conditions(base, run, {*both}),
    }
    return dict(to_wire(compared))


def _conditions(base: RecordedRun, run: RecordedRun, both: Collection[Key]) -> dict[str, Any]:
    """Return the conditions under which the runs were made, as far as they may differ."""
    differs_in, unknown = _differs_in(base, run, both)
    named = {"baseline": base, "run": run}
    of_both = {
        whose: [task for task in each.tasks if (task.id, task.environment) in both]
        for whose, each in named.items()
    }
    return {
        "noise": {whose: noise_totals(tasks) for whose, tasks in of_both.items()},
        "versions": different_versions(of_both),
        "nodes": {whose: nodes(tasks) for whose, tasks in of_both.items()},
        "differs_in": differs_in,
        "should_be_equal": [name for name in differs_in if name in SHOULD_BE_EQUAL],
        "unknown": unknown,
        "unlike_preset": {
            whose: unlike_preset(each.folder, each.about, each.tasks)
            for whose, each in named.items()
        },
    }


def _about(run: RecordedRun, name: str, counted: Sequence[Tally]) -> dict[str, Any]:
    decided = [tally.share for tally in counted if tally.decided]
    every = total(counted)
    return {
        "id": run.about.get("id") or str(run.folder),
        "name": name,
        "agent": agent_name(str(run.about.get("agent") or "")) or None,
        "has_ended": run.has_ended,
        "decided": every.decided,
        "episodes": every.decided + every.missing,
        "success_rate": fmean(decided) if decided else None,
    }


def _variants(base: RecordedRun, run: RecordedRun, keys: Collection[Key]) -> list[str] | None:
    """Return the variant of the common tasks in each run; None unless the runs have one each."""
    ids = {key[0] for key in keys}
    names = [{task.variant for task in each.tasks if task.id in ids} for each in (base, run)]
    differ = all(len(each) == 1 for each in names) and names[0] != names[1]
    return [str(name) for each in names for name in each] if differ else None


def _changes(before: Tallies, after: Tallies) -> dict[str, Any]:
    """Return the lists of tasks by what became of them; those that changed most come first."""
    keys = common(before, after)
    keys.sort(key=lambda key: -abs(after[key].share - before[key].share))

    def rows(of: Iterable[Key]) -> list[dict[str, Any]]:
        return [{**_named(key), "before": str(before[key]), "after": str(after[key])} for key in of]

    return {
        "gained": rows(key for key in keys if after[key].passes and not before[key].passes),
        "lost": rows(fallen(keys, before, after)[0]),
        "flaky": rows(key for key in keys if before[key].is_flaky or after[key].is_flaky),
        "new": _alone(after, before),
        "missing": _alone(before, after),
    }


def _alone(these: Tallies, others: Tallies) -> list[dict[str, Any]]:
    """Return the tasks of a run that the other run lacks, or has not decided."""
    none = [key for key, tally in these.items() if key not in others]
    undecided = [k for k, t in these.items() if k in others and t.decided and not others[k].decided]
    return [_named(key) for key in [*none, *undecided]]


def _named(key: Key) -> dict[str, Any]:
    return {"id": key[0], "environment": key[1]}


def _paired(before: Sequence[Entry], after: Sequence[Entry]) -> dict[str, int]:
    known = {case_of(task): task.success for task in before if task.success is not None}
    both = [
        (known[case_of(task)], task.success)
        for task in after
        if task.success is not None and case_of(task) in known
    ]
    gained, lost = both.count((False, True)), both.count((True, False))
    return {"episodes": len(both), "gained": gained, "lost": lost}


def _measure(
    name: str, before: Sequence[Entry], after: Sequence[Entry], keys: Collection[Key]
) -> dict[str, Any]:
    first, second = _means(name, before), _means(name, after)
    both = [key for key in keys if key in first and key in second]
    of_task: dict[str, list[float]] = defaultdict(list)
    for key in both:
        of_task[key[0]].append(second[key] - first[key])
    each = [fsum(values) / len(values) for values in of_task.values()]
    estimate, error = mean(each, LEVEL), standard_error(each)
    p_value = None
    if error and estimate.value is not None:
        p_value = 2 * student_cdf(-abs(estimate.value / error), len(each) - 1)
    interval = None if estimate.low is None else [estimate.low, estimate.high]
    return {
        "baseline": fmean(first[key] for key in both) if both else None,
        "run": fmean(second[key] for key in both) if both else None,
        "difference": estimate.value,
        "interval": interval,
        "p_value": p_value,
        "tasks": len(each),
    }


def _means(name: str, tasks: Sequence[Entry]) -> dict[Key, float]:
    """Return the mean of a number over the decided epochs of each task for which it is known."""
    values: dict[Key, list[float]] = defaultdict(list)
    for task, number in zip(tasks, map(attrgetter(name), tasks), strict=True):
        if number is not None and task.success is not None:
            values[task.id, task.environment].append(number)
    return {key: fsum(each) / len(each) for key, each in values.items()}  # fmean takes long


def _differs_in(
    base: RecordedRun, run: RecordedRun, both: Collection[Key]
) -> tuple[list[str], list[str]]:
    """Return the names of the fingerprints that differ, and of those that one run lacks."""
    before, after = (dict(each.about.get("fingerprints") or {}) for each in (base, run))
    if not before or not after:
        return [], ["fingerprints"]
    # A run that lacks a fingerprint equals one whose fingerprint is None.
    changed = [n for n in dict.fromkeys([*before, *after]) if before.get(n) != after.get(n)]
    unknown = [name for name in changed if (name in before) != (name in after)]
    differs = [name for name in changed if name not in unknown]
    if "tasks" in differs and _same_tasks(base, run, both):
        differs.remove("tasks")
    return differs, unknown


def _same_tasks(base: RecordedRun, run: RecordedRun, both: Collection[Key]) -> bool:
    """Return whether the common tasks of two runs are the same in both.

    The fingerprint of the tasks also differs if only one run has a task, or has more epochs of it.
    Goals in a different wording count as the same goals: `wording` has its own fingerprint.
    """
    try:
        before, after = (_recorded(each, both) for each in (base, run))
    except RecordError:
        return False
    shared = before.keys() & after.keys()
    return bool(shared) and all(_is_same(before[key], after[key]) for key in shared)


def _is_same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    one, other = before["task"], after["task"]
    if one["wording"] != other["wording"]:
        worded = {"goal", "wording"}
        one, other = ({n: v for n, v in t.items() if n not in worded} for t in (one, other))
        before, after = {**before, "task": one}, {**after, "task": other}
    return before == after


def _recorded(run: RecordedRun, both: Collection[Key]) -> dict[str, Any]:
    """Return the description of each common task in run.json, by the key of its case."""
    cases = (case for case in runs.cases(run.folder) if (case.id, case.environment) in both)
    return {case.key: {n: v for n, v in case.to_json().items() if n != "nodeid"} for case in cases}


def check_cases(base: RecordedRun, folder: Path, cases: Sequence[Case]) -> None:
    """Check that a run of these cases, in a folder, will have a task in common with its baseline.

    Raises:
        ValueError: if it will not.
    """
    before = [(task.id, task.variant) for task in base.tasks]
    after = [(case.id, case.task.variant or None) for case in cases]
    pairs = paired_names(before, after)

    def key(name: str, variant: str | None, environment: str | None) -> Key:
        bare = without_variant(name, variant or "")
        return (bare if bare in pairs else name), environment

    there = {key(t.id, t.variant, t.environment) for t in base.tasks if t.outcome != "skipped"}
    here = {key(case.id, case.task.variant, case.environment) for case in cases}
    _check_overlap(base.folder, folder, there, here)


def _check_overlap(base: Path, run: Path, before: Collection[Key], after: Collection[Key]) -> None:
    if not {*before}.isdisjoint(after):
        return
    ids = [sorted({key[0] for key in each}) for each in (before, after)]
    if {*ids[0]} & {*ids[1]}:
        places = [sorted({key[1] or "none" for key in each}) for each in (before, after)]
        what = "their tasks are in other environments"
        theirs, own = (", ".join(each) for each in places)
    else:
        what = "no task is in both"
        theirs, own = (", ".join(map(label, each[:_FEW])) or "no task" for each in ids)
    msg = (
        f"{run} cannot be compared with {base}: {what} (the baseline has {theirs}; "
        f"the run has {own}): name a baseline of the same tasks"
    )
    raise ValueError(msg)


def different_versions(runs: Mapping[str, Sequence[Entry]]) -> dict[str, Both]:
    """Return the versions that differ between or within two runs, by the name of the package.

    A package that a machine lacks has the version "none"; episodes without versions are ignored.
    """
    each: dict[str, list[dict[str, str]]] = {}  # the distinct sets of versions in each run
    for whose, tasks in runs.items():
        recorded = {tuple(task.versions.items()) for task in tasks if task.versions}
        each[whose] = [dict(versions) for versions in sorted(recorded)]
    found: dict[str, Both] = {}
    for name in dict.fromkeys(n for known in each.values() for one in known for n in one):
        both = {w: sorted({one.get(name, "none") for one in known}) for w, known in each.items()}
        if len({version for those in both.values() for version in those}) > 1:
            found[name] = both
    return found


def nodes(tasks: Sequence[Entry]) -> list[str]:
    """Return the names of the machines on which the tasks were run, as far as recorded."""
    return sorted({task.node for task in tasks if task.node})
