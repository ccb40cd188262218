"""Measures when a run's tasks start, with an agent that stops at once: `start.py [WORKERS]` (8)."""

from __future__ import annotations

import sys

from processes import Noted, run_noted

# All suites that are not published benchmarks: 153 tasks.
SUITES = (
    "answers", "browser", "calculator", "calendar", "checks", "clock", "contacts", "coursera",
    "cross_app", "files", "judged", "messages", "minimap", "notes", "open_ended", "phone", "photos",
    "settings", "shop", "wuba",
)  # fmt: skip
PATHS = [f"tasks/{suite}" for suite in SUITES]
STAGES = (
    ("started", "first worker has started", min),
    ("started", "last worker has started", max),
    ("collected", "first worker has collected", min),
    ("collected", "last worker has collected", max),
    ("task began", "first task begins", min),
    ("task ended", "first task ends", min),
    ("task ended", "last task ends", max),
)


def measure(workers: str = "8") -> Noted:
    """Run these suites with an agent that stops at once."""
    return run_noted([*PATHS, "-n", workers, "--agent=noop"])


def main() -> None:
    """Print the measurements."""
    run = measure(*sys.argv[1:2])
    print("seconds since the start, and seconds of processor time of that process:")
    for stage, text, choose in STAGES:
        of_stage = [each for each in run.events if each["what"] == stage and each["worker"]]
        event = choose(of_stage, key=lambda each: each["seconds"])
        print(f"{event['seconds']:6.2f}  {event['cpu']:5.2f}  {text} ({event['worker']})")
    print(f"{run.seconds:6.2f}  {run.processor:5.2f}  the run has ended (all processes)")


if __name__ == "__main__":
    main()
