"""A project that uses the plugin, and what its runs in this process share."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pytest_mobileagent

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Address

APPS = Path(__file__).parent / "apps"

_RERUNS = sys.modules.get("pytest_rerunfailures")  # a plugin, if it is there

if _RERUNS is not None:

    class LateServer(_RERUNS.ServerStatusDB):  # type: ignore[misc, name-defined]
        """The counter of reruns, which listens from when workers are told where.

        The plugin's own listens at once, and for ever: a socket for each run within a test.
        """

        def __init__(self) -> None:
            _RERUNS.StatusDB.__init__(self)  # type: ignore[union-attr]
            self.rerunfailures_db: dict[str, dict[str, int]] = {}

        @property
        def sock_port(self) -> int:
            if not hasattr(self, "sock"):
                super().__init__()
            return int(super().sock_port)

    _RERUNS.ServerStatusDB = LateServer  # type: ignore[attr-defined]

# Plugins of others, which each run would load. The tests of how we get on with them say otherwise.
_OTHERS = (
    "anyio",
    "hypothesispytest",
    "allure_pytest",
    "html",
    "html_fixtures",
    "metadata",
    "pytest_cov",
    "reportlog",
)
FEW_PLUGINS = " ".join(f"-p no:{name}" for name in _OTHERS)  # of PYTEST_ADDOPTS
# Rooms that runs in this process do not load, and libraries that they load late. The HTTP library
# of the models' SDKs remembers classes of httpcore2, and numpy cannot be loaded twice.
_NOT_OF_RUNS = ("__main__", "init", "mcp", "virtual")
_RAY = "plugin.engine.ray."  # what needs a library that may be missing, and loads for seconds
_LIBRARIES = ("genai_prices", "httpcore2", "jinja2", "numpy", "openai", "stamina")


@pytest.fixture(scope="session")
def loaded() -> None:
    """Load once what runs in this process would each load, and forget when they end."""
    for room in pkgutil.iter_modules(pytest_mobileagent.__path__):
        if room.name not in _NOT_OF_RUNS:
            module = importlib.import_module(f"{pytest_mobileagent.__name__}.{room.name}")
            for part in pkgutil.walk_packages(
                getattr(module, "__path__", ()), f"{module.__name__}."
            ):
                if _RAY not in part.name:
                    importlib.import_module(part.name)
    for name in _LIBRARIES:
        importlib.import_module(name)


class Installed:
    """A distribution whose files are read once: pytest reads those of all, twice in each run."""

    def __init__(self, distribution: metadata.Distribution) -> None:
        self.distribution = distribution

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.distribution, name)
        setattr(self, name, value)
        return value


@pytest.fixture(scope="session")
def installed() -> list[Installed]:
    """All that is installed, which is the same in each run."""
    return [Installed(distribution) for distribution in metadata.distributions()]


@pytest.fixture
def pytester(
    loaded: None,
    installed: list[Installed],
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> pytest.Pytester:
    """pytest's own, whose runs load no plugins but those that this project needs."""
    monkeypatch.setenv("PYTEST_ADDOPTS", FEW_PLUGINS)
    monkeypatch.setattr(metadata, "distributions", lambda: iter(installed))
    return pytester


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
    """Somebody's project that uses the plugin, in a folder of its own."""

    pytester: pytest.Pytester
    phone: Address

    def write(self, **files: str) -> None:
        """Write files, by their paths: `__` stands for a folder."""
        for name, content in files.items():
            path = self.pytester.path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest on the shared phone."""
        device = f"--mobile-device=serial:{self.phone.serial}"
        return self.pytester.runpytest_inprocess(device, *arguments)

    def run_virtual(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in a process of its own, on phones of the run's own."""
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
