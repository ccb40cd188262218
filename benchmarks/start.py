"""When the tasks of a run begin, with an agent that stops at once: `start.py [WORKERS]` (8)."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from processes import run_pytest

STAGES = (
    ("started", "first worker has started", min),
    ("started", "last worker has started", max),
    ("collected", "first worker has collected", min),
    ("collected", "last worker has collected", max),
    ("task began", "first task begins", min),
    ("task ended", "first task ends", min),
    ("task ended", "last task ends", max),
)


def main() -> None:
    """Measure and print."""
    workers = sys.argv[1] if len(sys.argv) > 1 else "8"
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "events.jsonl")
        seconds, _ = run_pytest(
            ["tasks", "-n", workers, "--agent=noop", "-p", "events", f"--mobile-runs={folder}"],
            PYTHONPATH=str(Path(__file__).parent),
            BENCHMARK_EVENTS=str(notes),
            BENCHMARK_BEGAN=str(time.time()),
        )
        events = [json.loads(line) for line in notes.read_text("utf-8").splitlines()]
    print("seconds since the start, and seconds of processor time of that process:")
    for stage, text, choose in STAGES:
        of_stage = [each for each in events if each["what"] == stage and each["worker"]]
        event = choose(of_stage, key=lambda each: each["seconds"])
        print(f"{event['seconds']:6.2f}  {event['cpu']:5.2f}  {text} ({event['worker']})")
    print(f"{seconds:6.2f}         the run has ended")


if __name__ == "__main__":
    main()
