"""Reused results are reported as if the tests had just run."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

CONFTEST = """
import json, pytest
from pathlib import Path
from pytest_mobileagent import Agent, Finish
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.reuse import EarlierRun, CasePlan
from pytest_mobileagent.report.recorded_run import read_report
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Worker(Agent):
    def start(self, briefing):
        self.goal = briefing.goal

    def step(self, observation):
        with open("worked.txt", "a") as file:
            print(self.goal, file=file)
        return Finish(self.goal)

@pytest.fixture(scope="session")
def mobile_lease():
    with open("leased.txt", "a") as file:
        file.write("x")
    return FakeLease(FakePhone([make_screen("Home")]))

def pytest_collection_finish(session):
    if Path("kept.json").exists():
        run = Path(json.loads(Path("kept.json").read_text()))
        tasks = read_report(run / "report.json")["tasks"]
        entries = {task.nodeid: task for task in tasks}

        class Recorded(EarlierRun):
            path = run

            def plan_for(self, case):
                return CasePlan(entries.get(case.nodeid))

        session.config.stash[RUN].earlier = Recorded()
"""

TASKS = """
import pytest
from pytest_mobileagent import task
from pytest_mobileagent.errors import UndecidedError

@pytest.fixture(scope="module")
def module():
    print("SET UP")
    yield
    print("TORN DOWN")

ALL = ["fine", "fail", "dispute", "break", "skip"]

@pytest.mark.parametrize("what", ALL)
@task("Do {what}.", golden_steps=3)
def test_it(episode, what):
    if what == "dispute":
        raise UndecidedError("the judges disagree")
    if what == "break":
        raise RuntimeError("a broken body")
    if what == "skip":
        pytest.skip("not today")
    assert what != "fail"

@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("holds", [False, True])
@task("Do.")
def test_expected(request, episode, strict, holds):
    request.node.add_marker(pytest.mark.xfail(reason="known", strict=strict))
    assert holds
"""
OPTIONS = ("--agent=conftest.py:Worker", "--mobile-agent-process=off", "-p", "no:randomly")


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs the tasks, then runs them again with the recorded results."""
    pytester.makeini("[pytest]")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TASKS)

    def run(*arguments, code=None):
        result = pytester.runpytest_inprocess(*OPTIONS, *arguments)
        if code is not None:
            assert result.ret == code, result.stdout.str()
        return result

    return run


def keep(pytester):
    (folder,) = (pytester.path / "runs").iterdir()
    (pytester.path / "kept.json").write_text(json.dumps(str(folder)))
    (pytester.path / "worked.txt").unlink()
    (pytester.path / "leased.txt").unlink()
    return folder


def newest(pytester):
    folder = max((pytester.path / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    return folder, json.loads((folder / "report.json").read_text())


def told(result):
    """Return pytest's output without times, the run's digest and the path of the report."""
    text = re.sub(r"in \d+\.\d+s|digest: \w+", "", result.stdout.str())
    return re.sub(r"runs/[^ /]+", "runs/RUN", text)


def cases(path):
    found = {}
    for case in ET.parse(path).iter("testcase"):
        key = (case.get("classname"), case.get("name"))
        children = [(child.tag, child.get("message")) for child in case]
        properties = {p.get("name"): p.get("value") for p in case.iter("property")}
        found[key] = (children, properties)
    return found


def test_a_reused_result_is_reported_like_a_new_one_and_nothing_runs(pytester, run):
    fresh = run("--junitxml=fresh.xml", "-rA", code=1)
    first = keep(pytester)
    kept = run("--junitxml=kept.xml", "-rA", code=1)
    assert not (pytester.path / "worked.txt").exists()
    assert not (pytester.path / "leased.txt").exists()
    assert kept.parseoutcomes() == fresh.parseoutcomes()
    assert "".join(letters(fresh)) == ".FREsxxXF"
    assert letters(kept) == letters(fresh)
    assert table(kept) == table(fresh)
    failure = failure_of(fresh, "test_it[fail]")
    assert failure_of(kept, "test_it[fail]") == failure
    assert any(line.startswith("sought   what != ") for line in failure)
    folder, report = newest(pytester)
    assert folder != first
    before = json.loads((first / "report.json").read_text())
    assert report["tasks"] == before["tasks"]
    assert report["summary"] == before["summary"]
    for task in report["tasks"]:
        assert task["episode"] is None or (folder / task["episode"] / "episode.jsonl").is_file()
    one, two = cases("fresh.xml"), cases("kept.xml")
    assert {key: properties for key, (_, properties) in one.items()} == {
        key: properties for key, (_, properties) in two.items()
    }


def letters(result):
    """Return the result letters of all tests, in order."""
    text = "\n".join(result.outlines)
    return re.findall(r"(?:^|\.py )([.FREsxX]+) +\[ *\d+%\]$", text, re.MULTILINE)


def table(result):
    text = told(result)
    return text[text.index("mobile agent") : text.index("report:")]


def failure_of(result, name):
    """Return the lines that describe a failure."""
    lines = result.outlines
    start = next(
        n for n, line in enumerate(lines) if re.fullmatch(rf"_+ {re.escape(name)} _+", line)
    )
    end = next(n for n in range(start + 1, len(lines)) if lines[n].startswith(("___", "===")))
    of_run = ("screen", "page")  # these lines contain the run's folder
    return [line for line in lines[start + 1 : end] if not line.startswith(of_run)]


def test_last_failed_and_maxfail_see_a_reused_failure(pytester, run):
    run(code=1)
    keep(pytester)
    result = run("-x", code=1)
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}
    result = run("--lf", "--collect-only", "-q")
    assert result.outlines[0].endswith("test_it[fail]")


def test_other_fixtures_are_torn_down_around_a_reused_test(pytester, run):
    pytester.makepyfile(
        test_a="def test_first(module): pass\n",
        test_b=TASKS,
        test_c="def test_last(module): pass\n",
    )
    (pytester.path / "test_other_fixtures_are_torn_down_around_a_reused_test.py").unlink()
    fixture = TASKS[TASKS.index("@pytest.fixture") : TASKS.index("ALL =")]
    for name in "ac":
        path = pytester.path / f"test_{name}.py"
        path.write_text(f"import pytest\n{fixture}\n{path.read_text()}")
    run("-k", "fine or first or last", code=0)
    keep(pytester)
    result = run("-k", "fine or first or last", "-s", code=0)
    assert result.parseoutcomes()["passed"] == 3
    assert result.stdout.str().count("TORN DOWN") == 2
