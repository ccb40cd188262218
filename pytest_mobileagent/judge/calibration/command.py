"""`python -m pytest_mobileagent calibrate`: how far judges can be trusted."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.judge.calibration.judging import INTERRUPTED, Plan, judge_all
from pytest_mobileagent.judge.calibration.labels import read_labels
from pytest_mobileagent.judge.calibration.options import parser, read_options
from pytest_mobileagent.judge.calibration.summary import as_text, summary
from pytest_mobileagent.judge.panel import reader
from pytest_mobileagent.plain import printable, to_wire

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import Any

    from pytest_mobileagent.judge.calibration.judging import Outcome
    from pytest_mobileagent.judge.calibration.label import Labels
    from pytest_mobileagent.judge.calibration.options import Settings


def main(arguments: Sequence[str], project: Callable[[], Settings]) -> int:
    """Ask judges about labelled episodes, and print how reliable they are (see `options.parser`).

    `project` returns what the project in the current folder sets.
    """
    given = parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
            labels = read_labels(given.labels, suspects=given.suspects)
            options = read_options(given, project(), Path(folder) / "spent.jsonl")
            plan = Plan(
                labels.each,
                options.judges,
                options.settings,
                reader(options.ocr),
                options.modes,
                options.runs,
                uses_components=not given.no_coarse,
                threads=given.threads,
            )
            outcome = judge_all(plan, _tell)
            found = summary(plan, labels, outcome)
    except KeyboardInterrupt:  # the second one, or before any judge was asked
        return 130
    except (MobileAgentError, ValueError) as error:
        print(f"error: {printable(str(error))}", file=sys.stderr)
        return 2
    return _report(found, given, labels, outcome)


def _tell(done: int, of: int) -> None:
    """Report progress on standard error: on one line of a terminal, otherwise now and then."""
    is_terminal = sys.stderr.isatty()
    if is_terminal or done == of or done % 50 == 0:
        line = f"{done} of {of} episodes judged"
        print(f"\r{line}" if is_terminal else line, end="" if done < of and is_terminal else "\n",
              file=sys.stderr, flush=True)  # fmt: skip


def _report(
    found: dict[str, Any], given: argparse.Namespace, labels: Labels, outcome: Outcome
) -> int:
    """Print what was found, and return the exit status."""
    if given.format == "json":
        print(json.dumps(to_wire(found), ensure_ascii=False, indent=2))
    elif outcome.labels:
        print(as_text(found))
    if outcome.stopped:
        left = f"{outcome.labels} of {len(labels.each)} episodes were judged"
        print(f"{outcome.stopped}: {left}; the same command goes on from there", file=sys.stderr)
        return 130 if outcome.stopped == INTERRUPTED else 2
    return 0 if any(answer.passed is not None for answer in outcome.answers) else 1
