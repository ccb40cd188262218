"""Runs with several workers, concurrent runs, and runs that are killed."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import xml.etree.ElementTree as ET

import pytest

from tests.plugin.leftovers import WAITING, deadly, processes_with, wait_until

CRASHING = """
import os, signal
from pathlib import Path
from pytest_mobileagent import Agent, Finish

class Crashing(Agent):
    def start(self, briefing):
        self.goal = briefing.goal

    def step(self, observation):
        marker = Path(os.environ["MARKERS"], "crashed")
        if "code" in self.goal and (not marker.exists() or "ALWAYS" in os.environ):
            marker.touch()
            os.kill(os.getppid(), signal.SIGKILL)  # the worker
        return Finish("4711")
"""


def reports(project):
    paths = sorted((project.pytester.path / "runs").glob("*/report.json"))
    return [json.loads(path.read_text("utf-8")) for path in paths]


def timeless(document):
    """Return the tasks of a report without the fields that differ from run to run."""
    clock = {"seconds", "seconds_per_step", "thinking_seconds", "acting_seconds", "latency"}
    clock.add("attempts")
    return [{k: v for k, v in task.items() if k not in clock} for task in document["tasks"]]


@pytest.mark.slow
def test_numbers_do_not_depend_on_the_number_of_workers(project):
    for arguments in (["-n0"], ["-n2"], ["-p", "no:xdist"]):
        result = project.run_virtual("tasks", "--agent=oracle", *arguments)
        result.assert_outcomes(passed=2, failed=1)
    one, two, three = reports(project)
    assert timeless(one) == timeless(two) == timeless(three)
    assert one["run"]["fingerprint"] == two["run"]["fingerprint"] == three["run"]["fingerprint"]


@pytest.mark.slow
def test_killed_worker_loses_no_other_result_and_its_task_is_repeated(
    project, markers, nothing_left
):
    project.write(agents__crashing=CRASHING)
    result = project.run_virtual("tasks", "--agent=crashing", "-n2", "--junitxml=junit.xml")
    (document,) = reports(project)
    cases = list(ET.parse(project.pytester.path / "junit.xml").getroot().iter("testcase"))
    assert sorted(case.attrib["name"] for case in cases) == [
        "test_code",
        "test_count[1]",
        "test_count[2]",
    ]
    by_id = {task["id"]: task for task in document["tasks"]}
    assert len(by_id) == 3
    assert by_id["tasks/counter/counter/code"]["success"] is True
    result.stdout.fnmatch_lines(["*1 repeated*"])
    nothing_left()  # processes that are killed at the end disappear a moment later


@pytest.mark.parametrize("dist", ["load", "loadfile"])
@pytest.mark.slow
def test_a_worker_that_always_dies_is_an_error_not_a_failure_of_the_agent(
    project, markers, monkeypatch, dist
):
    monkeypatch.setenv("ALWAYS", "1")
    project.write(agents__crashing=CRASHING)
    result = project.run_virtual("tasks", "--agent=crashing", "-n1", "-k", "code", "--dist", dist)
    (document,) = reports(project)
    (task,) = document["tasks"]
    assert (task["outcome"], task["success"], task["level"]) == ("error", None, 2)
    assert task["episode"] is not None
    assert result.ret == 1


@pytest.mark.slow
def test_worker_that_dies_before_recording_loses_no_result(project):
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(
            """
import os, pytest, signal

class Lease:
    def get(self):
        os.kill(os.getpid(), signal.SIGKILL)

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease()
"""
        )
    result = project.run_virtual("tasks", "--agent=noop", "-n1", "-k", "code")
    (document,) = reports(project)
    (task,) = document["tasks"]
    assert (task["id"], task["outcome"], task["level"]) == (
        "tasks/counter/counter/code",
        "error",
        2,
    )
    assert task["infrastructure"] == ["a worker died", "a worker died"]
    assert document["summary"]["errors"] == 1
    assert result.ret == 1


def test_results_are_separate_under_every_scheduler(project):
    result = project.pytester.runpytest_inprocess("tasks", "--agent=noop", "-n2", "--dist=each")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--dist=each*--mobile-epochs*"])


@pytest.mark.slow
def test_worker_groups_and_odd_parameters_keep_ids_unchanged(project):
    project.write(
        tasks__counter__test_counter="""
import pytest
from pytest_mobileagent import task

@pytest.mark.xdist_group("phones")
@pytest.mark.parametrize("what", ["a::b/c"])
@task("Do {what}.")
def test_odd(episode, what):
    pass
"""
    )
    for arguments in (["-n0"], ["-n1", "--dist=loadgroup"]):
        project.run_virtual("tasks", "--agent=noop", "--mobile-epochs=2", *arguments)
    for document in reports(project):
        found = [(task["id"], task["epoch"], task["suite"]) for task in document["tasks"]]
        assert found == [("tasks/counter/counter/odd[a::b/c]", n, "counter") for n in (0, 1)]


def test_killed_pytest_leaves_nothing_behind(project, start, markers, temporary, nothing_left):
    project.write(agents__waiting=WAITING)
    process = start("tasks", "--agent=waiting", "-n0")
    wait_until(lambda: any(markers.iterdir()))
    assert processes_with(str(temporary))
    process.send_signal(signal.SIGKILL)
    process.wait()
    nothing_left()


FORKING = """
import os, subprocess, sys
from pathlib import Path
from pytest_mobileagent import Agent, Finish

class Forking(Agent):
    def step(self, observation):
        code = "import time; time.sleep(600)"
        for _ in range(3):
            subprocess.Popen([sys.executable, "-S", "-c", code], start_new_session=True)
        Path(os.environ["MARKERS"], str(os.getpid())).touch()
        while True:
            subprocess.run(["true"], start_new_session=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_processes_of_agents_end_when_pytest_is_killed(
    project, start, markers, nothing_left, workers
):
    project.write(agents__forking=FORKING)
    process = start("tasks", "--agent=forking", workers)
    wait_until(lambda: len(list(markers.iterdir())) >= (2 if workers == "-n2" else 1))
    process.kill()
    process.wait()
    nothing_left()


FORKING_PROGRAM = """
import os, signal, subprocess, sys, time
from pathlib import Path

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"],
                     start_new_session=True)
Path("written").touch()
Path(os.environ["MARKERS"], str(os.getpid())).touch()
while True:
    subprocess.run(["true"], start_new_session=True)
"""


@pytest.mark.slow
def test_processes_of_programs_end_when_pytest_is_killed(project, start, markers, nothing_left):
    folder = project.pytester.path / "theirs"
    folder.mkdir()
    (folder / "loop.py").write_text(FORKING_PROGRAM)
    adapter = project.pytester.path / "theirs.toml"
    adapter.write_text(f'command = ["{sys.executable}", "-S", "loop.py"]\nfolder = "theirs"\n')
    process = start("tasks", "--agent=theirs.toml", "-n0")
    wait_until(lambda: any(markers.iterdir()))
    process.kill()
    process.wait()
    nothing_left()
    assert not (folder / "written").exists()


@pytest.mark.slow
def test_nothing_remains_even_if_the_run_folder_was_removed(project, start, markers, temporary):
    project.write(agents__waiting=WAITING)
    process = start("tasks", "--agent=waiting")
    wait_until(lambda: any(markers.iterdir()))
    for folder in temporary.glob("mobileagent-*"):
        shutil.rmtree(folder)
    process.kill()
    process.wait()
    wait_until(lambda: not processes_with(str(temporary)))


@pytest.mark.parametrize(
    "how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_interrupted_run_ends_its_phones_and_keeps_results(project, start, markers, temporary, how):
    project.write(agents__waiting=WAITING)
    process = start("tasks", "--agent=waiting")
    wait_until(lambda: any(markers.iterdir()))
    process.send_signal(how)
    assert process.wait(20) == 2
    assert not processes_with(str(temporary))
    assert not list(temporary.glob("mobileagent-*"))
    assert list((project.pytester.path / "runs").glob("*/episodes/*/episode.jsonl"))


@pytest.mark.slow
def test_concurrent_runs_do_not_interfere(project, start, markers):
    (markers / "go").touch()
    project.write(agents__waiting=WAITING)
    runs = [start("tasks", "--agent=waiting", "-n1") for _ in range(2)]
    for run in runs:
        output, _ = run.communicate(timeout=300)
        assert "1 passed" in output, output
    assert len(reports(project)) == 2


def test_dead_phone_is_replaced_and_its_episode_repeated(project, markers, temporary):
    project.write(agents__deadly=deadly(b"pytest_mobileagent.virtual.main"))
    result = project.run_virtual("tasks", "--agent=deadly", "-k", "code")
    result.assert_outcomes(passed=1)
    (document,) = reports(project)
    assert document["tasks"][0]["episode"].endswith(".1")


@pytest.mark.slow
def test_run_with_a_missing_result_does_not_pass(project):
    # This value cannot be sent between processes, so the report of the only test is lost.
    # pytest-xdist alone would end with status 0.
    project.write(
        tasks__counter__conftest="""
from decimal import Decimal

def pytest_runtest_logreport(report):
    report.user_properties.append(("price", Decimal(1)))
"""
    )
    result = project.run_virtual("tasks", "--agent=noop", "-n1", "-k", "code")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*tests without a result*", "*::test_code"])
    (document,) = reports(project)
    assert (document["summary"]["tasks"], document["summary"]["errors"]) == (1, 1)


@pytest.mark.slow
def test_crash_in_a_session_without_tasks_is_left_to_xdist(pytester):
    pytester.makepyfile(
        """
        import os, signal

        def test_crash():
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    result = pytester.runpytest_subprocess("-n1")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*repeated*")


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_full_temporary_folder_is_a_clear_error(project, workers):
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(
            """
import tempfile

def full(**_):
    raise OSError(28, "No space left on device")

tempfile.mkdtemp = full
"""
        )
    result = project.run_apart("tasks", "--agent=noop", "-k", "code", workers)
    assert result.ret != 0
    shown = result.stdout.str() + result.stderr.str()
    assert "cannot create a temporary folder for the run (TMPDIR sets where)" in shown
    assert "Traceback" not in shown
    assert "INTERNALERROR" not in shown
