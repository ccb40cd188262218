"""`python -m pytest_mobileagent compare`: compare runs with the first, and apply a gate to them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.comparison.text import (
    comparison_details,
    comparison_line,
    comparison_markdown,
)
from pytest_mobileagent.report.gate.decide import (
    decide_finished,
    decision_lines,
    decision_markdown,
)
from pytest_mobileagent.report.gate.spec import read_gate
from pytest_mobileagent.report.recorded import find_run, recorded_run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.report.gate.spec import Gate
    from pytest_mobileagent.report.recorded import RecordedRun

_WORST_FIRST = (9, 1, 8, 0)
_USAGE = 4  # pytest's status for a usage error: 1 is a gate's FAIL


def main(arguments: Sequence[str], setting: Callable[[str], tuple[str, Path] | None]) -> int:
    """Compare runs and return the exit status: the gate's, 0 without one, 4 for what is wrong.

    `setting` gives the text of a setting of this project, by its ini key, with the folder that
    paths in it are of; it is asked for the gate if none is given.
    """
    given = _parser().parse_args(arguments)
    try:
        text, folder = (given.gate, Path()) if given.gate else setting("mobile_gate") or ("", None)
        gate = read_gate(text, folder) if folder is not None else None
        base, *others = (recorded_run(find_run(Path(run))) for run in (given.base, *given.runs))
        found = [_entry(base, run, gate) for run in others]
    except (OSError, RecordError, ValueError) as error:
        sys.stderr.write(f"error: {printable(str(error))}\n")
        return _USAGE
    sys.stdout.write("\n".join(_FORMATS[given.format](found)) + "\n")
    statuses = [each["gate"]["status"] for each in found if each["gate"]]
    return next((status for status in _WORST_FIRST if status in statuses), 0)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("compare"),
        description="Compare runs with the first one, task by task and epoch by epoch. With a gate "
        "the status is 0 for PASS, 1 for FAIL, 8 for INCONCLUSIVE, and 9 if infrastructure broke "
        "too much; of several runs it is the worst. 4: something is asked wrongly.",
        epilog="RUN is a run's folder, or a folder of runs, of which the newest is taken.",
    )
    add = parser.add_argument
    add("base", metavar="BASE", help="the run that the others are compared with")
    add("runs", metavar="RUN", nargs="+", help="a run")
    add(
        "--gate",
        metavar="FILE|EXPRESSION",
        default="",
        help="what has to hold: a TOML file, or an expression such as 'success_rate >= baseline' "
        "(default: the project's mobile_gate)",
    )
    add("--format", choices=_FORMATS, default="text", help="(default: text)")
    return parser


def _entry(base: RecordedRun, run: RecordedRun, gate: Gate | None) -> dict[str, Any]:
    comparison = compare(base, run)
    decision = None if gate is None else decide_finished(gate, run, base).to_wire()
    return {"comparison": comparison, "gate": decision}


def _text(found: Sequence[Mapping[str, Any]]) -> list[str]:
    names = _names(found)
    base = found[0]["comparison"]["baseline"]
    title = f"against {printable(str(base['agent']))} ({printable(str(base['id']))}):"
    width = max(map(len, names))
    lines = [title]
    for name, each in zip(names, found, strict=True):
        lines.append(comparison_line(each["comparison"], name.ljust(width)))
    for name, each in zip(names, found, strict=True):
        lines += ["", *([printable(name)] if len(found) > 1 else [])]
        lines += comparison_details(each["comparison"])
        lines += decision_lines(each["gate"]) if each["gate"] else []
    while not lines[-1]:
        lines.pop()
    return lines


def _markdown(found: Sequence[Mapping[str, Any]]) -> list[str]:
    lines: list[str] = []
    for name, each in zip(_names(found), found, strict=True):
        lines += decision_markdown(each["gate"]) if each["gate"] else []
        lines += comparison_markdown(each["comparison"], name)
    return lines


def _json(found: Sequence[Mapping[str, Any]]) -> list[str]:
    return [json.dumps({"runs": found}, ensure_ascii=False, indent=2)]


def _names(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the runs: their agents, or their ids where agents are the same."""
    runs = [each["comparison"]["run"] for each in found]
    agents = Counter(run["agent"] for run in [found[0]["comparison"]["baseline"], *runs])
    return [str(run["agent"] if agents[run["agent"]] == 1 else run["id"]) for run in runs]


_FORMATS = {"text": _text, "markdown": _markdown, "json": _json}
