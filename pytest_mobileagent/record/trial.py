"""Trials of a recorded task, which show whether its checks and its solution work.

The solution must pass; doing nothing, and the solution without its last move, must fail; and the
solution must pass again on a newly started phone, at another time and with another seed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Action, Finish
from pytest_mobileagent.agent.agent import Agent, Scripted
from pytest_mobileagent.jsonable import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent._task import Task
    from pytest_mobileagent._task.solution import Move
    from pytest_mobileagent.episode.observation import Observation

_TIMES = ("2027-03-09T16:41", "2027-03-09T09:41")  # of the last trial, by `is_afternoon`
_LONGEST = 300  # characters of the reason why a trial went wrong
_LIMIT = 300  # seconds that a trial may take


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of trial: the agent that plays the task, and whether it must pass."""

    title: str
    agent: type[Agent]
    passes: bool
    options: tuple[str, ...] = ()


class Nothing(Agent):
    """Reports completion in its first step."""

    def step(self, observation: Observation) -> Action:
        """Report completion."""
        return Finish()


class TooLittle(Scripted):
    """Plays the solution without its last move."""

    def moves(self, task: Task) -> Sequence[Move]:
        """Return all moves but the last."""
        return super().moves(task)[:-1]


KINDS = (
    Kind("the solution passes", Scripted, True),
    Kind("doing nothing fails", Nothing, False),
    Kind("without the last move it fails", TooLittle, False),
    Kind("it passes at another time, too", Scripted, True, ("--mobile-seed=1",)),
)


@dataclass
class TrialOutcome:
    """The outcome of a trial.

    - `is_right`: whether the trial went as required; None until it has ended.
    - `line`: the line of the file at which an assert failed; 0 if none did.
    """

    title: str
    is_right: bool | None = None
    words: str = ""
    line: int = 0


@dataclass
class FileTrials:
    """All trials of a file, run one after another in a separate thread."""

    file: Path
    device: str
    is_afternoon: bool = False
    outcomes: list[TrialOutcome] = field(default_factory=list)

    def start(self) -> None:
        """Start the trials; `outcomes` shows their progress."""
        self.outcomes = [TrialOutcome(kind.title) for kind in KINDS]
        self._process: subprocess.Popen[bytes] | None = None
        threading.Thread(target=self._run, name="trial", daemon=True).start()

    @property
    def passed(self) -> bool:
        """Whether all trials had the required outcome."""
        return bool(self.outcomes) and all(each.is_right for each in self.outcomes)

    def stop(self) -> None:
        """Stop the trials that are still running."""
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()

    def _run(self) -> None:
        for kind, outcome in zip(KINDS, self.outcomes, strict=True):
            self._try(kind, outcome)

    def _try(self, kind: Kind, outcome: TrialOutcome) -> None:
        options = list(kind.options)
        if options and self.device == "virtual":  # the clock of a real phone is not changed
            options.append(f"--mobile-device-time={_TIMES[self.is_afternoon]}")
        with tempfile.TemporaryDirectory(prefix="mobileagent-trial-") as folder:
            command = [
                *(sys.executable, "-m", "pytest", str(self.file), "-q", "-p", "no:cacheprovider"),
                f"--agent={kind.agent.__module__}:{kind.agent.__name__}",
                *(f"--mobile-device={self.device}", "--mobile-retries=0"),
                *(f"--mobile-runs={folder}", "--tb=short", "-n0", *options),
            ]
            output = self._output(command)
            entry = _entry(Path(folder))
        if entry is None:
            outcome.is_right, outcome.words = False, _last_words(output)
            return
        outcome.is_right = entry["success"] is kind.passes
        outcome.words = _words(entry, kind)
        where = ((entry.get("verdict") or {}).get("evidence") or {}).get("where") or ""
        line = str(where).rpartition(":")[2]
        outcome.line = int(line) if line.isdecimal() and not outcome.is_right else 0

    def _output(self, command: Sequence[str]) -> str:
        environment = {n: v for n, v in os.environ.items() if not n.startswith("MOBILE_")}
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=environment,
        ) as process:  # fmt: skip
            self._process = process
            try:
                output, _ = process.communicate(timeout=_LIMIT)
            except subprocess.TimeoutExpired:
                process.terminate()
                output, _ = process.communicate()
        return output.decode("utf-8", "replace")


def _entry(runs: Path) -> dict[str, Any] | None:
    for path in runs.glob("*/report.json"):
        tasks = json.loads(path.read_text("utf-8"))["tasks"]
        return dict(tasks[0]) if tasks else None
    return None


def _words(entry: dict[str, Any], kind: Kind) -> str:
    if entry["success"] is kind.passes:
        return ""
    if entry["success"] is True:
        return "the checks hold anyway: they do not test what the goal asks for"
    return cut(str(entry["reason"] or entry["outcome"]).split("\n")[0], _LONGEST)


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "E  "))]
    return (errors or lines or ["pytest printed nothing"])[-1]
