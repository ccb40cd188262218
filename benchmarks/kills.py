"""Kills processes of a Ray cluster, and checks that this is noticed and that no task is lost.

`python benchmarks/kills.py [PART…] [--tasks N] [--seed N]` starts a cluster of a head and two
nodes, with a virtual phone each, on this machine. By default, all parts are run:

- `notices`: how long it takes to notice a killed worker, a killed raylet and a vanished machine
  (all its processes are stopped), and how long processes remain after pytest was killed;
- `random`: a run of N tasks (300) while workers, raylets and phones are killed at random times;
- `equal`: the same tasks with pytest-xdist, with Ray, and with two shards joined by `merge`.

The exit status is 1 if a task was lost, or counted against the agent, or if results differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.fleet.conftest import Fleet, parent_of, started, until  # noqa: E402 - see above
from tests.fleet.test_fleet import same  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(TASKS))
@task("Say {number}.", golden_steps=2)
def test_say(episode, number):
    assert episode.answers(str(number))
"""
# Wrong in one of seven tasks, so that results can be compared; slow while there is a file "slow".
AGENT = """
import time
from pathlib import Path
from pytest_mobileagent import Agent, Finish, Key

class Says(Agent):
    def start(self, briefing):
        self.number = int(briefing.goal.removeprefix("Say ").removesuffix("."))
        self.steps = 0
    def step(self, observation):
        self.steps += 1
        while Path("slow").exists():
            time.sleep(0.1)
        if self.steps == 1:
            return Key("home")
        return Finish("nothing" if self.number % 7 == 3 else str(self.number))
"""


@dataclass(frozen=True)
class Project:
    """A folder with tests and an agent; `tasks` is the number of tests."""

    path: Path
    tasks: int

    @classmethod
    def made(cls, path: Path, tasks: int) -> Project:
        """Write the project."""
        (path / "agents").mkdir(parents=True)
        (path / "agents" / "says.py").write_text(AGENT)
        (path / "test_say.py").write_text(TASKS.replace("(TASKS)", f"({tasks})"))
        ini = "[pytest]\naddopts = -p no:cacheprovider\nmobile_agent_paths = agents\n"
        (path / "pytest.ini").write_text(ini)
        return cls(path, tasks)

    def start(self, runs: str, *options: str) -> subprocess.Popen[bytes]:
        """Start a run, whose folder and output are in `runs`."""
        (self.path / runs).mkdir(exist_ok=True)
        own = ["--agent=says", f"--mobile-runs={runs}", "--mobile-retries=9", "--mobile-exit=run"]
        command = [sys.executable, "-m", "pytest", "--tb=no", *own, *options]
        with (self.path / runs / "output").open("wb") as output:
            return subprocess.Popen(command, cwd=self.path, stdout=output, stderr=subprocess.STDOUT)

    def output(self, runs: str) -> str:
        """Return the output of a run so far."""
        return (self.path / runs / "output").read_text("utf-8", "replace")

    def report(self, runs: str) -> dict[str, Any]:
        """Return the report of a run."""
        found = max((self.path / runs).glob("**/report.json"))
        return dict(json.loads(found.read_text("utf-8")))

    def finished(self, runs: str) -> int:
        """Return the number of a run's episodes on the disk."""
        indexes = (self.path / runs).glob("*/index.jsonl")
        return sum(len(path.read_bytes().splitlines()) for path in indexes)


def processes(fleet: Fleet, *words: str) -> list[int]:
    """Return the processes of a cluster's runs whose command lines contain words."""
    ours = f"RAY_TMPDIR={fleet.folder}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if ours in (path / "environ").read_bytes():
                found.append(int(path.name))
    return [pid for pid in found if any(word in command_of(pid) for word in words)]


def command_of(pid: int) -> str:
    """Return the command line of a process, or an empty string if it has ended."""
    with contextlib.suppress(OSError):
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        return line.replace(b"\0", b" ").decode("utf-8", "replace")
    return ""


WORKER, PHONE = "ray::Worker", "pytest_mobileagent.virtual.main"


def workers(fleet: Fleet) -> list[int]:
    """Return the processes of workers that run a session."""
    return processes(fleet, f"{WORKER}.work")


def on_cluster(fleet: Fleet, workers: int = 2) -> list[str]:
    """Return the options for a run on a cluster."""
    return [f"--mobile-engine=ray:{fleet.address}", f"-n{workers}"]


def settle(fleet: Fleet, seconds: float = 60.0) -> None:
    """Wait until nothing is left of a run whose pytest was killed; print what remains."""
    ends = time.monotonic() + seconds
    while what := left(fleet):
        if time.monotonic() > ends:
            print(f"left after {seconds:.0f} s: {what}", flush=True)
            return
        time.sleep(0.1)


def seconds_until(what: Callable[[], Any], began: float) -> float:
    """Return the seconds from `began` until a condition is true."""
    until(what, 120.0)
    return time.monotonic() - began


def notices(fleet: Fleet, project: Project) -> None:
    """Measure how long it takes until a death is noticed."""
    print("| what died | noticed after | asked for |\n| --- | --- | --- |", flush=True)
    slow = project.path / "slow"
    for what, limit in (("worker", 1), ("raylet", 15), ("machine that vanished", 15)):
        slow.touch()
        with fleet.joined(resources={"phone": 1}) as raylet:
            run = project.start(what, *on_cluster(fleet, 3))
            until(lambda: len(processes(fleet, PHONE)) >= 3, 300.0)
            victim = next(pid for pid in workers(fleet) if parent_of(pid) == raylet)
            began = time.monotonic()
            if what == "machine that vanished":
                stopped = [victim, raylet, *below(victim)]
                for pid in stopped:
                    os.kill(pid, signal.SIGSTOP)
            else:
                os.kill(victim if what == "worker" else raylet, signal.SIGKILL)

            def is_noticed(name: str = what) -> bool:
                return "node down" in project.output(name)

            took = seconds_until(is_noticed, began)
            print(f"| {what} | {took:.2f} s | {limit} s |", flush=True)
            run.kill()
            run.wait()
            if what == "machine that vanished":
                for pid in stopped:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
            settle(fleet)
    run = project.start("driver", *on_cluster(fleet))
    until(lambda: len(processes(fleet, PHONE)) >= 2, 300.0)
    until(lambda: len(workers(fleet)) == 2)
    used = {"worker": workers(fleet), "phone": processes(fleet, PHONE), "pytest": [run.pid]}
    used["supervisor"] = processes(fleet, "device.fleet.supervisor")
    memory = {what: proportional(pids) for what, pids in used.items()}
    began = time.monotonic()
    run.kill()
    run.wait()
    took = seconds_until(lambda: not left(fleet), began)
    print(f"| pytest: until nothing is left | {took:.2f} s | 15 s |", flush=True)
    slow.unlink()
    sizes = ", ".join(f"{what} {megabytes} MB" for what, megabytes in memory.items())
    print(f"\nmemory of one each, shared parts divided: {sizes}", flush=True)


def proportional(pids: Sequence[int]) -> int:
    """Return the mean memory of processes in megabytes, with shared memory divided (PSS)."""
    sizes = []
    for pid in pids:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        (size,) = (line.split()[1] for line in lines if line.startswith("Pss:"))
        sizes.append(int(size) / 1000)
    return round(sum(sizes) / len(sizes)) if sizes else 0


def below(pid: int) -> list[int]:
    """Return all descendants of a process."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    direct = [int(each) for path in children for each in path.read_text().split()]
    return [each for child in direct for each in (child, *below(child))]


def left(fleet: Fleet) -> list[str]:
    """Return the processes and folders that runs have left on the cluster."""
    pids = processes(fleet, f"{WORKER}.work", "pytest_mobileagent")
    return [command_of(pid)[-80:] for pid in pids] + fleet.leftovers()


def random_kills(fleet: Fleet, project: Project, seed: int) -> bool:
    """Run all tasks during kills; return whether none was lost or counted against the agent."""
    draw = random.Random(seed)
    began = time.monotonic()
    killed = {"worker": 0, "raylet": 0, "phone": 0}
    run = project.start("random", *on_cluster(fleet, 3))
    while run.poll() is None:
        with fleet.joined(resources={"phone": 1}) as raylet:
            what = ""
            while run.poll() is None and what != "raylet":
                if what := killed_something(fleet, raylet, draw, run, project):
                    killed[what] += 1
    report = project.report("random")
    deaths = ", ".join(f"{number} {what}s" for what, number in killed.items())
    print(f"\n{project.tasks} tasks in {time.monotonic() - began:.0f} s; killed: {deaths}")
    return is_sound(project, report)


def killed_something(
    fleet: Fleet,
    raylet: int,
    draw: random.Random,
    run: subprocess.Popen[bytes],
    project: Project,
) -> str:
    """Wait for progress and some time, and kill something; return its name, or an empty string.

    It waits for progress because a run ends if no worker reaches its first test.
    """
    done = project.finished("random")
    while run.poll() is None and project.finished("random") == done:
        time.sleep(0.1)
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(draw.uniform(0.0, 15.0))
        return ""
    what = draw.choice(["worker", "worker", "phone", "phone", "raylet"])
    victims = {"worker": workers(fleet), "phone": processes(fleet, PHONE), "raylet": [raylet]}[what]
    if not victims:
        return ""
    with contextlib.suppress(ProcessLookupError):
        os.kill(draw.choice(victims), signal.SIGKILL)
    return what


def is_sound(project: Project, report: dict[str, Any]) -> bool:
    """Return whether each task has the same outcome as without kills."""
    tasks = {int(task["nodeid"].partition("[")[2][:-1]): task for task in report["tasks"]}
    expected = {n: "failed" if n % 7 == 3 else "passed" for n in range(project.tasks)}
    wrong = {n: tasks[n]["outcome"] if n in tasks else "lost" for n in expected}
    wrong = {n: outcome for n, outcome in wrong.items() if outcome != expected[n]}
    again = sum(len(task["attempts"]) > 1 for task in tasks.values())
    doubled = len(report["tasks"]) - len(tasks)
    print(f"{again} of them were repeated; lost or changed: {wrong or 'none'}; doubled: {doubled}")
    return not (wrong or doubled)


def equal(fleet: Fleet, project: Project) -> bool:
    """Return whether pytest-xdist, Ray and shards have the same results."""
    ways: dict[str, Sequence[Sequence[str]]] = {
        "xdist": [["-n2"]],
        "ray": [on_cluster(fleet)],
        "shards": [["--mobile-shard=1/2"], ["--mobile-shard=2/2"]],
    }
    reports = {}
    for name, parts in ways.items():
        began = time.monotonic()
        for number, options in enumerate(parts):
            project.start(f"{name}{number}", *options).wait()
        if len(parts) > 1:
            folders = [str(project.path / f"{name}{number}") for number in range(len(parts))]
            merge = [sys.executable, "-m", "pytest_mobileagent", "merge", *folders]
            whole = str(project.path / "whole0")
            subprocess.run([*merge, "-o", whole], check=True, stdout=subprocess.DEVNULL)
        tasks = same(project.report("whole0" if len(parts) > 1 else f"{name}0"))["tasks"]
        reports[name] = sorted(tasks, key=lambda task: str(task["nodeid"]))
        print(f"{project.tasks} tasks by {name}: {time.monotonic() - began:.0f} s", flush=True)
    is_equal = reports["xdist"] == reports["ray"] == reports["shards"]
    print(f"results by pytest-xdist, Ray and shards: {'equal' if is_equal else 'different'}")
    return is_equal


@contextlib.contextmanager
def project_of(tasks: int) -> Iterator[Project]:
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    try:
        yield Project.made(folder / "project", tasks)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Run the chosen parts, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=["notices", "random", "equal", []])
    parser.add_argument("--tasks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    parts = given.parts or ["notices", "random", "equal"]
    sound = True
    with started() as fleet, project_of(given.tasks) as project:
        if "notices" in parts:
            notices(fleet, project)
        if "random" in parts:
            sound &= random_kills(fleet, project, given.seed)
        if "equal" in parts:
            sound &= equal(fleet, project)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
