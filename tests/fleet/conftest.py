"""Ray clusters on this machine, and a project whose runs use them."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

HERE = Path(__file__).parent
TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(6))
@task("Say {number}.", golden_steps=1)
def test_say(episode, number):
    assert episode.answers("3" if number == 3 else "12")
"""
# Records its process id, and delays every task except the free ones until a file "go" exists.
AGENT = """
import os
import threading
from pathlib import Path
from pytest_mobileagent import Agent, Finish

class Mine(Agent):
    def start(self, briefing):
        self.goal = briefing.goal
    def step(self, observation):
        Path("pids").mkdir(exist_ok=True)
        Path("pids", str(os.getpid())).write_text(str(os.getppid()))
        while not (Path("go").exists() or self.goal in Path("free").read_text()):
            threading.Event().wait(0.02)
        wrong = self.goal in Path("wrong").read_text()
        return Finish("wrong" if wrong else "3" if "3" in self.goal else "12")
"""


@dataclass(frozen=True)
class Fleet:
    """A cluster: its address, the process ids of its two nodes' raylets, and its folder."""

    address: str
    raylets: list[int]
    folder: Path
    process: subprocess.Popen[str]

    @contextlib.contextmanager
    def joined(self, **arguments: Any) -> Iterator[int]:
        """Add a node for the duration of the block; yield its raylet's pid. Arguments are Ray's."""
        raylet = int(self._ask({"add": arguments}))
        try:
            yield raylet
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(raylet, signal.SIGCONT)
            self._ask({"remove": raylet})

    def _ask(self, order: dict[str, Any]) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def leftovers(self) -> list[str]:
        """Return the names of temporary files that runs have left behind."""
        return [path.name for path in (self.folder / "tmp").glob("*mobileagent*")]


def parent_of(pid: int) -> int:
    """Return the process id of a process's parent."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@contextlib.contextmanager
def started() -> Iterator[Fleet]:
    """Run a cluster with its own token, in a folder whose path is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="fleet-", dir="/tmp"))
    token = folder / "token"
    token.write_text(secrets.token_hex(32))
    (folder / "tmp").mkdir()
    own = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "RAY_TMPDIR": str(folder)}
    own |= {"TMPDIR": str(folder / "tmp"), "RAY_USAGE_STATS_ENABLED": "0"}
    with pytest.MonkeyPatch.context() as environment:
        for name, value in own.items():
            environment.setenv(name, value)
        command = [sys.executable, str(HERE / "cluster.py"), str(folder)]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                about = json.loads(process.stdout.readline())
                yield Fleet(folder=folder, process=process, **about)
            finally:
                process.stdin.close()
                process.wait()
                shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def fleet() -> Iterator[Fleet]:
    """A cluster that the tests share."""
    if find_spec("ray") is None:
        pytest.skip('Ray is not installed: pip install ".[ray]"')
    with started() as cluster:
        yield cluster


@dataclass
class Sent:
    """A project whose runs use a cluster."""

    pytester: pytest.Pytester
    runs: list[subprocess.Popen[bytes]]

    @property
    def path(self) -> Path:
        """The folder of the project."""
        return self.pytester.path

    def command(self, fleet: Fleet | str, *arguments: str) -> list[str]:
        """Return the command for a run on this cluster, or on the cluster at an address."""
        engine = f"--mobile-engine=ray:{fleet if isinstance(fleet, str) else fleet.address}"
        own = ["--agent=mine", "--mobile-agent-process=off", engine, *arguments]
        return [sys.executable, "-m", "pytest", *own]

    def start(
        self, fleet: Fleet | str, *arguments: str, through: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        """Start a run without waiting, with `through` before its command; output goes to a file."""
        output = (self.path / f"output-{len(self.runs)}").open("wb")
        with output:
            command = [*through, *self.command(fleet, *arguments)]
            run = subprocess.Popen(command, cwd=self.path, stdout=output, stderr=subprocess.STDOUT)
        self.runs.append(run)
        return run

    def output(self, number: int = 0) -> str:
        """Return the output of a run."""
        return (self.path / f"output-{number}").read_text("utf-8")

    def free(self, *goals: str) -> None:
        """Allow the agent to work only on these goals for now."""
        (self.path / "free").write_text("\n".join(goals))

    def go(self) -> None:
        """Allow the agent to work on all goals."""
        (self.path / "go").touch()

    def wrong(self, *goals: str) -> None:
        """Make the agent answer these goals wrongly."""
        (self.path / "wrong").write_text("\n".join(goals))

    def end(self) -> None:
        """Stop the runs that are still running."""
        self.go()
        for run in self.runs:
            if run.poll() is None:
                run.kill()
                run.wait()

    def parents(self) -> set[int]:
        """Return the process ids of the parents of the agent's processes."""
        return {int(path.read_text()) for path in (self.path / "pids").glob("*")}

    def pids(self) -> list[int]:
        """Return the process ids of the processes in which the agent has run."""
        return [int(path.name) for path in (self.path / "pids").glob("*")]

    def report(self, runs: str = "runs") -> dict[str, Any]:
        """Return the report of the most recent run."""
        path = max((self.path / runs).glob("*/report.json"))
        return json.loads(path.read_text("utf-8"))


def until(what: Callable[[], Any], seconds: float = 180.0) -> Any:
    """Wait until a function's result is true, and return it; fail after `seconds` seconds."""
    ends = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < ends, "it takes too long"
        time.sleep(0.05)
    return found


def ended(run: subprocess.Popen[bytes]) -> int:
    """Return the exit status of a run, which must end within five minutes."""
    return run.wait(timeout=300)


def lives(pid: int) -> bool:
    """Return whether a process is running."""
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture
def sent(pytester: pytest.Pytester) -> Iterator[Sent]:
    """A project with six tasks, on phones in memory."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    for name, text in {"conftest": PHONE, "test_say": TASKS}.items():
        (pytester.path / f"{name}.py").write_text(text)
    (pytester.path / "agents").mkdir()
    (pytester.path / "agents" / "mine.py").write_text(AGENT)
    (pytester.path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:cacheprovider\nmobile_agent_paths = agents\n"
    )
    (pytester.path / "tox.ini").unlink()
    sent = Sent(pytester, [])
    sent.free()
    sent.wrong()
    yield sent
    sent.end()
