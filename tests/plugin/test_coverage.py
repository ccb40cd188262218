"""Coverage measured by pytest-cov for an agent that runs in a separate process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

AGENT = """
import threading
from pytest_mobileagent import Agent, Finish

class Worker(Agent):
    def start(self, briefing):
        self.goal = briefing.goal
    def step(self, observation):
        if self.goal == "leave a thread":
            threading.Thread(target=threading.Event().wait).start()
        elif self.goal == "never asked":
            return Finish("not covered")
        return Finish("done")
"""
TASKS = """
from pytest_mobileagent import task

@task("leave a thread")
def test_thread(episode):
    assert episode.answers("done")

@task("work")
def test_work(episode):
    assert episode.answers("done")
"""
NOT_COVERED = AGENT.strip().splitlines().index('            return Finish("not covered")') + 1
OPTIONS = ["--cov=agents", "--cov-report=json", "--agent=agents/worker.py"]


@pytest.fixture
def measured(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    """Runs the tasks and returns the coverage of the agent's file."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)  # the variable disables pytest-cov
    pytester.makeconftest(PHONE)
    pytester.makepyfile(**{"agents/worker": AGENT, "test_tasks": TASKS})
    pytester.makepyprojecttoml('[tool.coverage.run]\npatch = ["subprocess"]\n')

    def measured(*options: str) -> dict[str, Any]:
        result = pytester.runpytest_subprocess(*OPTIONS, *options)
        result.assert_outcomes(passed=2)
        report = json.loads((pytester.path / "coverage.json").read_text())
        assert [path.name for path in pytester.path.glob(".coverage*")] == [".coverage"]
        (file,) = report["files"].values()
        return dict(file)

    return measured


@pytest.mark.slow  # starts processes that load coverage
@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "with pytest-xdist"])
def test_agent_process_is_measured(
    measured: Callable[..., dict[str, Any]], workers: list[str]
) -> None:
    assert measured(*workers)["missing_lines"] == [NOT_COVERED]
