"""A project with a gate and an agent that succeeds at chosen tasks, on a phone in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Case, Task
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.verdict import Verdict
from tests.options.asking import CONFTEST
from tests.plugin.projects import NO_PHONE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from pytest_mobileagent.report.entry import Report


AGENT = '''
import os, random
from pytest_mobileagent import Agent, Finish

class Skilled(Agent):
    """Fails some tasks, with a chance in percent, and kills its process once at others."""

    class Options:
        fails: str = ""
        chance: int = 0
        dies: str = ""

    def start(self, briefing):
        options, name = briefing.options, briefing.goal
        lucky = random.Random(briefing.seed).randrange(100) < options.chance
        self.done = lucky or name not in options.fails.split(",")
        if name in options.dies.split(",") and not os.path.exists("died"):
            open("died", "w").close()
            os._exit(1)

    def step(self, observation):
        return Finish("done" if self.done else "no idea")
'''

TASKS = """
import pytest
from pytest_mobileagent import task

def is_done(episode):
    assert episode.answers("done")

@pytest.mark.parametrize("number", range(8))
@task("easy{number}", tags=["easy"])
def test_easy(episode, number):
    is_done(episode)

@pytest.mark.parametrize("number", range(8))
@task("hard{number}", tags=["hard"])
def test_hard(episode, number):
    is_done(episode)
"""

# With eight tasks, one epoch without a difference rules out a drop of this size; an epoch with a
# failure does not.
EACH_TAG = """
[[bound]]
metric = "success_rate"
baseline = true
allow = 0.9
tag = "easy"

[[bound]]
metric = "success_rate"
baseline = true
allow = 0.9
tag = "hard"
"""


@dataclass(frozen=True)
class Gated:
    """The project: eight tasks for each of two tags."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        """The folder of the project."""
        return self.pytester.path

    def write(self) -> None:
        """Write the project, with a baseline that passed every task in three epochs."""
        self.pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
        self.pytester.makeconftest(CONFTEST)
        self.pytester.makepyfile(skilled=AGENT, test_all=TASKS)
        (self.path / "gate.toml").write_text(EACH_TAG, "utf-8")
        (self.path / "base").mkdir()
        (self.path / "base" / "report.json").write_text(_base(), "utf-8")

    def baseline(self, tasks: Mapping[str, list[bool | None]], name: str = "base") -> Path:
        """Write a run with the given outcomes per epoch, keyed by task name."""
        each = {f"all/{task}": epochs for task, epochs in tasks.items()}
        return write_run(self.path / name, each)

    def run(self, *arguments: str, workers: int = 0) -> pytest.RunResult:
        """Run the tasks in this process, or on `workers` workers."""
        given = ["--agent=skilled.py:Skilled", "--mobile-agent-process=off", *arguments]
        if workers:
            given += [f"-n{workers}", NO_PHONE]
        return self.pytester.runpytest_inprocess(*given)

    def gated(self, *arguments: str, workers: int = 0) -> pytest.RunResult:
        """Run the tasks for one or two epochs, as the gate of each tag decides."""
        given = ["--mobile-baseline=base", "--mobile-gate=gate.toml", "--mobile-epochs=1..2"]
        return self.run(*given, *arguments, workers=workers)

    def refused(self, *arguments: str) -> str:
        """Run the tasks, which must fail before a device is started; return the error."""
        result = self.run(*arguments)
        assert result.ret == 4, result.stdout.str()
        assert not (self.path / "devices.txt").exists()
        assert not (self.path / "runs").exists()
        (line,) = (line for line in result.errlines if line.startswith("ERROR: "))
        return line.removeprefix("ERROR: ")

    def report(self) -> dict[str, Any]:
        """Return the most recent report."""
        return json.loads((self.newest() / "report.json").read_text("utf-8"))  # type: ignore[no-any-return]

    def about(self) -> dict[str, Any]:
        """Return the description of the run from the most recent run.json."""
        return json.loads((self.newest() / "run.json").read_text("utf-8"))["run"]  # type: ignore[no-any-return]

    def newest(self) -> Path:
        """Return the folder of the most recent run."""
        return max((self.path / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns)

    def epochs(self) -> dict[str, list[int]]:
        """Return the epochs of each task in the most recent report."""
        found: dict[str, list[int]] = {}
        for task in self.report()["tasks"]:
            found.setdefault(task["id"].removeprefix("all/"), []).append(task["epoch"])
        return found


def write_run(folder: Path, tasks: Mapping[str, list[bool | None]]) -> Path:
    """Write the report of a run with the given outcomes per epoch, keyed by task id."""
    folder.mkdir(parents=True)
    write_json(folder / "report.json", _report(folder.name, tasks))
    return folder


@cache
def _base() -> str:
    """Return the report of a run that passed every task in three epochs."""
    names = (f"all/{tag}[{n}]" for tag in ("easy", "hard") for n in range(8))
    return to_line(_report("base", {name: [True] * 3 for name in names}))


def _report(run: str, tasks: Mapping[str, list[bool | None]]) -> Report:
    results = {
        f"{task}@{epoch}": _result(task, epoch, passed).entry()
        for task, epochs in tasks.items()
        for epoch, passed in enumerate(epochs)
    }
    return document({"id": run, "agent": "before"}, results)


def _result(task: str, epoch: int, passed: bool | None) -> Result:
    tag = task.partition("/")[2].partition("[")[0]
    case = Case(Task("goal", tags=(tag,)), task, nodeid=f"{task}@{epoch}", epoch=epoch)
    if passed is None:
        return Result(case, "error", fault="infrastructure")
    outcome = "passed" if passed else "failed"
    return Result(case, outcome, verdict=Verdict(passed, "check"))
