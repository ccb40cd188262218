"""`python -m pytest_mobileagent compare`: compare runs with the first one, and apply a gate.

The comparison is printed for a terminal, or as Markdown for a pull request.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.comparison.by_field import (
    FIELDS,
    by_field,
    by_lines,
    by_markdown,
    format_single_run,
)
from pytest_mobileagent.report.comparison.compare import compare, paired_by_variant
from pytest_mobileagent.report.comparison.episode_pairs import with_episode_pairs
from pytest_mobileagent.report.gate.decide import decide_finished, decision_lines, decision_markdown
from pytest_mobileagent.report.gate.spec import read_gate
from pytest_mobileagent.report.names import names_of
from pytest_mobileagent.report.recorded_run import find_run, recorded_run
from pytest_mobileagent.report.text.comparison import (
    comparison_details,
    comparison_line,
    comparison_markdown,
    name_of,
    title_of,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.report.gate.spec import Gate
    from pytest_mobileagent.report.recorded_run import RecordedRun

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
