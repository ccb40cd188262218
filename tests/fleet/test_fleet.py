"""Runs on a Ray cluster produce the same results as local runs, even if processes are killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import pytest_mobileagent
from tests.fleet.conftest import ended, lives, parent_of, until

pytestmark = pytest.mark.slow

# Fields that may differ between two equal runs: time, speed, place, and how the run was started.
OF_THIS_RUN = {
    "id",
    "started",
    "ended",
    "command",
    "options",
    "run",
    "worker",
    "alone",
    "node",
    "place",
}


def same(value: Any) -> Any:
    """Return JSON data without the fields that may differ."""
    if isinstance(value, dict):
        own = {k: v for k, v in value.items() if k not in OF_THIS_RUN}
        return {k: same(v) for k, v in own.items() if "second" not in k and k != "latency"}
    return [same(each) for each in value] if isinstance(value, list) else value


def by_task(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {task["nodeid"].partition("[")[2].strip("]"): task for task in report["tasks"]}


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {name: task["outcome"] for name, task in sorted(by_task(report).items())}


@pytest.fixture(autouse=True)
def nothing_is_left(fleet, sent):
    """After each test, wait until its processes and temporary folders have disappeared."""
    yield
    sent.end()
    until(lambda: not any(map(lives, sent.pids())))
    until(lambda: not fleet.leftovers())


EXPECTED = {str(number): "passed" for number in range(6)}


def test_a_run_on_a_cluster_has_the_results_of_one_on_this_machine(fleet, sent):
    sent.go()
    run = sent.start(fleet, "-n2")
    assert ended(run) == 0, sent.output()
    there = sent.report()
    engine = "--mobile-engine=xdist"
    here = subprocess.run([*sent.command(fleet, "-n2", "--mobile-runs=here"), engine], check=False)
    assert here.returncode == 0
    assert same(there) == same(sent.report("here"))
    assert outcomes(there) == EXPECTED
    assert "2 workers [6 items]" in sent.output()


def test_the_episode_of_a_killed_worker_is_repeated(fleet, sent):
    run = sent.start(fleet, "-n2")
    victim, _ = until(lambda: len(sent.pids()) == 2 and sent.pids())
    os.kill(victim, signal.SIGKILL)
    until(lambda: "node down" in sent.output())
    sent.go()
    assert ended(run) == 0, sent.output()
    report = sent.report()
    assert outcomes(report) == EXPECTED
    assert "(raylet)" not in sent.output()  # Ray would print such lines, too, and long ones
    lost = [task for task in report["tasks"] if task["infrastructure"]]
    assert [task["infrastructure"] for task in lost] == [["a worker died"]]
    assert [attempt["end"] for attempt in lost[0]["attempts"]] == ["worker died", "played"]


def test_of_a_killed_run_nothing_is_left_and_it_continues(fleet, sent):
    sent.free("Say 0.", "Say 1.")
    run = sent.start(fleet, "-n2")
    until(lambda: len(finished(sent)) == 2 and len(sent.pids()) == 2)
    run.kill()
    run.wait()
    until(lambda: not any(map(lives, sent.pids())))
    sent.go()
    again = sent.start(fleet, "-n2", "--mobile-resume=runs")
    assert ended(again) == 0, sent.output(1)
    assert outcomes(sent.report()) == EXPECTED
    assert "2 reused, 4 run" in sent.output(1)


def finished(sent) -> list[str]:
    paths = sent.path.glob("runs/*/index.jsonl")
    return [line for path in paths for line in path.read_text("utf-8").splitlines()]


def test_a_killed_node_costs_its_episode_and_its_phone(fleet, sent):
    with fleet.joined(resources={"phone": 1}) as raylet:
        run = sent.start(fleet, "-n3")
        until(lambda: len(sent.pids()) == 3)
        os.kill(raylet, signal.SIGKILL)
        until(lambda: "node down" in sent.output(), seconds=20.0)
        sent.go()
        assert ended(run) == 0, sent.output()
    assert outcomes(sent.report()) == EXPECTED
    assert sent.output().count("node down") == 1


def test_of_a_machine_that_vanished_and_comes_back_nothing_is_taken_any_more(fleet, sent):
    with fleet.joined(resources={"phone": 1}) as raylet:
        run = sent.start(fleet, "-n3")
        until(lambda: len(sent.pids()) == 3)
        (victim,) = (pid for pid in sent.pids() if parent_of(pid) == raylet)
        for pid in (raylet, victim):
            os.kill(pid, signal.SIGSTOP)
        until(lambda: "node down" in sent.output(), seconds=20.0)
        for pid in (victim, raylet):
            os.kill(pid, signal.SIGCONT)
        sent.go()
        assert ended(run) == 0, sent.output()
        until(lambda: not lives(victim))
    report = sent.report()
    assert outcomes(report) == EXPECTED
    assert sent.output().count("has not been heard for") == 1
    assert len(finished(sent)) == 6
    (lost,) = (task for task in report["tasks"] if task["infrastructure"])
    assert [attempt["end"] for attempt in lost["attempts"]] == ["worker died", "played"]


@pytest.mark.parametrize("stop", ["-x", "Ctrl-C"])
def test_a_run_that_lost_a_worker_can_be_stopped_and_continues(fleet, sent, stop):
    sent.free("Say 0.", "Say 1.")
    run = sent.start(fleet, "-n2", *(["-x"] * (stop == "-x")))
    until(lambda: len(finished(sent)) == 2 and len(sent.pids()) == 2)
    os.kill(sent.pids()[0], signal.SIGKILL)
    until(lambda: len(sent.pids()) == 3)  # the third process is a new worker's
    if stop == "-x":
        sent.wrong("Say 2.")
        sent.free("Say 2.")
        until(lambda: len(finished(sent)) == 3)
        sent.go()  # the other worker finishes its test
    else:
        run.send_signal(signal.SIGINT)
    assert ended(run) in {1, 2}, sent.output()  # 1 after -x without workers, 2 with them
    until(lambda: not any(map(lives, sent.pids())))
    assert outcomes(sent.report())["5"] == "not run"
    sent.wrong()
    sent.go()
    again = sent.start(fleet, "-n2", "--mobile-resume=runs")
    assert ended(again) == (1 if stop == "-x" else 0), sent.output(1)
    expected = EXPECTED | ({"2": "failed"} if stop == "-x" else {})
    assert outcomes(sent.report()) == expected
    assert len(finished(sent)) == 6


def test_a_node_without_phones_runs_nothing(fleet, sent):
    with fleet.joined(labels={"place": "west"}) as raylet:
        sent.go()
        run = sent.start(fleet, "-nauto")
        assert ended(run) == 0, sent.output()
        assert "2 workers [6 items]" in sent.output()
        assert raylet not in sent.parents()


def test_a_machine_with_other_code_is_refused_before_a_phone_starts(fleet, sent):
    other = fleet.folder / "other"
    package = Path(pytest_mobileagent.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__", "virtual")
    shutil.copytree(package, other / package.name, ignore=ignored)
    (other / package.name / "virtual").symlink_to(package / "virtual")
    with (other / package.name / "errors.py").open("a") as file:
        file.write("# another commit\n")
    with fleet.joined(
        resources={"phone": 1}, labels={"place": "east"}, env_vars={"PYTHONPATH": str(other)}
    ):
        run = sent.start(fleet, "-n1", f"--mobile-engine=ray:{fleet.address},place=east")
        assert ended(run) == 4, sent.output()
    (line,) = [line for line in sent.output().splitlines() if line.startswith("ERROR: ")]
    assert "has other code: pytest-mobileagent" in line
    assert not sent.pids()


def test_an_interrupted_run_and_two_at_once(fleet, sent):
    first, second = (sent.start(fleet, "-n1", f"--mobile-runs=runs{n}") for n in (0, 1))
    until(lambda: len(sent.pids()) == 2)
    first.send_signal(signal.SIGINT)
    assert ended(first) == 2
    assert "continue with: " in sent.output(0)
    sent.go()
    assert ended(second) == 0, sent.output(1)
    assert outcomes(sent.report("runs1")) == EXPECTED
    assert set(outcomes(sent.report("runs0")).values()) == {"not run"}
    until(lambda: not any(map(lives, sent.pids())))


@pytest.mark.parametrize(
    ("engine", "workers", "why"),
    [
        (
            "{address}",
            "3",
            ": -n 3 needs 3 phones, and the machines of the cluster have 2: give -n 2",
        ),
        ("{address},place=east", "1", "no machine of the cluster with place=east has a phone: "),
        ("127.0.0.1:1", "1", "nothing answers there"),
        ("here", "1", "an address is HOST:PORT"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_reported_in_one_line(fleet, sent, engine, workers, why):
    text = f"--mobile-engine=ray:{engine.format(address=fleet.address)}"
    run = sent.start(fleet, f"-n{workers}", text)
    assert ended(run) == 4
    (line,) = [line for line in sent.output().splitlines() if line.strip()]
    assert line.startswith(f"ERROR: {text}")
    assert why in line
    assert not (sent.path / "runs").exists()


@pytest.mark.parametrize(
    ("error", "why"),
    [
        ("pytest.UsageError", "3 workers in a row ended before their first test: "),
        ("RuntimeError", "no worker is left: "),  # after pytest has printed the error
    ],
)
def test_workers_that_cannot_begin_end_the_run_with_their_last_words(fleet, sent, error, why):
    (sent.path / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_configure(config):\n"
        "    if hasattr(config, 'workerinput'):\n"
        f"        raise {error}('the cable is not plugged in')\n"
    )
    run = sent.start(fleet, "-n2")
    assert ended(run) == 2, sent.output()
    (line,) = [line for line in sent.output().splitlines() if why in line]
    assert "the cable is not plugged in" in line
