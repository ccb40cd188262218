"""--mobile-reuse: a new run takes over results that still apply, and runs the other tasks."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.check.episode import load
from tests.options.asking import CONFTEST

if TYPE_CHECKING:
    from pathlib import Path

AGENT = """
from pytest_mobileagent import Agent, Finish

class Says(Agent):
    def start(self, briefing):
        with open("asked.txt", "a") as file:
            file.write(briefing.goal + " ")
    def step(self, observation):
        return Finish("4711")
"""
TASKS = """
import pytest
from pytest_mobileagent import task

CODE = "4711"

def right(episode, code):
    return episode.answers(code)

@task("A")
def test_a(episode):
    assert right(episode, CODE)

@task("B")
def test_b(episode):
    assert episode.answers("4712")

@pytest.mark.parametrize("code", ["4711", "4713"])
@task("C")
def test_c(episode, code):
    assert right(episode, code)
"""
OLDER = "old"


class Suite:
    def __init__(self, pytester):
        self.pytester = pytester
        self.tasks, self.agent = TASKS, AGENT

    def run(self, *arguments, reuse=True, n=0):
        """Run all tasks into new/, reusing results from old/; return the lines of the terminal."""
        self.pytester.makepyfile(says=self.agent, test_it=self.tasks)
        ways = [f"--mobile-reuse={OLDER}", "--mobile-runs=new"] if reuse else ["--mobile-runs=old"]
        words = ["--agent=says.py:Says", "--mobile-agent-process=off", *ways, *arguments]
        self.result = self.pytester.runpytest_inprocess(*words, *([f"-n{n}"] if n else []))
        return self.result.outlines

    def said(self, lines):
        """Return the line in which the run reports what it reused."""
        (line,) = (line for line in lines if "reused" in line and "tasks: " in line)
        return line

    def report(self, runs="new"):
        (path,) = (self.pytester.path / runs).glob("*/report.json")
        return json.loads(path.read_text())

    def outcomes(self, runs="new"):
        return {t["nodeid"].split("::")[1]: t["outcome"] for t in self.report(runs)["tasks"]}

    def asked(self):
        """Return the goals that agents have received since the last call."""
        path = self.pytester.path / "asked.txt"
        words = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return words

    def has_started_a_device(self):
        return (self.pytester.path / "devices.txt").exists()


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an earlier run, which the first test creates and all tests share."""
    return tmp_path_factory.mktemp("earlier") / OLDER


@pytest.fixture
def suite(pytester: pytest.Pytester, earlier: Path) -> Suite:
    """A suite of four tasks, two of which pass, with an earlier run."""
    pytester.makeconftest(CONFTEST)
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    suite = Suite(pytester)
    if not earlier.exists():
        suite.run(reuse=False)
        assert suite.asked() == ["A", "B", "C", "C"]
        (pytester.path / "devices.txt").unlink()
        shutil.move(pytester.path / OLDER, earlier)
    shutil.copytree(earlier, pytester.path / OLDER, symlinks=True)
    return suite


def test_unchanged_results_are_taken_over_without_agent_or_device(suite):
    before = suite.report("old")
    assert suite.said(suite.run()) == "4 tasks: 4 reused"
    assert suite.asked() == []
    assert not suite.has_started_a_device()
    suite.result.assert_outcomes(passed=2, failed=2)
    after = suite.report()
    assert after["run"]["reused_from"] == before["run"]["id"]
    assert after["tasks"] == before["tasks"]
    assert after["summary"] == before["summary"]
    # The new run does not depend on the earlier one.
    shutil.rmtree(suite.pytester.path / "old")
    (run,) = (suite.pytester.path / "new").iterdir()
    for task in suite.report()["tasks"]:
        assert load(run / task["episode"]).answer == "4711"
    lines = [json.loads(line) for line in (run / "index.jsonl").read_text().splitlines()]
    assert sorted(line["outcome"] for line in lines) == ["failed", "failed", "passed", "passed"]


def test_a_changed_check_is_scored_again_by_the_record(suite):
    suite.tasks = TASKS.replace("4712", "4711")
    assert suite.said(suite.run()) == "4 tasks: 3 reused, 1 scored again (check changed)"
    assert suite.asked() == []
    assert not suite.has_started_a_device()
    assert suite.outcomes()["test_b"] == "passed"
    assert suite.outcomes("old")["test_b"] == "failed"
    (old,) = (suite.pytester.path / "old").glob("*/episodes/*it-b-*/verdicts.jsonl")
    (new,) = (suite.pytester.path / "new").glob("*/episodes/*it-b-*/verdicts.jsonl")
    passed = [
        [json.loads(line)["passed"] for line in p.read_text().splitlines()] for p in (old, new)
    ]
    assert passed == [[False], [False, True]]


def test_code_that_a_check_uses_belongs_to_it(suite):
    suite.tasks = TASKS.replace("return episode.answers(code)", "return not episode.answers(code)")
    said = suite.said(suite.run())
    assert said == "4 tasks: 1 reused, 3 scored again (check changed)"
    assert list(suite.outcomes().values()) == ["failed", "failed", "failed", "passed"]


def test_a_changed_goal_and_a_new_task_are_run(suite):
    suite.tasks = TASKS.replace('@task("A")', '@task("A2")')
    suite.tasks = suite.tasks.replace('@task("B")', '@task("B", tags=["smoke"], level=2)')
    suite.tasks += '\n@task("D")\ndef test_d(episode):\n    assert right(episode, CODE)\n'
    said = suite.said(suite.run())
    assert said == "5 tasks: 3 reused, 2 run (1 goal changed, 1 new)"
    assert suite.asked() == ["A2", "D"]
    assert list(suite.outcomes().values()) == ["passed", "failed", "passed", "failed", "passed"]
    task = suite.report()["tasks"][1]  # fields that appear only in reports are up to date
    assert (task["tags"], task["level"]) == (["smoke"], 2)


@pytest.mark.slow
def test_reuse_can_be_repeated(suite):
    suite.tasks = TASKS.replace("4712", "4711")
    suite.run()
    suite.result = suite.pytester.runpytest_inprocess(
        "--agent=says.py:Says", "--mobile-agent-process=off", "--mobile-reuse=new"
    )
    assert suite.said(suite.result.outlines) == "4 tasks: 4 reused"
    suite.result.assert_outcomes(passed=3, failed=1)


def test_a_missing_run_is_an_error(suite):
    result = suite.pytester.runpytest_inprocess("--agent=says.py:Says", "--mobile-reuse=gone")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --mobile-reuse=gone: */gone is not a folder: *"])
    assert not list(suite.pytester.path.glob("runs/*"))


def test_another_seed_is_another_episode(suite):
    assert suite.said(suite.run("--mobile-seed=1")) == "4 tasks: 0 reused, 4 run (seed changed)"
    assert len(suite.asked()) == 4


def test_an_invalid_agent_is_an_error_if_it_is_needed(suite):
    suite.agent = AGENT + "\nraise ValueError\n"
    suite.run()
    assert suite.result.ret == pytest.ExitCode.USAGE_ERROR
    suite.result.stderr.fnmatch_lines(["ERROR: *says.py:Says cannot be loaded: ValueError"])
    assert not list(suite.pytester.path.glob("new/*"))  # not even the run.json that was compared


@pytest.mark.slow
def test_workers_decide_alike(suite):
    suite.tasks = TASKS.replace("4712", "4711").replace('@task("A")', '@task("A2")')
    said = suite.said(suite.run(n=2))
    assert said == "4 tasks: 2 reused, 1 scored again (check changed), 1 run (goal changed)"
    assert suite.asked() == ["A2"]
    suite.result.assert_outcomes(passed=3, failed=1)
