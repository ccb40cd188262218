"""Source files of projects that run on a phone in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

# For runs with workers whose tests have a phone in memory: nothing starts before they need it, as
# virtual phones would.
NO_PHONE = f"--mobile-device=graph:{Path(__file__).parents[2] / 'fixtures/graphs/coursera'}"

# A conftest.py with a phone that shows a different number after each action.
PHONE = """
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(FakePhone([make_screen(str(number)) for number in range(9)]))
"""
# A conftest.py with the same phone, an agent that taps three times, and a fixture for bodies.
TAPS = f"""{PHONE}
from pytest_mobileagent import Agent, Finish, Tap

class Taps(Agent):
    taps, answer = 3, "12 items"
    def start(self, briefing):
        self.left = self.taps
    def step(self, observation):
        self.left -= 1
        return Tap(5, 5) if self.left >= 0 else Finish(self.answer)

@pytest.fixture(scope="session")
def agent():
    return Taps

@pytest.fixture
def shows():
    return lambda episode, text: bool(episode.screen.find(text=text))
"""


def waits(taps: int) -> str:
    """Return an agent that taps `taps` times, then waits for a file `go` before it finishes."""
    return f"""
import threading
from pathlib import Path
from pytest_mobileagent import Agent, Finish, Tap

class Waits(Agent):
    def start(self, briefing):
        self.left = {taps}
    def step(self, observation):
        self.left -= 1
        if self.left >= 0:
            return Tap(5, 5)
        while not Path("go").exists():
            threading.Event().wait(0.02)
        return Finish("12")
"""


# A conftest.py with an agent that reports the goal, or asks the user and reports the reply.
REPEATS = """
import pytest
from pytest_mobileagent import Agent, Ask, Finish
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Asks(Agent):
    def start(self, briefing):
        self.goal = briefing.goal
    def step(self, observation):
        return Ask("Which size?") if observation.reply is None else Finish(observation.reply)

class Repeats(Agent):
    def start(self, briefing):
        self.goal = briefing.goal
    def step(self, observation):
        return Finish(self.goal)

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(FakePhone([make_screen("home")]))

@pytest.fixture(scope="session")
def agent(pytestconfig):
    return Asks if pytestconfig.getini("mobile_agent") == "asks" else Repeats
"""
_HEAD = """
import pytest
from pytest_mobileagent import Key, rows, task, tasks

"""
Ran = tuple["pytest.RunResult", list[dict[str, Any]]]  # and the tasks in its report


def newest_report(folder: Path) -> dict[str, Any]:
    """Return the report of the newest run in a project; empty without one."""
    paths = folder.glob("runs/*/report.json")
    newest = max(paths, key=lambda path: path.stat().st_mtime_ns, default=None)
    return {} if newest is None else dict(json.loads(newest.read_text("utf-8")))


def run_taps(pytester: pytest.Pytester, body: str, *arguments: str, conftest: str = TAPS) -> Ran:
    """Run tests, whose code is `body`, with the agent that taps."""
    pytester.makeconftest(conftest)
    pytester.makepyfile(_HEAD + body)
    pytester.makepyfile(taps="from conftest import Taps\nclass Taps(Taps): pass\n")
    given = ("-p", "no:cacheprovider", "--agent=taps.py:Taps", "--mobile-agent-process=off")
    result = pytester.runpytest_inprocess(*given, *arguments)
    return result, newest_report(pytester.path).get("tasks", [])


@dataclass(frozen=True)
class Shop:
    """Tasks in tasks/shop, on a phone in memory, with an agent that reports its goal."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        """The folder of the project."""
        return self.pytester.path

    def run(self, body: str, *arguments: str, agent: str = "repeats") -> pytest.RunResult:
        """Run the tests whose code is `body`."""
        self.pytester.makeconftest(REPEATS)
        self._write("test_shop.py", _HEAD + body)
        process = "--mobile-agent-process=off"
        quiet = ("-p", "no:cacheprovider", "--import-mode=importlib", process)
        # The fixture provides the class, so the agent's name does not come from --agent.
        self.pytester.makeini(f"[pytest]\nmobile_agent = {agent}")
        return self.pytester.runpytest_inprocess("tasks", *quiet, *arguments)

    def table(self, content: str, name: str = "shop.csv") -> None:
        """Write a table of tasks beside the tests."""
        self._write(name, content)

    def _write(self, name: str, content: str) -> None:
        folder = self.path / "tasks" / "shop"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)

    def report(self) -> list[dict[str, Any]]:
        """Return the tasks in the most recent report."""
        return self._tasks("report.json")

    def recorded(self) -> list[dict[str, Any]]:
        """Return the tasks in the most recent run.json."""
        return self._tasks("run.json")

    def _tasks(self, name: str) -> list[dict[str, Any]]:
        *_, path = sorted(self.path.glob(f"runs/*/{name}"))
        tasks: list[dict[str, Any]] = json.loads(path.read_text())["tasks"]
        return tasks


def ids(result: pytest.RunResult) -> list[str]:
    """Return the names of the tests in pytest's output."""
    return [line.rpartition("::")[2] for line in result.outlines if "::" in line]
