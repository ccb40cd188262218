"""How many times as fast 8 workers are as one, with an agent that thinks for a second a step.

`python benchmarks/workers.py [WORKERS…]` (1 8) runs 42 of the suite's tasks with each.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from processes import ROOT, run_pytest

SUITES = ("coursera", "clock", "settings")


def main() -> None:
    """Measure and print."""
    first = 0.0
    paths = [str(ROOT / "tasks" / suite) for suite in SUITES]
    for workers in sys.argv[1:] or ["1", "8"]:
        with tempfile.TemporaryDirectory() as folder:
            agent = Path(__file__).with_name("thinking.py")
            options = [f"--agent={agent}:Thinking", f"--mobile-runs={folder}", "-n", workers]
            seconds, _ = run_pytest([*paths, *options])
            (report,) = Path(folder).glob("*/report.json")
            tasks = json.loads(report.read_text("utf-8"))["tasks"]
        first = first or seconds
        steps = sum(task["steps"] or 0 for task in tasks)
        done = sum(task["success"] is True for task in tasks)
        print(
            f"{workers} workers: {seconds:.1f} s for {len(tasks)} tasks ({done} done) in {steps}"
            f" steps, {first / seconds:.1f} times as fast",
            flush=True,
        )


if __name__ == "__main__":
    main()
