"""The suite of recorded pages, on small copies of data sets."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.dataset.formats.release import import_release
from tests.dataset.formats import copies

if TYPE_CHECKING:
    from collections.abc import Callable

SUITE = Path(__file__).parents[2] / "tasks" / "recorded"
AGENT = """
import json
from pathlib import Path

from pytest_mobileagent import Agent, Finish, Tap
from pytest_mobileagent.action.matching import golden_from_json

class Golden(Agent):
    '''Does what is golden, or `instead` of it.'''

    class Options:
        instead: bool = False

    def start(self, briefing):
        lines = map(json.loads, Path("graph/tasks.jsonl").read_text("utf-8").splitlines())
        (row,) = (line for line in lines if line["goal"] == briefing.goal)
        self.todo = [golden_from_json(each).action for each in row["golden"]]
        self.instead = briefing.options.instead

    def step(self, observation):
        if not self.todo:
            return Finish()
        action = self.todo.pop(0)
        return Tap(700, 1270) if self.instead else action
"""
CONFTEST = """
def pytest_mobileagent_agents(config):
    return config.rootpath / "agents"
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., Any]:
    """Runs the suite in a project that names a graph; returns the result."""
    copies.mobile_bench(pytester.path / "data")
    import_release(pytester.path / "data", pytester.path / "graph")
    shutil.copytree(SUITE, pytester.path / "tasks" / "recorded")
    (pytester.path / "agents").mkdir()
    (pytester.path / "agents" / "golden.py").write_text(AGENT, "utf-8")
    pytester.makeconftest(CONFTEST)
    pytester.makeini("[pytest]")
    (pytester.path / "releases.toml").write_text('recorded = "graph"\n', "utf-8")

    def run(*words: str, device: str = "graph:graph") -> Any:
        return pytester.runpytest(
            "tasks", "--agent=golden", f"--mobile-device={device}", "-rs", *words
        )

    return run


def report(pytester: pytest.Pytester) -> dict[str, Any]:
    (file,) = pytester.path.glob("runs/*/report.json")
    read: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return read


def test_on_many_paths_a_task_is_done_on_its_page(run):
    run().assert_outcomes(passed=3)


def test_on_many_paths_another_page_is_not_enough(run):
    run("--mobile-agent-option", "instead=yes").assert_outcomes(failed=3)


def test_on_a_single_path_each_step_must_match(run, pytester):
    run("--mobile-path=single").assert_outcomes(passed=3)
    assert report(pytester)["summary"]["step_accuracy"]


def test_on_a_single_path_another_action_is_not_enough(run):
    run("--mobile-path=single", "--mobile-agent-option", "instead=yes").assert_outcomes(failed=3)


def test_phones_have_no_recorded_pages(run):
    result = run(device="virtual")
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines(["*the task is done on recorded pages, and --mobile-device=*"])


def test_without_a_graph_the_suite_says_what_is_missing(run, pytester):
    (pytester.path / "releases.toml").unlink()
    result = run()
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*releases.toml names no graph of recorded pages*"])
