"""--mobile-resume: a run continues where it stopped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from pytest_mobileagent.episode.runs import entries
from pytest_mobileagent.run.folder import is_held
from pytest_mobileagent.verdict import append as add_verdict
from pytest_mobileagent.verdict import of_person
from tests.options.interrupting import AGENT, ALL, Suite, outcomes, report
from tests.plugin.leftovers import wait_until
from tests.plugin.projects import NO_PHONE


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    """A project whose runs can be interrupted."""
    return Suite(pytester)


def test_a_run_continues_where_it_stopped(suite):
    folder = suite.stop()
    first = report(folder)
    before = {task["nodeid"]: task for task in first["tasks"]}
    assert list(outcomes(folder).values()).count("not run") == 2
    result = suite.run("--mobile-resume=runs")
    assert suite.worked() == ["break", "interrupt", "last"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  resumes *: 4 of 7 results are final", "4 reused, 3 run"])
    result.stdout.no_fnmatch_line("continue with: *")
    opened = f"report: *report.html   (open it: python -m pytest_mobileagent show *{folder.name})"
    result.stdout.fnmatch_lines([opened])
    assert list((suite.pytester.path / "runs").iterdir()) == [folder]
    assert result.parseoutcomes() == {"passed": 4, "failed": 1, "review": 1, "errors": 1}
    assert outcomes(folder) == {
        **dict.fromkeys(["fine", "break", "interrupt", "last"], "passed"),
        "fail": "failed",
        "dispute": "review",
        "raise": "error",
    }
    after = {task["nodeid"]: task for task in report(folder)["tasks"]}
    for name in ("fine", "fail", "dispute", "raise"):
        nodeid = f"test_all.py::test_it[{name}]"
        assert after[nodeid] == before[nodeid]
    told = {task["nodeid"].partition("[")[2][:-1]: task["attempt"] for task in after.values()}
    assert (told["break"], told["interrupt"], told["last"]) == (1, 1, 0)
    whole = json.loads((folder / "run.json").read_text())["run"]
    (again,) = whole["resumed"]
    assert "--mobile-resume=runs" in again["command"]
    assert again["differs_in"] == []
    assert report(folder)["run"]["resumed"] == whole["resumed"]
    assert report(folder)["run"]["id"] == first["run"]["id"]
    assert not (folder / ".lock").exists()


def test_the_printed_command_resumes_the_run(suite):
    suite.write(ALL)
    (suite.pytester.path / "stop").touch()
    result = suite.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    (line,) = (line for line in result.outlines if line.startswith("continue with: "))
    assert line.endswith(" --mobile-retries=0 --mobile-resume=runs")
    (suite.pytester.path / "stop").unlink()
    again = suite.pytester.runpytest_inprocess(*line.removeprefix("continue with: pytest ").split())
    again.stdout.fnmatch_lines(["4 reused, 3 run"])


def test_nothing_starts_where_all_is_final(suite):
    suite.stop(["fine", "fail"])
    leased = suite.pytester.path / "leased.txt"
    leased.unlink()
    result = suite.run("--mobile-resume=runs")
    result.stdout.fnmatch_lines(["2 reused, 0 run"])
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}
    stopped = suite.run("--mobile-resume=runs", "-x", "--deselect=test_all.py::test_it[fine]")
    stopped.stdout.fnmatch_lines(["1 reused, 0 run, 1 not selected this time and unchanged"])
    suite.write(["fail", "fine"])
    stopped = suite.run("--mobile-resume=runs", "-x")  # stops before the second task
    assert stopped.parseoutcomes() == {"failed": 1}
    stopped.stdout.fnmatch_lines(["2 reused, 0 run"])
    assert not leased.exists()


@pytest.mark.slow
def test_a_run_may_be_resumed_several_times(suite):
    folder = suite.stop(["fine", "interrupt", "break", "last"])
    (suite.pytester.path / "stop").touch()
    suite.run("--mobile-resume=runs", "--deselect=test_all.py::test_it[interrupt]")
    (suite.pytester.path / "stop").unlink()
    assert suite.worked() == ["break", "last"]
    assert (outcomes(folder)["break"], outcomes(folder)["interrupt"]) == ("error", "not run")
    suite.run("--mobile-resume=runs")
    assert suite.worked() == ["interrupt", "break"]
    assert set(outcomes(folder).values()) == {"passed"}
    assert len(report(folder)["run"]["resumed"]) == 2
    attempts = sorted(path.name[-2:] for path in (folder / "episodes").glob("*break*"))
    assert attempts == [".0", ".1"]


def test_a_killed_run_that_was_resumed_continues(suite):
    """The report is the old one; the index and the attempts record what happened since."""
    folder = suite.stop(["fine", "break", "interrupt", "last"])
    old = (folder / "report.json").read_text()
    suite.run("--mobile-resume=runs", "-k", "break or interrupt")
    suite.worked()
    (folder / "report.json").write_text(old)  # as if the run was killed before it wrote a new one
    suite.run("--mobile-resume=runs")
    assert suite.worked() == ["last"]
    assert set(outcomes(folder).values()) == {"passed"}


@pytest.mark.slow
def test_unselected_results_stay_and_new_tasks_are_run(suite):
    folder = suite.stop(["fine", "interrupt", "last"])
    suite.write(["interrupt", "new"])
    result = suite.run("--mobile-resume=runs")
    assert suite.worked() == ["interrupt", "new"]
    result.stdout.fnmatch_lines(["0 reused, 2 run (1 new), 2 not selected this time and unchanged"])
    expected = {"fine": "passed", "interrupt": "passed", "last": "not run", "new": "passed"}
    assert outcomes(folder) == expected
    suite.write(["fine", "interrupt", "last", "new"])
    suite.run("--mobile-resume=runs")
    assert suite.worked() == ["last"]


def test_a_person_has_decided_what_is_kept(suite):
    folder = suite.stop(["dispute", "fail", "interrupt"])
    for task in report(folder)["tasks"]:
        if task["outcome"] in {"review", "failed"}:
            add_verdict(folder / task["episode"], of_person(True, "eve", "looks right"))
    result = suite.run("--mobile-resume=runs")
    assert result.parseoutcomes() == {"passed": 3}
    assert set(outcomes(folder).values()) == {"passed"}
    kept = [task for task in report(folder)["tasks"] if "as_run" in task]
    assert {task["as_run"]["outcome"] for task in kept} == {"review", "failed"}


def test_changes_since_then_are_reported(suite):
    suite.stop(["fine", "interrupt"])
    path = suite.pytester.path / "test_all.py"
    path.write_text(path.read_text().replace('what != "fail"', 'what != "fails"'))
    result = suite.run("--mobile-resume=runs")
    result.stdout.fnmatch_lines(["reused results are from before this was changed: checks"])


def test_options_that_affect_results_cannot_change(suite):
    folder = suite.stop(["fine", "interrupt"])
    for given, was in (
        ("--agent=conftest.py:Other", "with --agent=conftest.py:Worker"),
        ("--mobile-seed=4", "with --mobile-seed=0"),
        ("--mobile-epochs=2", "with --mobile-epochs=1"),
        ("--mobile-max-steps=5", "without it"),
        ("--mobile-model=scripted:a.jsonl", "without it"),
        ("--mobile-agent-option=speed=2", "without it"),
        ("--mobile-device=serial:other", "with --mobile-device=virtual"),
    ):
        made = f"that run ({folder.name}) was made {was}"
        error = suite.refused("--mobile-resume=runs", given)
        told = f"{given} and --mobile-resume=runs do not go together: {made}"
        if "epochs" in given:
            told += ". For other epochs, make a new run that takes over its results: "
            told += f"--mobile-reuse=runs {given}"
        assert error == told


def test_more_epochs_are_run_by_the_options_that_the_refusal_names(project):
    tests = ("tasks", "--agent=oracle", "-k", "code")
    project.run(*tests, "--mobile-epochs=2").assert_outcomes(passed=2)
    refusal = project.run(*tests, "--mobile-resume=runs", "--mobile-epochs=3").stderr.str()
    words = refusal.strip().rpartition("results: ")[2].split()
    result = project.run(*tests, *words)
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*2*reused*1 run*"])


def test_the_rest_is_taken_from_the_run(suite, monkeypatch):
    suite.write(["fine", "interrupt"])
    (suite.pytester.path / "stop").touch()
    suite.run("--mobile-epochs=2", "--mobile-seed=7", "--mobile-max-steps=9")
    (suite.pytester.path / "stop").unlink()
    suite.worked()
    monkeypatch.setenv("MOBILE_SEED", "3")
    result = suite.run("--mobile-resume=runs", agent="")
    result.stdout.fnmatch_lines(
        [
            "mobileagent: --agent=conftest.py:Worker (--mobile-resume)",
            "  --mobile-epochs=2 (--mobile-resume)",
            "  --mobile-max-steps=9 (--mobile-resume)",
            "  --mobile-seed=7 (--mobile-resume)",
        ]
    )
    assert result.parseoutcomes() == {"passed": 4}
    monkeypatch.setenv("MOBILE_RESUME", "runs")
    listed = suite.run("--collect-only", "-q", agent="")
    assert len([line for line in listed.outlines if "epoch" in line]) == 4


def test_a_run_in_progress_is_refused(suite):
    folder = suite.stop(["fine", "interrupt"])
    with FileLock(folder / ".lock"):
        error = suite.refused("--mobile-resume=runs")
    assert error == (
        f"--mobile-resume=runs: {folder} is still running: another process holds {folder / '.lock'}"
    )
    (folder / ".lock").touch()  # left by a process that was killed
    suite.run("--mobile-resume=runs").stdout.fnmatch_lines(["1 reused, 1 run"])


def damage(folder: Path, name: str, text: str | None) -> None:
    (folder / name).unlink()
    if text is not None:
        (folder / name).write_text(text)


def test_a_run_that_cannot_be_read_is_an_error(suite, fnmatch):
    folder = suite.stop(["fine", "interrupt"])
    whole = (folder / "run.json").read_text()
    for name, text, error in (
        ("report.json", "[]", "*report.json is damaged: *"),
        ("run.json", "{", "*run.json cannot be read: JSONDecodeError*"),
        ("run.json", '{"schema_version": 2, "run": {}}', "*run.json is damaged: KeyError: 'tasks'"),
        ("run.json", whole.replace("2", "3", 1), "* is of schema version 3: install a newer *"),
        ("run.json", None, "* has no run.json, which lists the tests to run"),
    ):
        copy = Path(shutil.copytree(folder, suite.pytester.path / "copies", dirs_exist_ok=True))
        damage(copy, name, text)
        fnmatch(suite.refused("--mobile-resume=copies"), f"--mobile-resume=copies: {error}")
    shutil.rmtree(folder)
    fnmatch(suite.refused("--mobile-resume=runs"), "--mobile-resume=runs: *runs holds no run: *")


def test_lines_that_are_not_whole_are_run_again(suite):
    folder = suite.stop(["fine", "fail", "interrupt"])
    (folder / "report.json").unlink()
    index = folder / "index.jsonl"
    first, second, *_ = index.read_text().splitlines()
    index.write_text(f"{first}\n{second[: len(second) // 2]}")
    suite.run("--mobile-resume=runs")
    assert suite.worked() == ["fail", "interrupt"]


def test_a_folder_of_another_user_is_reported(suite, fnmatch):
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only for root")
    folder = suite.stop(["fine", "interrupt"])
    folder.chmod(0o500)
    try:
        fnmatch(suite.refused("--mobile-resume=runs"), "*cannot be written to: *")
    finally:
        folder.chmod(0o700)


def test_of_three_options_one_may_be_given(suite):
    suite.stop(["fine", "interrupt"])
    assert suite.refused("--mobile-resume=runs", "--mobile-rescore=runs") == (
        "--mobile-resume=runs (--mobile-resume) and --mobile-rescore=runs (--mobile-rescore) "
        "exclude each other: a run is either resumed, reused, or scored or played again"
    )


def _nothing_moves(path):
    """Return whether both workers wait, or one waits and holds the other waiting test."""
    waiting = len(list(path.glob("began *")))
    done = [entries(folder) for folder in (path / "runs").glob("*")]
    return waiting == 2 or (waiting == 1 and [len(each) for each in done] == [3])


@pytest.mark.slow
def test_a_killed_run_can_be_resumed_with_other_workers(suite):
    suite.write(["fine", "fail", "wait 1", "wait 2", "last"])
    path = suite.pytester.path
    (path / "stop").touch()
    words = (AGENT, "--mobile-agent-process=off", "-n2", NO_PHONE)
    # These tests may themselves run in a worker.
    outside = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_XDIST")}
    killed = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words], cwd=path, env=outside, stdout=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: _nothing_moves(path), seconds=120)
        (folder,) = (path / "runs").iterdir()
        assert is_held(folder)
        other = suite.run("--mobile-resume=runs")
        assert other.ret == pytest.ExitCode.USAGE_ERROR
        other.stderr.fnmatch_lines([f"ERROR: --mobile-resume=runs: {folder} is still running: *"])
        finished = {str(entry.case) for entry in entries(folder)}
    finally:
        killed.kill()
        killed.wait()
    (path / "stop").unlink()
    suite.worked()
    result = suite.pytester.runpytest_inprocess(*words, "--mobile-resume=runs", "-v")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"{len(finished)} reused, {5 - len(finished)} run"])
    assert len(suite.worked()) == 5 - len(finished)
    names = ["fine", "wait 1", "wait 2", "last"]
    assert outcomes(folder) == {"fail": "failed", **dict.fromkeys(names, "passed")}
    assert list((path / "runs").iterdir()) == [folder]
    assert not is_held(folder)
