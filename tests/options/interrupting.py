"""A project of tasks that need no phone, whose runs can be interrupted and resumed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CONFTEST = """
import pytest, threading
from pathlib import Path
from pytest_mobileagent import Agent, Finish
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Worker(Agent):
    class Options:
        speed: int = 1

    def start(self, briefing):
        self.goal = briefing.goal
        with open("worked.txt", "a") as file:
            print(self.goal, file=file)

    def step(self, observation):
        if "wait" in self.goal and Path("stop").exists():
            Path(f"began {self.goal}").touch()
            threading.Event().wait()
        return Finish(self.goal)

class Other(Worker):
    pass

class Lease(FakeLease):
    current = ""

    def get(self):
        if "break" in Lease.current and Path("stop").exists():
            with open("worked.txt", "a") as file:
                print("Do break.", file=file)
            raise DeviceError("the cable is out")
        return super().get()

@pytest.fixture(autouse=True)
def current(request):
    Lease.current = request.node.name

@pytest.fixture(scope="session")
def mobile_lease():
    Path("leased.txt").touch()
    return Lease(FakePhone([make_screen("Home")]))

@pytest.fixture(scope="session")
def agent():
    return Worker
"""
TASKS = """
from pathlib import Path
import pytest
from pytest_mobileagent import task
from pytest_mobileagent.errors import UndecidedError

@pytest.mark.parametrize("what", {what})
@task("Do {{what}}.", golden_steps=3)
def test_it(episode, what):
    if what == "dispute":
        raise UndecidedError("the judges disagree")
    if what == "raise":
        raise RuntimeError("a broken body")
    if what == "interrupt" and Path("stop").exists():
        pytest.exit("stopped by hand")
    assert what != "fail"
"""
ALL = ["fine", "fail", "dispute", "raise", "break", "interrupt", "last"]
AGENT = "--agent=conftest.py:Worker"


class Suite:
    """A project of tasks that need no phone, whose agent records the tasks it works on."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
        pytester.makeconftest(CONFTEST)

    def write(self, what: list[str]) -> None:
        self.pytester.makepyfile(test_all=TASKS.format(what=what))

    def run(self, *arguments: str, agent: str = AGENT) -> pytest.RunResult:
        given = [agent] if agent else []
        return self.pytester.runpytest_inprocess(
            *given, "--mobile-agent-process=off", "--mobile-retries=0", *arguments
        )

    def stop(self, what: list[str] = ALL) -> Path:
        """Run the tasks until one of them interrupts the run; return the run's folder."""
        self.write(what)
        (self.pytester.path / "stop").touch()
        self.run()
        (self.pytester.path / "stop").unlink()
        self.worked()
        (folder,) = (self.pytester.path / "runs").iterdir()
        return folder

    def worked(self) -> list[str]:
        """Return the tasks that the agent has worked on since the last call."""
        path = self.pytester.path / "worked.txt"
        found = path.read_text().split("\n")[:-1] if path.exists() else []
        path.unlink(missing_ok=True)
        return [goal.removeprefix("Do ").rstrip(".") for goal in found]

    def refused(self, *arguments: str, agent: str = AGENT) -> str:
        result = self.run(*arguments, agent=agent)
        assert result.ret == pytest.ExitCode.USAGE_ERROR, result.stdout.str()
        assert not self.worked()
        (line,) = (line for line in result.errlines if line.startswith("ERROR: "))
        return line.removeprefix("ERROR: ")


def report(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "report.json").read_text())


def outcomes(folder: Path) -> dict[str, str]:
    found = {task["nodeid"]: task["outcome"] for task in report(folder)["tasks"]}
    return {nodeid.partition("[")[2].rstrip("]"): outcome for nodeid, outcome in found.items()}
