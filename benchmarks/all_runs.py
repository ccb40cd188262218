"""The page of 1,000 runs of 100 tasks: `python benchmarks/all_runs.py [RUNS [TASKS]]`.

Prints the time to write the page from each run's summary line, and the time to make these lines.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent import Case, Task
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.report.html.all_runs_page import write_overview, write_runs_page
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Report


def report(number: int, tasks: int, draw: random.Random) -> Report:
    """Return the report of a run with random outcomes."""
    results = {}
    for place in range(tasks):
        passed = draw.random() < 0.6
        case = Case(Task("Do it."), f"clock/task_{place}", f"suite{place % 3}", f"test_{place}")
        outcome = "passed" if passed else "failed"
        verdict = Verdict(passed, "check", "")
        results[case.nodeid] = Result(case, outcome, verdict=verdict).entry()
    day = f"2026-{1 + number // 28 % 12:02}-{1 + number % 28:02}T09:00:00+00:00"
    about = {"id": f"run-{number}", "agent": f"agent{number % 5}", "started": day, "ended": day}
    return document(about, results)


def main(runs: int = 1000, tasks: int = 100) -> None:
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        took = 0.0
        for number in range(runs):
            run = folder / f"run-{number:05}"
            run.mkdir()
            whole = report(number, tasks, draw)
            write_json(run / "report.json", whole, indent=None)
            began = time.perf_counter()
            write_overview(run, whole)
            took += time.perf_counter() - began
        print(f"a line for each of {runs} runs of {tasks} tasks: {1000 * took / runs:.1f} ms each")
        began = time.perf_counter()
        page = write_runs_page(folder)
        took = time.perf_counter() - began
        print(f"the page of all of them: {took:.2f} s, {page.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
