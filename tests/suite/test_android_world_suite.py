"""AndroidWorld's suite as users run it: with a small library of ours, and with the real one.

The real one is only there if tasks/releases.toml names it (docs/suites.md).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.releases import release_of

from .android_world import write

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tasks" / "android_world"
CONFTEST = f"""
from pathlib import Path

ROOT = Path({str(ROOT)!r})

def pytest_mobileagent_agents(config):
    return ROOT / "agents"

def pytest_mobileagent_apps(config):
    return ROOT / "fixtures" / "apps"
"""
CHOSEN = "ContactsAddContact or CalendarNextEvent or WifiTurnOnVerify or SystemWifiTurnOff"
NEXT = "SimpleCalendarNextEvent"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the suite, with the small library."""
    folder = tmp_path / "project"
    shutil.copytree(SUITE, folder / "tasks" / "android_world", ignore=lambda *_: ["__pycache__"])
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    (folder / "conftest.py").write_text(CONFTEST)
    write(folder)
    named = 'android_world.tasks = "../checkout"\nandroid_world.helper = "../env"\n'
    (folder / "tasks" / "releases.toml").write_text(named)
    return folder


@pytest.fixture
def results(project: Path) -> Callable[..., dict[str, Any]]:
    """Runs tasks of the suite, and returns the results by the names of tasks and epochs."""

    def results(*arguments: str) -> dict[str, Any]:
        done = run(project, *arguments)
        assert "INTERNALERROR" not in done.stdout + done.stderr
        report = max((project / "runs").glob("*/report.json"), key=lambda p: p.stat().st_mtime)
        tasks = json.loads(report.read_text())["tasks"]
        return {task["key"].partition("[")[2].replace("]", ""): task for task in tasks}

    return results


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "tasks/android_world", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_oracle_passes_and_noop_does_not(results: Any) -> None:
    found = results("-k", CHOSEN, "--agent=oracle", "-n", "2")
    contact = found["ContactsAddContact"]
    assert (contact["outcome"], contact["held_at_start"]) == ("passed", False)
    assert contact["first_success_step"] is None
    assert contact["reported"] is True
    goals = contact["parameters"]
    assert goals["goal"] == "Add {name}, {number}.".format(**goals["params"])
    assert found["SystemWifiTurnOnVerify"]["held_at_start"] is True
    broken = found["SystemWifiTurnOff"]
    assert (broken["outcome"], broken["fault"]) == ("error", "task")
    assert "ValueError: nothing to draw" in broken["reason"]
    found = results("-k", "ContactsAddContact", "--agent=noop")
    assert found["ContactsAddContact"]["outcome"] == "failed"


def test_an_answer_alone_may_meet_the_goal_and_scoring_again_needs_no_phone(
    results: Any, project: Path
) -> None:
    (project / "says.py").write_text(
        "from pytest_mobileagent import Agent, Finish\n"
        "class Says(Agent):\n"
        "    def step(self, observation):\n"
        "        return Finish('Lunch')\n"
    )
    found = results("-k", NEXT, "--agent=says.py", "--mobile-seed=3", "--mobile-epochs=2")
    assert [task["parameters"]["instance"] for task in found.values()] == [[3, 0], [3, 1]]
    assert all(task["outcome"] == "passed" for task in found.values())
    shutil.rmtree(project / "checkout" / "android_env")
    again = run(
        project, "-k", NEXT, "--mobile-rescore=runs", "--mobile-seed=3", "--mobile-epochs=2"
    )
    assert "2 passed" in again.stdout


def test_a_helper_that_dies_breaks_the_episode_which_is_repeated(results: Any) -> None:
    task = results("-k", "SystemBluetoothTurnOn and not Verify", "--agent=noop")[
        "SystemBluetoothTurnOn"
    ]
    assert (task["outcome"], task["fault"]) == ("error", "infrastructure")
    assert len(task["infrastructure"]) == 2
    assert all("helper was killed during score" in each for each in task["infrastructure"])


def test_without_a_library_all_tasks_are_skipped_with_what_to_install(project: Path) -> None:
    (project / "tasks" / "releases.toml").unlink()
    done = run(project, "--agent=noop", "-rs")
    assert "116 skipped" in done.stdout
    assert "run `make android-world`" in " ".join(done.stdout.split())


def test_a_library_that_is_not_there_is_one_line_for_each_task(project: Path) -> None:
    shutil.rmtree(project / "env" / "bin")
    done = run(project, "-k", NEXT, "--agent=noop", "--tb=line")
    assert "has no Python: `make android-world` makes one" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.skipif(
    release_of(SUITE, "tasks") is None, reason="tasks/releases.toml names no AndroidWorld"
)
@pytest.mark.parametrize(("agent", "passes"), [("oracle", True), ("truncated_oracle", False)])
def test_the_real_tasks_are_done_by_their_solutions(
    agent: str, passes: bool, tmp_path: Path
) -> None:
    few = "ContactsAdd or TimerEntry or SmsSend or AnyEventsOnDate or DeleteOneEvent or WifiTurnOff"
    runs = f"--mobile-runs={tmp_path}"
    run(ROOT, "-k", f"({few}) and not Verify", f"--agent={agent}", "-n", "2", runs)
    (report,) = tmp_path.glob("*/report.json")
    tasks = [
        task for task in json.loads(report.read_text())["tasks"] if task["success"] is not None
    ]
    assert len(tasks) >= 6
    assert {task["id"]: task["success"] for task in tasks} == {task["id"]: passes for task in tasks}
