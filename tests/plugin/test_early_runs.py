"""A run recorded before the first release can be resumed, scored again, reported and compared.

tests/episode/data/version2 was recorded long before version 0.1.0 was complete: the oracle played
`TASKS` with the counter app on a virtual phone.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import load
from pytest_mobileagent.__main__ import main

RUN = Path(__file__).parents[1] / "episode" / "data" / "version2"
NOTHING_ELSE = """
import pytest

@pytest.fixture(scope="session")
def mobile_lease():
    pytest.fail("a device was requested")
"""
TASKS = """
from pytest_mobileagent import answer, open_app, sqlite, tap, task

APP = "com.example.counter"
COUNT = sqlite(f"/data/data/{APP}/databases/counter.db", "select n from counter")

@task("Count to 1.", app=APP, probes={"count": COUNT}, solution=[open_app(), tap(text="Add one")])
def test_count(episode):
    assert episode.probe("count") == [{"n": 1}]

@task("What is the code?", app=APP, solution=[open_app(), tap(text="Second page"), answer("4712")])
def test_code(episode):
    assert episode.answers("4711")
"""


@pytest.fixture
def early(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run, beside its suite, in a project in which no device may be used."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeconftest(NOTHING_ELSE)
    pytester.makepyfile(test_counter=TASKS)
    return Path(shutil.copytree(RUN, pytester.path / "early"))


def outcomes(folder: Path) -> dict[str, Any]:
    tasks = json.loads((folder / "report.json").read_text("utf-8"))["tasks"]
    return {task["id"]: task["outcome"] for task in tasks}


def test_early_run_can_be_loaded() -> None:
    code, count = map(load, sorted((RUN / "episodes").iterdir()))
    assert [step.probes["count"] for step in count.steps] == [[{"n": 0}], [{"n": 1}], [{"n": 1}]]
    assert count.probe("count") == [{"n": 1}]
    assert code.answers("4712")
    assert code.screen.size == (1080, 2400)


def test_early_run_can_be_resumed(pytester: pytest.Pytester, early: Path) -> None:
    result = pytester.runpytest_inprocess("--agent=oracle", "--mobile-resume=early")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["  resumes *early: 2 of 2 results are final", "2 reused, 0 run"])
    assert outcomes(early) == {"counter/count": "passed", "counter/code": "failed"}


def test_early_run_can_be_rescored(pytester: pytest.Pytester, early: Path) -> None:
    pytester.makepyfile(test_counter=TASKS.replace("4711", "4712"))
    result = pytester.runpytest_inprocess("--agent=oracle", "--mobile-rescore=early")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["early: 2 scored again, 0 reused"])


def test_early_run_can_be_reported_shown_and_compared(
    early: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(early)]) == 0
    assert "| oracle | 2 | 2 | 50.0% |" in capsys.readouterr().out
    assert main(["show", "--no-browser", str(early)]) == 0
    assert Path(capsys.readouterr().out.strip()) == early / "report.html"
    assert "<title>" in (early / "report.html").read_text("utf-8")
    assert main(["compare", str(early), str(RUN)]) == 0
    assert "+0.0 points" in capsys.readouterr().out
