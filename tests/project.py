"""A project that uses the plugin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Address

APPS = Path(__file__).parent / "apps"

PROJECT_CONFTEST = f"""
from pathlib import Path

def pytest_mobileagent_agents(config):
    return config.rootpath / "agents"

def pytest_mobileagent_apps(config):
    return Path({str(APPS)!r})
"""

AGENTS = """
from pytest_mobileagent.agent.agent import Scripted

class Oracle(Scripted):
    pass
"""

NOOP = """
from pytest_mobileagent import Agent, Finish

class Noop(Agent):
    def step(self, observation):
        return Finish()
"""

TASKS = """
import pytest
from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task

COUNTER = "com.example.counter"
DATABASE = "/data/data/com.example.counter/databases/counter.db"

@pytest.mark.parametrize("times", [1, 2])
@task(
    "Count to {times}.",
    app=COUNTER,
    golden_steps=2,
    level=1,
    probes={"count": sqlite(DATABASE, "select n from counter")},
    solution=[open_app(), tap(resource_id="add"), tap(text="Add one")],
)
def test_count(episode, times):
    assert episode.probe("count") == [{"n": times}]

@task(
    "Tell me the code.",
    app=COUNTER,
    level=2,
    kind="single-frame query",
    solution=[open_app(), tap(text="Second page"), answer(seen(resource_id="code"))],
)
def test_code(episode):
    assert episode.answers("4711")
"""


@dataclass(frozen=True)
class Project:
    """A user's project, in its own folder."""

    pytester: pytest.Pytester
    phone: Address

    def write(self, **files: str) -> None:
        """Write files, given by their paths, in which `__` separates folders."""
        for name, content in files.items():
            path = self.pytester.path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest on the shared phone; agents run in its process, where nothing else is said."""
        device = f"--mobile-device=serial:{self.phone.serial}"
        return self.pytester.runpytest_inprocess(device, "--mobile-agent-process=off", *arguments)

    def run_virtual(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in this process, on phones that only this run uses."""
        return self.pytester.runpytest_inprocess(*arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        """Run pytest likewise, in a separate process: the project changes what others import."""
        return self.pytester.runpytest_subprocess(*arguments)


@pytest.fixture
def project(pytester: pytest.Pytester, phone: Address, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with an app, two agents and three tasks: one that passes, one that the oracle
    overshoots, and one that asks for an answer.
    """
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(phone.adb_port))
    monkeypatch.setenv("HOME", phone.home)
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    project = Project(pytester, phone)
    project.write(
        conftest=PROJECT_CONFTEST,
        agents__oracle=AGENTS,
        agents__noop=NOOP,
        tasks__counter__test_counter=TASKS,
    )
    return project
