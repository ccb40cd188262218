"""`python -m pytest_mobileagent merge`: one run of several, such as the shards of one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.merging.merge import merge
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.reading import find_run
from pytest_mobileagent.report.text import lists
from pytest_mobileagent.report.text.table import table
from pytest_mobileagent.report.text.words import PAGE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_mobileagent.report.merging.merge import Merged

_SHOW = ("python", "-m", "pytest_mobileagent", "show")


def main(arguments: Sequence[str]) -> int:
    """Merge runs, print the table of the whole, and return the exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    target = Path(given.output).absolute()
    try:
        runs = [find_run(Path(run)) for run in given.runs]
        if twice := next((run for run in runs if runs.count(run) > 1), None):
            parser.error(f"{printable(str(twice))} is named twice")
        merged = merge(runs, target)
    except (OSError, ValueError, HostError, RecordError) as error:
        sys.stderr.write(f"error: {printable(str(error))}\n")
        return 1
    for remark in merged.remarks:
        sys.stderr.write(f"warning: {printable(remark)}\n")
    sys.stdout.write("".join(f"{line}\n" for line in _told(merged, Path(given.output))))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("merge"),
        description="Make one run of several: of the shards of one, or of what several machines "
        "did of it, also where some were killed. The runs themselves stay as they are.",
    )
    add = parser.add_argument
    add("runs", nargs="+", metavar="RUN", help="a run's folder, or a folder of runs: its newest")
    add("-o", "--output", required=True, metavar="DIR", help="the run's folder: new, or empty")
    return parser


def _told(merged: Merged, target: Path) -> list[str]:
    """Return what is said at the end; `target` is the folder as it was typed."""
    results = merged.report["tasks"]
    on_virtual_phones = bool(merged.report["run"].get("virtual"))
    return [
        *table(summarise(results)),
        *lists.failures(results),
        *lists.reviews(results),
        *lists.skips(results),
        *lists.not_run(results),
        *lists.remarks(results, on_virtual_phones=on_virtual_phones),
        printable(f"report: {target / PAGE}   (open it: {shlex.join([*_SHOW, str(target)])})"),
    ]
