"""Measures the time of published agents per step, with scripted models.

python benchmarks/agents.py [AGENT …]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
REPLIES = ROOT / "fixtures" / "replies"


def measure(agent: str, runs: Path) -> dict[str, float]:
    """Run an agent on tasks/coursera, and return the sums of its run."""
    model = f"--mobile-model=scripted:{REPLIES / agent}.jsonl"
    command = [sys.executable, "-m", "pytest", "tasks/coursera", "-q", f"--agent={agent}", model]
    subprocess.run(
        [*command, f"--mobile-runs={runs}"], cwd=ROOT, stdout=subprocess.DEVNULL, check=False
    )
    (report,) = runs.glob("*/report.json")
    return dict(json.loads(report.read_text("utf-8"))["summary"])


def main() -> None:
    agents = sys.argv[1:] or sorted(path.stem for path in REPLIES.glob("*.jsonl"))
    print("milliseconds of a step, of all tasks of tasks/coursera")
    print(f"{'agent':24} {'thinking':>9} {'acting':>7} {'calls a step':>13}")
    for agent in agents:
        with tempfile.TemporaryDirectory() as runs:
            summary = measure(agent, Path(runs))
        steps = summary["mean_steps"] * summary["decided"]
        thinking, acting = (1000 * summary[f"{n}_seconds"] / steps for n in ("thinking", "acting"))
        print(f"{agent:24} {thinking:9.0f} {acting:7.0f} {summary['calls'] / steps:13.1f}")


if __name__ == "__main__":
    main()
