"""`python -m pytest_mobileagent compare`: compare runs with the first one, and apply a gate.

The comparison is printed for a terminal, or as Markdown for a pull request. With `--by`, it is also
made for each value of a field, and between the paired tasks of one run: the same task in two
environments, or twins, which ask for the same thing in two languages (see `Task.twin`).
"""

from __future__ import annotations

import json
import shlex
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.jsonable import plural, printable, to_wire
from pytest_mobileagent.report.comparison.compare import LEVEL, compare, paired_by_variant
from pytest_mobileagent.report.comparison.episode_pairs import with_episode_pairs
from pytest_mobileagent.report.comparison.pairing import (
    Tally,
    common,
    difference,
    id_without_variant,
    tallies,
)
from pytest_mobileagent.report.gate.decide import decide_finished, decision_lines, decision_markdown
from pytest_mobileagent.report.gate.spec import read_gate
from pytest_mobileagent.report.names import names_of
from pytest_mobileagent.report.recorded_run import find_run, recorded_run
from pytest_mobileagent.report.text import (
    escape_markdown,
    interval,
    label,
    markdown_table,
    percent,
    signed,
)
from pytest_mobileagent.report.text.comparison import (
    comparison_details,
    comparison_line,
    comparison_markdown,
    name_of,
    title_of,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Key, Tallies
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.gate.spec import Gate
    from pytest_mobileagent.report.recorded_run import RecordedRun

    By = Mapping[str, Any]


_WORST_FIRST = (9, 1, 8, 0)
_USAGE = 4  # pytest's exit status for a usage error; 1 is a gate's FAIL


def main(arguments: Sequence[str], setting: Callable[[str], tuple[str, Path] | None]) -> int:
    """Compare runs and return the exit status: the gate's, 0 without a gate, 4 after an error.

    `setting` returns a setting of this project by its ini key, with the folder to which paths in it
    are relative. It is called for the gate if none is given.
    """
    given = _parser().parse_args(arguments)
    try:
        text, folder = (given.gate, Path()) if given.gate else setting("mobile_gate") or ("", None)
        gate = read_gate(text, folder) if folder is not None else None
        base, *others = (recorded_run(find_run(Path(run))) for run in (given.base, *given.runs))
        found = [_entry(base, run, gate, given.by) for run in others]
        names = names_of([run.about for run in (base, *others)])
        for each, name in zip(found, names[1:], strict=True):
            each["comparison"]["run"]["name"] = name
        if not others:
            text = format_single_run(given.by, base, given.format)
        elif given.format == "html":
            text = _write_page(base, others, found, given.output)
        else:
            text = "\n".join(_FORMATS[given.format](found, given))
    except (OSError, HostError, RecordError, ValueError) as error:
        return failed(error, _USAGE)
    sys.stdout.write(f"{text}\n")
    statuses = [each["gate"]["status"] for each in found if each["gate"]]
    return next((status for status in _WORST_FIRST if status in statuses), 0)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("compare"),
        description="Compare runs with the first one, task by task and epoch by epoch. With a gate "
        "the exit status is 0 for PASS, 1 for FAIL, 8 for INCONCLUSIVE, and 9 after too many "
        "infrastructure failures; with several runs it is the worst of theirs. It is 4 for a usage "
        "error.",
        epilog="RUN is the folder of a run, a folder of runs, whose newest run is used, or a "
        "bundle.",
    )
    add = parser.add_argument
    add("base", metavar="BASE", help="the run that the others are compared with")
    add("runs", metavar="RUN", nargs="*", help="a run to compare with BASE")
    by = "also compare by the values of a field of the tasks; with BASE alone, compare tasks that "
    by += "pair: in two environments, or as twins in two languages"
    add("--by", choices=FIELDS, help=by)
    gate = "the conditions to check: a TOML file, or an expression such as "
    gate += "'success_rate >= baseline' (default: the project's mobile_gate)"
    add("--gate", metavar="FILE|EXPRESSION", default="", help=gate)
    formats = (*_FORMATS, "html")
    add("--format", choices=formats, default="text", help="of the output (default: text)")
    page = "with --format=markdown: the URL at which the page of --format=html is published; lost "
    page += "and gained tasks link to the step on it at which their two episodes diverge"
    add("--page", metavar="URL", default="", help=page)
    output = "with --format=html: the page to write, one file with the episodes of the tasks that "
    output += "turned out differently (default: compare.html)"
    add("-o", "--output", metavar="FILE", help=output)
    return parser


def _entry(
    base: RecordedRun, run: RecordedRun, gate: Gate | None, by: str | None
) -> dict[str, Any]:
    base, run = paired_by_variant(base, run)
    comparison = with_episode_pairs(compare(base, run), base, run)
    decision = None if gate is None else decide_finished(gate, run, base).to_wire()
    divided = {"by": by_field(by, base, run)} if by else {}
    return {"comparison": comparison, "gate": decision, **divided}


def _write_page(
    base: RecordedRun, others: Sequence[RecordedRun], found: Sequence[Mapping[str, Any]], path: str
) -> str:
    """Write the page of two runs, and return its path, with a warning if it is large."""
    from pytest_mobileagent.report.html.run_page import write_packed_pair

    if len(others) != 1:
        raise ValueError("--format=html shows one run beside the first: name two")
    page = Path(path or "compare.html")
    warning = write_packed_pair(base.folder, others[0].folder, found[0]["comparison"], page)
    return "\n".join(filter(None, [printable(str(page)), warning]))


def _text(found: Sequence[Mapping[str, Any]], given: argparse.Namespace) -> list[str]:
    names = [name_of(each["comparison"]["run"]) for each in found]
    base = found[0]["comparison"]["baseline"]
    lines = [f"against {title_of(base)}:"]
    width = max(map(len, names))
    for name, each in zip(names, found, strict=True):
        lines.append(comparison_line(each["comparison"], name.ljust(width)))
    for name, each in zip(names, found, strict=True):
        more = comparison_details(each["comparison"])
        more += map(printable, by_lines(each["by"])) if "by" in each else []
        more += decision_lines(each["gate"]) if each["gate"] else []
        heading = [printable(name)] if more and len(found) > 1 else []
        lines += ["", *heading, *more] if more else []
    for path, each in zip(given.runs, found, strict=True):
        if any("episodes" in entry for entry in each["comparison"]["lost"]):
            words = ["python", "-m", "pytest_mobileagent", "show", given.base, path]
            lines += ["", f"side by side, at that step: {shlex.join(words)} TASK"]
    return lines


def _markdown(found: Sequence[Mapping[str, Any]], given: argparse.Namespace) -> list[str]:
    lines: list[str] = []
    for each in found:
        lines += decision_markdown(each["gate"]) if each["gate"] else []
        lines += comparison_markdown(each["comparison"], given.page)
        lines += by_markdown(each["by"]) if "by" in each else []
    return lines


def _json(found: Sequence[Mapping[str, Any]], _: argparse.Namespace) -> list[str]:
    return [json.dumps({"runs": found}, ensure_ascii=False, indent=2)]


_FORMATS = {"text": _text, "markdown": _markdown, "json": _json}


FIELDS = ("language", "level", "app", "environment")
_PAIRED = ("language", "environment")  # fields across whose values tasks pair
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
        both = [tallies(t for t in run if getattr(t, name) == value) for run in (before, after)]
        yield {"value": value, **_compared(*both)}


def _compared(before: Tallies, after: Tallies) -> dict[str, Any]:
    keys, found = common(before, after), difference(before, after)
    rates = [fmean(run[key].share for key in keys) if keys else None for run in (before, after)]
    return {
        "tasks": found.tasks,
        "baseline": rates[0],
        "run": rates[1],
        "difference": found.value,
        "interval": found.interval(LEVEL),
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
