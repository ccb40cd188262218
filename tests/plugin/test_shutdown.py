"""How a run ends: its exit status, and a report that contains every selected task."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.episode.runs import entries
from pytest_mobileagent.plugin.shutdown import RunEnding
from tests.plugin.leftovers import processes_with, wait_until
from tests.plugin.projects import NO_PHONE, PHONE, newest_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Start = Callable[..., subprocess.Popen[str]]

CONFTEST = f"""{PHONE}
import os, signal, threading, time
from pytest_mobileagent import Agent, Finish

class Worker(Agent):
    def start(self, briefing):
        self.goal = briefing.goal

    def step(self, observation):
        if "kill" in self.goal:
            os.kill(os.getpid(), signal.SIGKILL)
        if "until" in self.goal:
            open("began", "w").close()
            while not os.path.exists("go"):
                time.sleep(0.01)
        if "wait" in self.goal:
            open("began", "w").close()
            threading.Event().wait()
        return Finish(self.goal)

@pytest.fixture(scope="session")
def agent():
    return Worker

def pytest_runtest_logreport(report):
    if os.environ.pop("HOLD", "") and "PYTEST_XDIST_WORKER" not in os.environ:
        threading.Event().wait()
"""
TASKS = """
import pytest
from pytest_mobileagent import task
from pytest_mobileagent.errors import UndecidedError

@pytest.mark.parametrize("what", {what})
@task("Do {{what}}.", golden_steps=3, tags=["smoke"])
def test_it(episode, what):
    if what == "dispute":
        raise UndecidedError("the judges disagree")
    assert what != "fail"
"""
OPTIONS = ("-p", "no:cacheprovider", "--agent=conftest.py:Worker", NO_PHONE)


def _listen_but(deaf: Sequence[int], terminal: int | None) -> None:
    """Attach the terminal, ignore the signals in `deaf`, and reset the other ones."""
    if terminal is not None:
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for each in (signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN if each in deaf else signal.SIG_DFL)


def write(pytester: pytest.Pytester, what: list[str]) -> None:
    """Write tasks that need no phone."""
    pytester.makeini("[pytest]")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TASKS.format(what=what))


@pytest.fixture
def start(pytester: pytest.Pytester) -> Iterator[Start]:
    """Starts pytest on tasks that need no phone; the process is killed at the end of the test."""
    processes = []

    def start(
        what: list[str],
        *arguments: str,
        deaf: Sequence[int] = (),
        terminal: int | None = None,
        **environment: str,
    ) -> subprocess.Popen[str]:
        write(pytester, what)
        # These tests may themselves run in a worker.
        outside = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_XDIST")}
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *OPTIONS, "--junitxml=junit.xml", *arguments],
            cwd=pytester.path,
            env={**outside, **environment},
            stdin=terminal,
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.STDOUT,
            text=True,
            # Background jobs of a shell, and therefore these tests, may ignore Ctrl-C.
            start_new_session=True,
            preexec_fn=lambda: _listen_but(deaf, terminal),  # noqa: PLW1509
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def run(pytester: pytest.Pytester, start: Start) -> Callable[..., tuple[int, str, dict[str, Any]]]:
    """Runs tasks that need no phone; returns the status, the output, and report.json.

    Without workers, the tasks run in this process.
    """

    def run(what: list[str], *arguments: str) -> tuple[int, str, dict[str, Any]]:
        if any(word in ("-n1", "-n2") for word in arguments):
            process = start(what, *arguments)
            shown, _ = process.communicate(timeout=300)
            status = process.returncode
        else:
            write(pytester, what)
            result = pytester.runpytest_inprocess(*OPTIONS, "--junitxml=junit.xml", *arguments)
            status, shown = int(result.ret), result.stdout.str()
        return status, shown, newest_report(pytester.path)

    return run


def junit(pytester: pytest.Pytester) -> dict[str, list[str]]:
    """Return the child elements of each test case in the JUnit XML, except properties."""
    cases = ET.parse(pytester.path / "junit.xml").getroot().iter("testcase")
    return {
        str(case.get("name")): [child.tag for child in case if child.tag != "properties"]
        for case in cases
    }


@pytest.mark.parametrize(
    ("ending", "given", "status"),
    [
        (RunEnding(), 0, 0),
        (RunEnding(), 1, 1),
        (RunEnding(too_much_broke=True, is_incomplete=True), 2, 9),
        (RunEnding(too_much_broke=True), 4, 4),
        (RunEnding(is_incomplete=True), 0, 1),
        (RunEnding(is_incomplete=True), 2, 2),
        (RunEnding(only_decided_failures=True), 1, 0),
        (RunEnding(only_skips=True), 0, 5),
        (RunEnding(gate=0), 1, 0),
        (RunEnding(gate=0, others_failed=True), 1, 1),
        (RunEnding(gate=1), 0, 1),
        (RunEnding(gate=8, others_failed=True), 1, 1),
        (RunEnding(gate=9, others_failed=True), 1, 9),
        (RunEnding(gate=0), 2, 2),
        (RunEnding(gate=0, budget_is_spent=True), 2, 2),
        (RunEnding(gate=8, too_much_broke=True), 1, 9),
        (RunEnding(gate=8, only_skips=True), 0, 8),
    ],
)
def test_most_serious_reason_decides_the_status(ending: RunEnding, given: int, status: int) -> None:
    assert ending.status(given) == status


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n1", marks=pytest.mark.slow)])
def test_cases_for_review_are_neither_passed_nor_failed(
    pytester: pytest.Pytester, run: Callable[..., Any], workers: str
) -> None:
    status, shown, document = run(["dispute", "pass"], workers)
    assert status == 0
    assert "1 passed, 1 review" in shown
    assert workers != "-n0" or ".py R. " in shown
    assert "for review (1):" in shown
    assert "the judges disagree" in shown
    task = next(task for task in document["tasks"] if task["outcome"] == "review")
    assert (task["success"], task["fault"]) == (None, None)
    assert task["verdict"]["passed"] is None
    assert document["summary"]["review"] == 1
    assert junit(pytester) == {"test_it[dispute]": ["skipped"], "test_it[pass]": []}


@pytest.mark.slow
def test_repeated_attempt_shows_no_letter_and_has_one_result(
    pytester: pytest.Pytester, run: Callable[..., Any]
) -> None:
    status, shown, document = run(["kill", "pass"], "-n1")
    assert status == 1
    assert "R" not in shown.partition("crashed worker")[0].partition("2 items")[2]
    assert "1 failed, 1 passed, 1 repeated" in shown
    killed, _ = document["tasks"]
    assert killed["infrastructure"] == ["a worker died", "a worker died"]
    assert list(junit(pytester)) == ["test_it[kill]", "test_it[pass]"]


@pytest.mark.slow
def test_tasks_that_never_ran_are_reported(
    pytester: pytest.Pytester, run: Callable[..., Any]
) -> None:
    what = [f"t{number}" for number in range(19)]
    what.insert(3, "kill")
    arguments = ("-n1", "--dist=load", "--max-worker-restart=0", "--mobile-retries=0")
    status, shown, document = run(what, *arguments)
    assert status == 1
    summary, tasks = document["summary"], document["tasks"]
    assert (summary["tasks"], summary["decided"], summary["errors"]) == (20, 3, 1)
    assert (summary["not_run"], summary["success_rate"]) == (16, 1.0)
    assert summary["success_rate_of_all"] == 3 / 20
    last = next(task for task in tasks if task["outcome"] == "not run")
    assert (last["success"], last["fault"]) == (None, "infrastructure")
    assert (last["tags"], last["golden_steps"], last["steps"]) == (["smoke"], 3, None)
    assert "crashed" in last["reason"]
    assert "of all 20: 15.0%" in shown
    assert "not run (16): " in shown
    cases = junit(pytester)
    assert len(cases) == 20
    assert sum(tags == ["skipped"] for tags in cases.values()) == 16


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        pytest.param(["-x"], 1, "stopping after 1 failures", id="alone"),
        pytest.param(
            *(["-x", "-n1", "--dist=load"], 2, "stopping after 1 failures"),
            marks=pytest.mark.slow,
            id="workers",
        ),
    ],
)
def test_tasks_after_the_first_failure_are_not_run(
    run: Callable[..., Any], arguments: list[str], status: int, reason: str
) -> None:
    given, _, document = run(["pass", "fail", "a", "b", "c", "d"], *arguments)
    assert given == status
    by_id = {task["id"].partition("[")[2]: task for task in document["tasks"]}
    assert [by_id[name]["outcome"] for name in ("pass]", "fail]")] == ["passed", "failed"]
    assert (by_id["d]"]["outcome"], by_id["d]"]["reason"]) == ("not run", reason)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_interrupted_run_reports_all_finished_results(
    pytester: pytest.Pytester, start: Start, how: signal.Signals
) -> None:
    # The run's own process hangs at the first report and therefore reads no other report.
    names = [f"t{number}" for number in range(48)]
    process = start(names, "-n2", "--dist=load", HOLD="1")

    def finished() -> int:
        return sum(len(entries(run)) for run in pytester.path.glob("runs/*"))

    wait_until(lambda: finished() >= 10)  # each worker has six tests in hand
    process.send_signal(how)
    shown, _ = process.communicate(timeout=300)
    assert process.returncode == 2, shown
    document = newest_report(pytester.path)
    outcomes = [task["outcome"] for task in document["tasks"]]
    assert outcomes.count("passed") == finished()
    assert outcomes.count("not run") == len(names) - finished()
    assert document["summary"]["success_rate"] == 1.0
    assert all(task["episode"] for task in document["tasks"] if task["success"])
    assert f"{finished()} passed" in shown
    assert f"not run ({len(names) - finished()})" in shown
    assert sum(not tags for tags in junit(pytester).values()) == finished()


def terminate(process: subprocess.Popen[str]) -> None:
    process.terminate()


def hang_up(process: subprocess.Popen[str]) -> None:
    """Act as a closing terminal: send SIGHUP to each process of the run, to some of them twice."""
    for _ in range(2):
        os.killpg(process.pid, signal.SIGHUP)


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """Act as a terminal: send SIGINT to each process of the run."""
    os.killpg(process.pid, signal.SIGINT)


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n1", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "end",
    [terminate, *(pytest.param(end, marks=pytest.mark.slow) for end in (press_ctrl_c, hang_up))],
)
def test_unfinished_tests_are_interrupted(
    pytester: pytest.Pytester,
    start: Start,
    end: Callable[[subprocess.Popen[str]], None],
    workers: str,
) -> None:
    process = start(["pass", "wait", "later"], workers)
    wait_until((pytester.path / "began").exists)
    end(process)
    shown, _ = process.communicate(timeout=300)
    assert process.returncode == 2, shown
    tasks = newest_report(pytester.path)["tasks"]
    ended = {task["parameters"]["what"]: (task["outcome"], task["termination"]) for task in tasks}
    assert ended == {
        "later": ("not run", None),
        "pass": ("passed", "self-reported"),
        "wait": ("not run", "interrupted"),
    }
    by_name = {task["parameters"]["what"]: task for task in tasks}
    assert by_name["wait"]["reason"] == "interrupted: the run was interrupted"
    assert by_name["wait"]["fault"] == "infrastructure"


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n1", marks=pytest.mark.slow)])
def test_a_run_started_by_nohup_outlives_the_terminal(
    pytester: pytest.Pytester, start: Start, workers: str
) -> None:
    process = start(["until", "pass"], workers, deaf=[signal.SIGHUP])
    wait_until((pytester.path / "began").exists)
    hang_up(process)
    (pytester.path / "go").touch()
    shown, _ = process.communicate(timeout=300)
    assert process.returncode == 0, shown
    assert "2 passed" in shown


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n1", marks=pytest.mark.slow)])
def test_run_whose_terminal_closes_is_reported(
    pytester: pytest.Pytester, start: Start, workers: str
) -> None:
    ours, terminal = os.openpty()
    process = start(["pass", "wait", "later"], workers, terminal=terminal)
    wait_until((pytester.path / "began").exists)
    os.close(terminal)
    os.close(ours)
    assert process.wait(60) == 2
    tasks = newest_report(pytester.path)["tasks"]
    assert sorted(task["outcome"] for task in tasks) == ["not run", "not run", "passed"]
    wait_until(lambda: not processes_with(str(pytester.path)))


@pytest.mark.slow
@pytest.mark.parametrize("reruns", [["--reruns=0"], ["--reruns=1"], ["--reruns=1", "--dist=load"]])
def test_task_that_kills_its_worker_has_one_result_with_rerunfailures(
    pytester: pytest.Pytester, run: Callable[..., Any], reruns: list[str]
) -> None:
    pytest.importorskip("pytest_rerunfailures")
    status, shown, document = run(["kill", "pass"], "-n1", *reruns)
    assert status == 1
    assert "1 failed, 1 passed" in shown
    assert len(document["tasks"]) == 2
    assert list(junit(pytester)) == ["test_it[kill]", "test_it[pass]"]
