"""Every task of the suite can be done, and cannot be passed by doing less."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.suite.judge import suite_judge

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent


def outcomes(agent: str, runs: Path) -> dict[str, dict]:
    """Run an agent on the whole suite, and return the results by task.

    Tasks of apps that only real phones have are skipped, and left out.
    """
    command = [sys.executable, "-m", "pytest", "tasks", f"--agent={agent}", f"--mobile-runs={runs}"]
    with suite_judge().serve() as url:
        judged = ["--llm-judge=single", f"--mobile-judges=openai:suite@{url}/v1"]
        finished = subprocess.run(
            [
                *command,
                *judged,
                "--mobile-unpriced=allow",
                "-n",
                "2",
                "-q",
                "-p",
                "no:cacheprovider",
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
        )
    (report,) = runs.glob("*/report.json")
    assert finished.returncode in {0, 1}, finished.stdout + finished.stderr
    tasks = json.loads(report.read_text("utf-8"))["tasks"]
    return {task["id"]: task for task in tasks if task["skipped_for"] != "app"}


def test_the_oracle_passes_every_task_in_the_golden_steps(tmp_path):
    tasks = outcomes("oracle", tmp_path)
    assert len(tasks) >= 20
    assert {name: t["reason"] for name, t in tasks.items() if not t["success"]} == {}
    assert {name: t["step_ratio"] for name, t in tasks.items() if t["step_ratio"] != 1.0} == {}


@pytest.mark.parametrize("agent", ["noop", "truncated_oracle"])
def test_doing_less_fails_every_task(agent, tmp_path):
    tasks = outcomes(agent, tmp_path)
    assert len(tasks) >= 20
    assert [name for name, t in tasks.items() if t["success"] is not False] == []
    # A body that breaks down decides nothing: it has to say what is not so.
    checked = {name: t for name, t in tasks.items() if t["verdict"]["scorer"] == "check"}
    broke = {n: t["reason"] for n, t in checked.items() if not is_failed_assert(t["reason"])}
    assert broke == {}


def is_failed_assert(reason: str) -> bool:
    return reason.startswith(("AssertionError", "assert ", "NotFoundError", "SubGoalError"))


def test_the_lexical_agent_does_some_tasks_and_fails_others(tmp_path):
    tasks = outcomes("lexical", tmp_path)
    successes = [name for name, t in tasks.items() if t["success"]]
    assert len(tasks) / 10 <= len(successes) <= len(tasks) * 3 / 4
