"""Shared by the benchmarks: runs pytest as users do, and measures its time."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]


def run_pytest(
    arguments: Sequence[str], folder: Path | str = ROOT, **variables: str
) -> tuple[float, float]:
    """Run pytest, ignoring its status, and return the elapsed time and the processor time.

    Bytecode is cached, as by default. Hypothesis's plugin, which users do not need, is disabled.
    """
    environment = {**os.environ, **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:hypothesispytest",
    ]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False
    )
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Noted(NamedTuple):
    """A run of pytest, and when its processes reached their stages (see events.py).

    `seconds` is the elapsed time, `processor` the processor time of all processes, including the
    phones. `tasks` are those of report.json.
    """

    seconds: float
    processor: float
    events: list[dict[str, Any]]
    tasks: list[dict[str, Any]]

    def first(self, what: str) -> float:
        """Return when something happened in a worker for the first time."""
        return min(each["seconds"] for each in self.events if _is_of_worker(each, what))

    def last(self, what: str) -> float:
        """Return when something happened in a worker for the last time."""
        return max(each["seconds"] for each in self.events if _is_of_worker(each, what))


def _is_of_worker(event: dict[str, Any], what: str) -> bool:
    return bool(event["worker"]) and event["what"] == what


def run_noted(arguments: Sequence[str]) -> Noted:
    """Run pytest on workers, and return its measurements.

    Raises:
        RuntimeError: if the run has no report, or no task has started.
    """
    adopt_orphans()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "events.jsonl")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds, _ = run_pytest(
            [*arguments, "-p", "events", f"--mobile-runs={folder}"],
            PYTHONPATH=str(Path(__file__).parent),
            BENCHMARK_EVENTS=str(notes),
            BENCHMARK_BEGAN=str(time.time()),
        )
        with suppress(ChildProcessError):
            while True:
                os.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = notes.read_text("utf-8").splitlines() if notes.exists() else []
        events = [json.loads(line) for line in lines]
        reports = list(Path(folder).glob("*/report.json"))
        if not reports or not any(_is_of_worker(each, "task began") for each in events):
            msg = f"pytest {' '.join(arguments)} has run no task"
            raise RuntimeError(msg)
        tasks = json.loads(reports[0].read_text("utf-8"))["tasks"]
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Noted(seconds, spent, events, tasks)


def adopt_orphans() -> None:
    """Make this process the parent of orphaned descendants, such as the processes of phones.

    This works on Linux only; on other systems, their processor time is missing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
