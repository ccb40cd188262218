"""The comparison of runs by a field of their tasks, and of paired tasks within one run.

Tasks of one run pair across the values of a field: the same task in two environments, or twins,
which ask for the same thing in two languages (see `Task.twin`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import plural, printable, to_wire
from pytest_mobileagent.report.comparison.pairing import (
    Tally,
    common,
    difference,
    id_without_variant,
    tallies,
)
from pytest_mobileagent.report.text import (
    escape_markdown,
    interval,
    label,
    markdown_table,
    percent,
    signed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Key
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

    By = Mapping[str, Any]

FIELDS = ("language", "level", "app", "environment")
_PAIRED = ("language", "environment")  # fields across whose values tasks pair
_LEVEL = 0.95
_MOST = 20  # listed pairs


def by_field(name: str, base: RecordedRun, run: RecordedRun | None = None) -> dict[str, Any]:
    """Return how runs differ for each value of a field, and how tasks differ across its values.

    - `groups`: for each value, the success rates of both runs over their common tasks, and the
      difference with its interval (95 %), as in `compare`. Empty for a single run.
    - `pairs`: for each run and each value but the first, the same numbers for the tasks that pair
      with tasks of the first value; `each` lists the pairs.

    Raises:
        ValueError: if there is only one run, and tasks do not pair by this field.
    """
    if run is None and name not in _PAIRED:
        fields = " and ".join(_PAIRED)
        msg = f"tasks of one run pair by {fields}, not by {name}: name a run to compare with BASE"
        raise ValueError(msg)
    groups = [] if run is None else list(_groups(name, base.tasks, run.tasks))
    whose = [("run", base)] if run is None else [("baseline", base), ("run", run)]
    pairs = [
        {"of": of, **each}
        for of, recorded in whose
        if name in _PAIRED
        for each in _pairs(name, recorded.tasks)
    ]
    return {"field": name, "groups": groups, "pairs": pairs}


def _groups(name: str, before: Sequence[Entry], after: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    for value in _values(name, [*before, *after]):
        both = [
            tallies(task for task in tasks if getattr(task, name) == value)
            for tasks in (before, after)
        ]
        yield {"value": value, **_compared(*both)}


def _compared(before: Mapping[Key, Tally], after: Mapping[Key, Tally]) -> dict[str, Any]:
    keys, found = common(before, after), difference(before, after)
    rates = [fmean(run[key].share for key in keys) if keys else None for run in (before, after)]
    return {
        "tasks": found.tasks,
        "baseline": rates[0],
        "run": rates[1],
        "difference": found.value,
        "interval": found.interval(_LEVEL),
        "p_value": found.p_value,
    }


def _pairs(name: str, tasks: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """Yield, for each value but the first, how its tasks differ from those of the first value."""
    counted: dict[Any, dict[Key, Tally]] = defaultdict(lambda: defaultdict(Tally))
    names: dict[tuple[Any, Key], str] = {}
    for task in tasks:
        if (key := _pair(name, task)) is None:
            continue
        value = getattr(task, name)
        (counts,) = tallies([task]).values() or (Tally(),)
        counted[value][key] += counts
        names[value, key] = label(task.id, task.environment)
    first, *others = _values(name, tasks) or [None]
    for value in others:
        before, after = counted[first], counted[value]
        keys = common(before, after)
        if keys:
            each = [
                {"id": names[first, key], "other": names[value, key]}
                | {"before": str(before[key]), "after": str(after[key])}
                for key in keys
            ]
            yield {"values": [first, value], **_compared(before, after), "each": each}


def _pair(name: str, task: Entry) -> Key | None:
    """Return the key that a task shares with its counterparts; None if it has none."""
    if name == "environment":
        return (task.id, None) if task.environment is not None else None
    if not task.twin:
        return None
    own = id_without_variant(task).rpartition("[")[2].removesuffix("]").rpartition("/")[2]
    both = " and ".join(sorted((own, task.twin)))
    return f"{task.suite}: {both}", task.environment


def _values(name: str, tasks: Sequence[Entry]) -> list[Any]:
    return sorted({value for task in tasks if (value := getattr(task, name)) is not None})


def by_lines(by: By) -> list[str]:
    """Return a comparison by a field as lines for a terminal."""
    lines = []
    if groups := by["groups"]:
        width = max(len(str(each["value"])) for each in groups)
        lines.append(f"by {by['field']}:")
        lines += [f"  {each['value']!s:<{width}}  {_summary_line(each)}" for each in groups]
    for each in by["pairs"]:
        first, other = each["values"]
        whose = f"in the {each['of']}, " if groups else ""
        lines.append(f"pairs {whose}{first} → {other}: {_summary_line(each)}")
        listed = each["each"]
        lines += [
            f"  {pair['id']}  {pair['before']} → {pair['after']}  {pair['other']}"
            for pair in listed[:_MOST]
        ]
        lines += [f"  and {len(listed) - _MOST} more: see --format=json"] * (len(listed) > _MOST)
    return lines or [f"no two tasks pair by {by['field']}"]


def format_single_run(name: str | None, run: RecordedRun, form: str) -> str:
    """Return the paired tasks of a single run, by a field, as "text", "markdown" or "json".

    Raises:
        ValueError: if no field is given, tasks do not pair by it, or the format is "html".
    """
    if name is None:
        msg = "name a run to compare BASE with, or the field by which its tasks pair: --by=FIELD"
        raise ValueError(msg)
    by = by_field(name, run)
    if form == "json":
        return json.dumps({"by": to_wire(by)}, ensure_ascii=False, indent=2)
    if form == "html":
        raise ValueError("--format=html shows one run beside the first: name two")
    return "\n".join(map(printable, (by_lines if form == "text" else by_markdown)(by)))


def _summary_line(each: By) -> str:
    count = plural(each["tasks"], "task")
    rates = f"{percent(each['baseline'])} → {percent(each['run'])}"
    between = interval(each["interval"])
    return f"{rates}   {signed(each['difference'])}{between and f' (95 %: {between})'}   {count}"


def by_markdown(by: By) -> list[str]:
    """Return a comparison by a field as lines of Markdown."""
    head = (by["field"], "tasks", "baseline", "run", "difference", "95 %")
    rows = [(str(each["value"]), *_cells(each)) for each in by["groups"]]
    rows += [
        (f"pairs in the {each['of']}: {each['values'][0]} → {each['values'][1]}", *_cells(each))
        for each in by["pairs"]
    ]
    if not rows:
        return [escape_markdown(line) for line in by_lines(by)]
    return [*markdown_table(head, rows), ""]


def _cells(each: By) -> tuple[str, ...]:
    rates = (percent(each[whose]) for whose in ("baseline", "run"))
    return str(each["tasks"]), *rates, signed(each["difference"]), interval(each["interval"])
