"""Recorded episodes are scored again without a device, an agent or a lease."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "episode" / "data" / "version1"

CONFTEST = """
from pathlib import Path
import pytest

@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    from pytest_mobileagent import load
    from pytest_mobileagent.plugin.config import RUN
    from pytest_mobileagent.plugin.reuse.earlier import EarlierRun, CasePlan
    folders = {load(folder).case.key: folder for folder in Path("recorded", "episodes").iterdir()}

    class Recorded(EarlierRun):
        makes_episodes = False

        def plan_for(self, case):
            return CasePlan(episode=folders.get(case.key), is_run=False)

    config.stash[RUN].earlier = Recorded()

@pytest.fixture(scope="session")
def mobile_lease():
    pytest.fail("a device was asked for")

@pytest.fixture(scope="session")
def agent():
    pytest.fail("an agent was asked for")

def pytest_unconfigure():
    import sys
    rooms = ("agent", "device.drivers", "device.fleet", "run.session")
    wanted = tuple(f"pytest_mobileagent.{room}" for room in rooms)
    print("IMPORTED", [name for name in sys.modules if name.startswith(wanted)])
"""

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("times", [2, 3])
@task("Count to {times}.", app="com.example.counter")
def test_count(episode, times):
    assert episode.probe("count") == [{"n": times}]

@task("Tell me the code.", app="com.example.counter")
def test_code(episode):
    assert episode.answers("4712")
"""


@pytest.fixture
def recorded(pytester: pytest.Pytester) -> Path:
    """A run of the previous version, beside a suite in which one check has changed."""
    pytester.makeconftest(CONFTEST)
    (pytester.path / "tasks" / "counter").mkdir(parents=True)
    (pytester.path / "tasks" / "counter" / "test_counter.py").write_text(TASKS)
    return Path(shutil.copytree(RUN, pytester.path / "recorded"))


def test_changed_check_is_scored_on_recorded_episodes(pytester, recorded):
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "tasks")
    result.assert_outcomes(passed=1, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["IMPORTED []"])
    verdicts = sorted(recorded.glob("episodes/*/verdicts.jsonl"))
    told = [json.loads(path.read_text()) for path in verdicts]
    assert [verdict["passed"] for verdict in told] == [False, True]


def test_verdicts_are_appended(pytester, recorded):
    for _ in range(2):
        pytester.runpytest_inprocess("-p", "no:cacheprovider", "tasks")
    (path,) = recorded.glob("episodes/*count-2*/verdicts.jsonl")
    assert len(path.read_text().splitlines()) == 2
