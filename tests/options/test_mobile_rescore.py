"""--mobile-rescore: the checks are applied to the episodes of an earlier run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from pytest_mobileagent.verdict import append as add_verdict
from pytest_mobileagent.verdict import of_person, verdicts
from tests.options import judging

NO, YES = "The code was not said.\nResult: 0", "The code was said.\nResult: 1"
VERSION1 = Path(__file__).parents[1] / "episode" / "data" / "version1"

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(COUNT))
@task("Tell me the code.")
def test_code(episode, number):
    CHECK
"""
WITH_DEVICE = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", [0])
@task("Tell me the code.")
def test_code(episode, device, number):
    pass
"""
NOTHING_ELSE = """
import pytest

@pytest.fixture(scope="session")
def mobile_lease():
    pytest.fail("a device was asked for")

@pytest.fixture(scope="session")
def agent():
    pytest.fail("an agent was asked for")
"""


def write(asking, check: str, count: int = 3) -> None:
    text = TASKS.replace("COUNT", str(count)).replace("CHECK", check)
    asking.pytester.makepyfile(test_codes=text)


def first(asking, check: str = "assert episode.answers('4711')", count: int = 3) -> Path:
    """Run the tasks and return the run's folder."""
    write(asking, check, count)
    asking.run(agent="Silent")
    (folder,) = (asking.pytester.path / "runs").iterdir()
    return Path(folder)


def rescore(asking, *arguments: str, run: str = "runs") -> pytest.RunResult:
    """Score the run again in a project without a device, an agent or a key."""
    asking.pytester.makeconftest(NOTHING_ELSE)
    return asking.pytester.runpytest_inprocess(f"--mobile-rescore={run}", *arguments)


def refused(asking, *arguments: str, run: str = "runs") -> str:
    """Return the error of a run that creates no folder."""
    before = list(asking.pytester.path.glob("runs/*"))
    result = rescore(asking, *arguments, run=run)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert list(asking.pytester.path.glob("runs/*")) == before
    (line,) = (line for line in result.errlines if line.startswith("ERROR: "))
    return line.removeprefix("ERROR: ")


def by_number(asking) -> dict[int, dict[str, Any]]:
    return {task["parameters"]["number"]: task for task in asking.report()["tasks"]}


def test_a_changed_check_is_asked_about_what_was_recorded(asking):
    before = first(asking)
    write(asking, "assert episode.answers('4711') and number != 1")
    (asking.pytester.path / "asking.py").unlink()
    result = rescore(asking)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "mobileagent: --agent=asking.py:Silent (--mobile-rescore)",
            f"  no device and no agent: scores 3 episodes of {before} again",
            f"{before.name}: 3 scored again, 0 reused",
            "1 verdict changed:",
            "  code[[]1[]]   passed (check)  →  failed (check)",
        ]
    )
    after = Path(asking.pytester.path / "runs") / asking.report()["run"]["id"]
    assert after != before
    run, old = asking.report()["run"], json.loads((before / "report.json").read_text())["run"]
    assert run["rescored_from"] == old["id"]
    assert (run["agent"], run["device"], run["virtual"]) == ("asking", "virtual", True)
    differs = {n for n, part in run["fingerprints"].items() if part != old["fingerprints"][n]}
    assert differs == {"checks"}
    for number, task in by_number(asking).items():
        for folder in (before, after):
            told = [verdict.passed for verdict in verdicts(folder / task["episode"])]
            assert told == [True, number != 1]
    assert json.loads((before / "report.json").read_text())["summary"]["successes"] == 3


def test_a_rescored_run_can_be_rescored(asking):
    first(asking, count=1)
    write(asking, "assert episode.answers('4712')", count=1)
    rescore(asking).assert_outcomes(failed=1)
    write(asking, "assert episode.answers('4711')", count=1)
    result = rescore(asking)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  *code[[]0[]]   failed (check)  →  passed (check)"])
    (task,) = asking.report()["tasks"]
    folder = asking.pytester.path / "runs" / asking.report()["run"]["id"] / task["episode"]
    assert [verdict.passed for verdict in verdicts(folder)] == [True, False, True]


def test_no_page_is_written_if_its_writer_is_blocked(asking):
    first(asking, count=1)
    rescore(asking, "-p", "no:mobileagent-page-writer").assert_outcomes(passed=1)
    folder = asking.pytester.path / "runs" / asking.report()["run"]["id"]
    assert (folder / "report.json").is_file()
    assert not (folder / "report.html").exists()


def test_judges_are_asked_as_now(asking):
    judging.write(asking, 2)
    judge = asking.script(NO, NO, name="single")
    judging.run(asking, "--llm-judge=single", f"--mobile-judges={judge}")
    other, yes = asking.script(NO, NO, name="one"), asking.script(YES, YES, name="two")
    result = rescore(
        asking, "--llm-judge=cross", f"--mobile-judges={other},{yes}", "--mobile-unpriced=allow"
    )
    assert result.parseoutcomes() == {"review": 2}
    result.stdout.fnmatch_lines(
        [
            "2 verdicts changed:",
            "  *open[[]0[]]   failed (single: single.jsonl)  →  review (cross: they disagree)",
        ]
    )


@pytest.mark.parametrize(("one", "other", "outcome"), [(YES, YES, "passed"), (YES, NO, "review")])
def test_a_single_judge_does_not_overrule_an_earlier_pair(asking, one, other, outcome):
    judging.write(asking)
    scripts = asking.script(one, name="one"), asking.script(other, name="two")
    judging.run(asking, "--llm-judge=cross", f"--mobile-judges={','.join(map(str, scripts))}")
    before = asking.pytester.path / "runs" / asking.report()["run"]["id"]
    for _ in range(2):
        judge = asking.script(NO if outcome == "passed" else YES, name="single")
        result = rescore(
            asking, "--llm-judge=single", f"--mobile-judges={judge}", "--mobile-unpriced=allow"
        )
        assert result.parseoutcomes() == {outcome: 1}
        result.stdout.fnmatch_lines(["no verdict changed"])
        (task,) = asking.report()["tasks"]
        assert task["verdict"]["scorer"] == "judges"
        assert task["verdict"]["evidence"]["outranks"]["passed"] is (outcome != "passed")
    (task,) = json.loads((before / "report.json").read_text())["tasks"]
    told = [verdict.scorer for verdict in verdicts(before / task["episode"])]
    assert told == ["judges", "judge", "judges"]


def test_decisions_of_people_stay(asking):
    before = first(asking, check="assert False")
    tasks = json.loads((before / "report.json").read_text())["tasks"]
    add_verdict(before / tasks[0]["episode"], of_person(True, "eve", "I saw it"))
    result = rescore(asking)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*: 2 scored again, 1 reused", "no verdict changed"])
    task = by_number(asking)[0]
    assert task["reason"] == "passed by eve: I saw it"
    assert len(verdicts(before / task["episode"])) == 2  # no check was run
    after = asking.pytester.path / "runs" / asking.report()["run"]["id"]
    assert (after / task["episode"] / "episode.jsonl").is_file()


def test_tasks_without_an_episode_and_episodes_without_a_task_are_reported(asking):
    before = first(asking)
    write(asking, "assert True", count=4)
    result = rescore(asking, "--deselect=test_codes.py::test_code[0]")
    result.assert_outcomes(passed=2, skipped=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            f"{before.name}: 2 scored again, 0 reused",
            "not collected, though recorded (1): test_codes.py::test_code[[]0[]]",
            "skipped (1): no episode of codes/code[[]3[]] is recorded",
        ]
    )
    assert by_number(asking)[3]["skipped_for"] == "record"


def test_an_incomplete_episode_keeps_its_error(asking):
    before = first(asking)
    report = json.loads((before / "report.json").read_text())
    task = report["tasks"][1]
    record = before / task["episode"] / "episode.jsonl"
    lines = record.read_text().splitlines()
    record.write_text("\n".join(lines[:-1]) + "\n")  # as if it had been killed before its end
    (before / "report.json").unlink()
    index = before / "index.jsonl"
    index.write_text("".join(line + "\n" for line in index.read_text().splitlines()[:1]))
    result = rescore(asking)
    assert result.parseoutcomes() == {"passed": 2, "errors": 1}
    assert by_number(asking)[1]["fault"] == "infrastructure"
    assert by_number(asking)[1]["reason"] == "interrupted: the run was cut off"


IMPORTED = """
import sys

def pytest_unconfigure():
    rooms = ("agent.process", "device.drivers", "device.fleet", "run.session")
    wanted = tuple(f"pytest_mobileagent.{room}" for room in rooms)
    print("IMPORTED", [name for name in sys.modules if name.startswith(wanted)])
"""


def test_a_run_of_version_1_is_scored_without_importing_what_plays(pytester):
    pytester.makeconftest(IMPORTED)
    shutil.copytree(VERSION1, pytester.path / "old")
    (pytester.path / "tasks" / "counter").mkdir(parents=True)
    (pytester.path / "tasks" / "counter" / "test_counter.py").write_text(
        "from pytest_mobileagent import task\n\n"
        '@task("Tell me the code.", app="com.example.counter")\n'
        "def test_code(episode):\n    assert not episode.answers('4712')\n"
    )
    arguments = ("-p", "no:cacheprovider", "tasks", "--mobile-rescore=old")
    result = pytester.runpytest_subprocess(*arguments)
    assert result.ret in {0, 1}
    result.stdout.fnmatch_lines(["old: 1 scored again, 0 reused", "*IMPORTED []"])


def test_an_episode_that_cannot_be_scored_is_an_error(asking, fnmatch):
    before = first(asking, count=1)
    with FileLock(before / ".lock"):
        error = f"--mobile-rescore=runs: {before} is still running; wait for it to end"
        assert refused(asking) == error
    made = f"that run ({before.name}) was made with --mobile-seed=0"
    assert refused(asking, "--mobile-seed=1") == (
        f"--mobile-seed=1 and --mobile-rescore=runs do not go together: {made}"
    )
    fnmatch(refused(asking, run="nowhere"), "--mobile-rescore=nowhere: *nowhere is not a folder: *")
    (before / "report.json").write_text("[]")
    fnmatch(refused(asking), "--mobile-rescore=runs: *report.json is damaged: *")


def test_a_test_that_asks_for_the_device_is_skipped(asking):
    first(asking, count=1)
    asking.pytester.makeconftest("")
    asking.pytester.makepyfile(test_codes=WITH_DEVICE)
    result = asking.pytester.runpytest_inprocess("--mobile-rescore=runs", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED * --mobile-rescore has no device"])


@pytest.mark.slow
def test_workers_share_the_work(asking):
    before = first(asking)
    write(asking, "assert number != 1")
    asking.pytester.makeconftest("")
    result = asking.pytester.runpytest_inprocess("--mobile-rescore=runs", "-n2")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines([f"{before.name}: 3 scored again, *", "1 verdict changed:"])
    for task in asking.report()["tasks"]:
        assert len(verdicts(before / task["episode"])) == 2
