"""A project whose agents ask models, on a phone in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

CONFTEST = """
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    with open("devices.txt", "a") as file:
        file.write("started ")
    return FakeLease(FakePhone([make_screen("0")]))
"""

AGENTS = """
import os
from pytest_mobileagent import Agent, Finish, ModelCall, Reply, Tap

class Asks(Agent):
    roles = ("actor",)
    def start(self, briefing):
        self.model = briefing.model("actor")
    def step(self, observation):
        words = self.model.complete("What now?").text
        return Finish(words[6:]) if words.startswith("done: ") else Reply(Tap(5, 5), said=words)

class Two(Asks):
    roles = ("planner", "actor")
    def start(self, briefing):
        super().start(briefing)
        briefing.model("planner").complete("Plan!")

class Silent(Agent):
    def step(self, observation):
        return Finish("4711")

class Own(Agent):
    def step(self, observation):
        call = ModelCall("elsewhere", input_tokens=500, output_tokens=20, price_usd=0.25)
        return Reply(Tap(5, 5), calls=[call])
"""

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(COUNT))
@task("Tell me the code.")
def test_code(episode, number):
    assert episode.answers("4711")
"""

# An agent that never ends, and a task that takes two steps.
ENDLESS = """
from pytest_mobileagent import Agent, Key

class Endless(Agent):
    def step(self, observation):
        return Key("home")
"""
TWO_STEPS = """
from pytest_mobileagent import task

@task("Tell me the code.", golden_steps=2)
def test_code(episode):
    assert episode.answers("4711")
"""

OWN_PRICE = '["openai:own"]\ninput = 100\noutput = 1000\n'  # $0.20: 1000 tokens in, 100 out


@dataclass(frozen=True)
class Asking:
    """The project; by default, its agents run in pytest's process."""

    pytester: pytest.Pytester

    def write(self, count: int = 1) -> None:
        """Write the project with `count` tasks."""
        self.pytester.makeconftest(CONFTEST)
        self.pytester.makepyfile(asking=AGENTS, test_codes=TASKS.replace("COUNT", str(count)))
        self.pytester.makefile(".toml", prices=OWN_PRICE)

    def script(self, *replies: Any, name: str = "replies") -> str:
        """Write a script of replies and return the name of the model that plays it."""
        path = self.pytester.path / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(reply)}\n" for reply in replies), "utf-8")
        return f"scripted:{path.name}"

    def run(self, *arguments: str, agent: str = "Asks", off: bool = True) -> pytest.RunResult:
        """Run the tasks; `agent` is a class of the project, or one that is shipped."""
        named = f"asking.py:{agent}" if agent.istitle() else agent
        return self.pytester.runpytest_inprocess(
            f"--agent={named}", *(["--mobile-agent-process=off"] * off), *arguments
        )

    def refused(self, *arguments: str, agent: str = "Asks", off: bool = True) -> str:
        """Run the tasks, which must fail before a device is started; return the error."""
        result = self.run(*arguments, agent=agent, off=off)
        assert result.ret == 4, result.stdout.str()
        assert not (self.pytester.path / "devices.txt").exists()
        (line,) = (line for line in result.errlines if line.startswith("ERROR: "))
        return line.removeprefix("ERROR: ")

    def report(self) -> dict[str, Any]:
        """Return the newest report."""
        paths = (self.pytester.path / "runs").glob("*/report.json")
        newest = max(paths, key=lambda path: path.stat().st_mtime_ns)
        return json.loads(newest.read_text("utf-8"))  # type: ignore[no-any-return]

    def calls(self) -> list[dict[str, Any]]:
        """Return the recorded model calls of all runs."""
        paths = sorted((self.pytester.path / "runs").glob("*/episodes/*/calls.jsonl"))
        return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
