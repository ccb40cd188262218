"""Measures time and memory of `compare`, `report` and the run's page for 10,000 results."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from report_page import browser, has_browser, heap, opened

from pytest_mobileagent import Agent, Case, Finish, Tap, Task
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.testing import FakePhone, play
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent import Action, Briefing, Observation

RESULTS = 10_000
SUITES = 12
PAGE = """
import sys
from pathlib import Path
from pytest_mobileagent.report.html.run_page import page_of
page_of(Path(sys.argv[1]), anew=True)
"""

# Measured from a small process, since a child's peak memory is at least that of its parent.
MEASURED = """
import os, subprocess, sys
null = subprocess.DEVNULL
process = subprocess.Popen(sys.argv[1:], stdout=null, stderr=null)
_, status, used = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


class Tapper(Agent):
    """Taps twice, and reports that it is done."""

    def start(self, briefing: Briefing) -> None:
        self.left = 2

    def step(self, observation: Observation) -> Action:
        self.left -= 1
        return Tap(5, 5) if self.left >= 0 else Finish("12 items")


class Taken(NamedTuple):
    """The processor time of a command in seconds, and its peak memory in megabytes."""

    seconds: float
    megabytes: float


def run_of(folder: Path, results: int, fails: int) -> Path:
    """Write a run in which every n-th result is a failure, and whose episodes are elsewhere."""
    episode = play(Tapper, "How many items are on the list?", phone=FakePhone(["<hierarchy/>"] * 3))
    about: dict[str, Any] = {
        "id": folder.name,
        "started": "2026-11-22T09:30:00.000+00:00",
        "agent": "tapper",
        "command": ["pytest", "tasks"],
        "fingerprints": {},
    }
    entries: dict[str, Any] = {}
    for number in range(results):
        suite, passes = f"suite{number % SUITES}", number % fails > 0
        nodeid = f"tasks/{suite}/test_it.py::test_it[{number}]"
        case = Case(Task("How many items?", golden_steps=2), f"{suite}/it-{number}", nodeid=nodeid)
        verdict = Verdict(
            passes, "check", "" if passes else "nothing has it", first_step=2 if passes else None
        )
        outcome = "passed" if passes else "failed"
        result = Result(
            case, outcome, episode=episode, verdict=verdict, folder=f"episodes/{number}.0"
        )
        entries[nodeid] = result.entry()
    whole = document(about, entries)
    folder.mkdir(parents=True)
    write_json(folder / "report.json", whole, indent=None)
    tasks = [
        {name: getattr(entry, name) for name in ("id", "key", "suite", "nodeid")}
        for entry in whole["tasks"]
    ]
    write_json(folder / "run.json", {"schema_version": 2, "run": about, "tasks": tasks})
    return folder


def measure(arguments: Sequence[str], turns: int = 1, folder: Path | None = None) -> Taken:
    """Return the minimum time and memory of a Python command, with cached bytecode.

    It runs in `folder`, so that a project's conftest.py is not loaded.
    """
    taken = []
    environment = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(turns):
        command = [sys.executable, "-c", MEASURED, sys.executable, *arguments]
        output = subprocess.check_output(command, env=environment, cwd=folder, text=True)
        status, seconds, kilobytes = output.split()
        if status != "0":
            msg = f"{' '.join(arguments)} ended with status {status}"
            raise SystemExit(msg)
        taken.append(Taken(float(seconds), int(kilobytes) / 1000))
    return min(taken)


def all_of(results: int = RESULTS) -> dict[str, Taken]:
    """Return the figures of each command; `read` is a process that only reads the JSON."""
    with tempfile.TemporaryDirectory() as temporary:
        both = [(Path(temporary, str(fails)), results, fails) for fails in (4, 5)]
        one, other = (run_of(*each) for each in both)
        module = ("-m", "pytest_mobileagent")
        taken = {
            "compare": measure([*module, "compare", str(one), str(other)], 3, one),
            "report": measure([*module, "report", str(one)], 3, one),
            "page": measure(["-c", PAGE, str(one)], 3),
            "read": measure(
                ["-c", "import json, sys; json.load(open(sys.argv[1]))", f"{one}/report.json"]
            ),
        }
        if has_browser():
            with browser() as chrome:
                taken["opened"] = Taken(opened(chrome, one / "report.html"), heap(chrome))
        return taken


def main() -> None:
    """Print the figures of each command."""
    begun = time.perf_counter()
    for name, taken in all_of(*map(int, sys.argv[1:])).items():
        sys.stdout.write(f"{name:8} {taken.seconds:6.2f} s  {taken.megabytes:5.0f} MB\n")
    sys.stdout.write(f"{time.perf_counter() - begun:.0f} s by the clock for all of it\n")


if __name__ == "__main__":
    main()
