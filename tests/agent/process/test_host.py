"""Agents in real processes: whatever they do to theirs, others are unharmed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Finish, ModelCall, Tap, Task, Termination, load
from pytest_mobileagent.agent.process.host import AgentProcess
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.run.attempt import Plan, attempt
from pytest_mobileagent.run.player import AgentPlayer
from pytest_mobileagent.run.session import Limits
from pytest_mobileagent.testing import FakePhone, make_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent import Episode

# What an agent does depends on the goal, so that one process plays all: `Do.tap` and so on.
AGENT = """
import ctypes, os, re, signal, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pytest_mobileagent import *

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]

class Integer:
    def __index__(self): return 7
class OwnReply(Reply): pass
class OwnTap(Tap): pass
class Unsendable:
    def __init__(self): self.lock = threading.Lock()

class Do:
    def tap(self): return Tap(1, 1)
    def nan(self): return Tap(float("nan"), 1)
    def whole_number(self): return Tap(Integer(), 1)
    def huge_number(self): return Tap(10 ** 9999, 1)
    def own_reply(self):
        return OwnReply(Tap(1, 1), said="own", calls=[ModelCall("gpt", price_usd=0.5)])
    def several(self): return [Tap(1, 1), Tap(2, 2)]
    def own_action(self): return OwnTap(1, 1)
    def nothing(self): return None
    def unsendable(self): return Type(Unsendable())
    def unsendable_reply(self): return Unsendable()
    def huge_text(self): return Reply(Tap(1, 1), said="x" * 5_000_000)
    def surrogates(self): return Reply(Tap(1, 1), said="half \\ud83d of it")
    def raises(self): raise ValueError("no idea")
    def exits(self): os._exit(3)
    def exits_politely(self): sys.exit("bye")
    def crashes(self): os.kill(os.getpid(), signal.SIGSEGV)
    def killed(self): os.kill(os.getpid(), 35)
    def closes_stdout(self):
        sys.stdout.close(); os.close(1); print("x")
    def closes_everything(self):
        os.closerange(0, 100)
    def holds_the_gil(self): re.match(r"(a+)+$", "a" * 40 + "b")
    def holds_the_gil_elsewhere(self):
        threading.Thread(target=self.holds_the_gil).start()
        return Tap(1, 1)
    def blocks_a_pool(self):
        ThreadPoolExecutor(1).submit(time.sleep, 600)
        return Finish()
    def ignores_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
        time.sleep(600)
    def changes_folder(self):
        os.chdir("/"); return Finish(os.getcwd())
    def where(self): return Finish(os.getcwd())
    def prints(self):
        print("I see", flush=False); return Finish()
    def started(self):
        return Finish(str(os.getpid()))
    def child(self): return self.left(subprocess.Popen(SLEEP).pid)
    def own_session(self): return self.left(subprocess.Popen(SLEEP, start_new_session=True).pid)
    def no_environment(self):
        return self.left(subprocess.Popen(SLEEP, start_new_session=True, env={}).pid)
    def fork(self):
        pid = os.fork()
        if pid == 0: time.sleep(600)
        return self.left(pid)
    def fork_that_plays_on(self):
        return Tap(1, 1) if os.fork() else Tap(2, 2)
    def daemon(self, environment=None):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.write(writing, str(os.getpid()).encode())
                if environment is not None: os.execve(SLEEP[0], SLEEP, environment)
                time.sleep(600)
            os._exit(0)
        return self.left(int(os.read(reading, 20)))
    def bare_daemon(self): return self.daemon({})
    def daemon_then_exit(self):
        self.daemon(); os._exit(3)
    def left(self, pid):
        Path(os.environ["LEFT"]).write_text(str(pid)); return Finish(str(pid))

class Mine(Agent):
    def start(self, briefing): self.goal, self.steps = briefing.goal, 0
    def step(self, observation):
        self.steps += 1
        if self.steps > 1: return Finish(observation.notice)
        return getattr(Do(), self.goal)()
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("agents") / "mine.py"
    path.write_text(AGENT)
    return path


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file in which an agent says what it has left behind."""
    path = tmp_path_factory.mktemp("left") / "pid"
    os.environ["LEFT"] = str(path)
    yield path
    del os.environ["LEFT"]


@pytest.fixture(scope="module")
def process(file: Path, left: Path) -> Iterator[AgentProcess]:
    process = AgentProcess(f"{file}:Mine", [], [], "the-run-of-these-tests")
    yield process
    process.kill()


@pytest.fixture
def played(process: AgentProcess, tmp_path: Path) -> Callable[..., Episode]:
    """Plays an episode in the process that all these tests share."""
    numbers = count()

    def played(goal: str, seconds: float = 30.0, size: int = 0) -> Episode:
        screens = [make_screen("0", "x" * size), make_screen("1", "x" * size)]
        case = Case(Task(goal), "t")
        plan = Plan(case, "mine", lambda *_: AgentPlayer(process), Limits(3, seconds), seed=0)
        folder = tmp_path / "episodes" / f"{goal}.{next(numbers)}"
        attempt(plan, FakePhone(screens), ScreenStore(tmp_path / "screens"), folder, 0)
        return load(folder)

    return played


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.mark.parametrize(
    ("goal", "notice"),
    [
        ("tap", ""),
        ("whole_number", ""),
        ("several", ""),
        ("own_reply", ""),
        ("nan", "whole pixels"),
        ("huge_number", "whole pixels"),
    ],
)
def test_a_decision_is_done_or_told(played: Callable[..., Episode], goal: str, notice: str) -> None:
    episode = played(goal)
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.step_count == 1
    assert notice in episode.answer
    assert bool(episode.answer) is bool(notice)


def test_what_an_agent_said_and_asked_comes_across(played: Callable[..., Episode]) -> None:
    episode = played("own_reply")
    assert episode.steps[0].said == "own"
    assert episode.calls == (ModelCall("gpt", price_usd=0.5),)
    assert len(played("huge_text").steps[0].said) == 5_000_000
    assert played("surrogates").steps[0].said == "half ? of it"


@pytest.mark.parametrize(
    ("goal", "error"),
    [
        ("own_action", "OwnTap(x=1, y=1) is not an action"),
        ("nothing", "None is not an action"),
        ("unsendable_reply", "<mobileagent_agent_mine.Unsendable object"),
        ("raises", "it raised ValueError: no idea"),
        ("exits_politely", "it raised SystemExit: bye"),
        ("exits", "its process ended with status 3"),
        ("crashes", "its process was killed by SIGSEGV"),
        ("killed", "its process was killed by signal 35"),
        ("closes_everything", "its process "),
        ("closes_stdout", "it raised ValueError: I/O operation on closed file"),
    ],
)
def test_what_an_agent_breaks_is_its_own_failure_and_nobody_elses(
    played: Callable[..., Episode], goal: str, error: str
) -> None:
    episode = played(goal)
    assert episode.termination is Termination.AGENT_ERROR
    assert f"the agent failed at step 1: {error}" in episode.error
    assert played("tap").termination is Termination.SELF_REPORTED


def test_an_object_in_place_of_a_text_is_its_text(played: Callable[..., Episode]) -> None:
    assert played("unsendable").termination is Termination.SELF_REPORTED


@pytest.mark.parametrize("goal", ["holds_the_gil", "ignores_signals"])
def test_the_time_limit_ends_whatever_an_agent_does(
    played: Callable[..., Episode], goal: str
) -> None:
    played("tap")  # the process is there
    started = time.monotonic()
    episode = played(goal, seconds=0.3)
    assert episode.termination is Termination.TIME_LIMIT
    assert time.monotonic() - started < 10
    assert played("tap").termination is Termination.SELF_REPORTED


def test_an_agent_that_no_longer_listens_is_ended(
    played: Callable[..., Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The observation is larger than what the system keeps for a process that does not read.
    monkeypatch.setattr("pytest_mobileagent.agent.process.host._STUCK", 1)
    played("exits")  # the next process is started with that
    episode = played("holds_the_gil_elsewhere", seconds=1, size=3_000_000)
    assert episode.termination in {Termination.TIME_LIMIT, Termination.AGENT_ERROR}


def test_a_pool_that_blocks_ends_with_its_episode(played: Callable[..., Episode]) -> None:
    first = played("started").answer
    assert played("tap").termination is Termination.SELF_REPORTED
    assert played("started").answer == first, "a process is kept while agents leave nothing"
    assert played("blocks_a_pool").termination is Termination.SELF_REPORTED
    assert played("started").answer != first
    assert not is_alive(int(first))


@pytest.mark.parametrize(
    "goal", ["child", "own_session", "no_environment", "fork", "daemon", "bare_daemon"]
)
def test_what_an_agent_starts_ends_with_its_episode(
    played: Callable[..., Episode], goal: str
) -> None:
    episode = played(goal)
    assert episode.termination is Termination.SELF_REPORTED
    assert not is_alive(int(episode.answer))


def test_what_an_agent_that_crashes_has_started_ends_too(
    played: Callable[..., Episode], left: Path
) -> None:
    started = time.monotonic()
    assert played("daemon_then_exit").error.endswith("its process ended with status 3")
    assert time.monotonic() - started < 10, "it held the line"
    assert not is_alive(int(left.read_text()))


def test_a_process_that_ends_between_episodes_is_replaced(played: Callable[..., Episode]) -> None:
    first = int(played("started").answer)
    os.kill(first, signal.SIGKILL)
    episode = played("started")
    assert episode.termination is Termination.SELF_REPORTED
    assert int(episode.answer) != first


def test_a_fork_that_plays_on_is_not_heard(played: Callable[..., Episode]) -> None:
    assert [step.action for step in played("fork_that_plays_on").steps] == [Tap(1, 1), Finish()]


def test_the_folder_of_the_next_agent_is_the_first_ones(played: Callable[..., Episode]) -> None:
    here = played("where").answer
    assert played("changes_folder").answer == "/"
    assert played("where").answer == here


def test_what_an_agent_prints_is_captured_with_its_test(
    played: Callable[..., Episode], process: AgentProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    process.load()
    played("prints")
    assert capfd.readouterr().out == "I see\n"
    played("tap")
    played("prints")
    assert capfd.readouterr().out == "I see\n"


@pytest.mark.parametrize(
    ("content", "options", "complaint"),
    [
        ("raise RuntimeError('no licence')", [], "cannot be loaded: RuntimeError: no licence"),
        ("import os; os._exit(3)", [], "cannot be loaded: its process ended with status 3"),
        ("class Mine: pass", [], "is not an agent: it has no method"),
        ("class Mine:\n    def step(self, o): ...", ["a=1"], "Mine declares no options"),
    ],
)
def test_an_agent_that_cannot_be_loaded_says_why_each_time(
    tmp_path: Path, content: str, options: list[str], complaint: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{content}\nMine = globals().get('Mine')")
    process = AgentProcess(f"{path}:Mine", [], options, "a-run")
    try:
        for _ in range(2):
            with pytest.raises(AgentError) as caught:
                process.load()
            assert complaint in str(caught.value)
    finally:
        process.kill()


def test_a_library_in_a_folder_of_tests_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("calendar", "json", "random", "socket"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not the library')")
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    def step(self, observation): ...")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), tmp_path, *sys.path])
    process = AgentProcess(f"{path}:Mine", [], [], "a-run")
    try:
        assert process.load()["options"] == {}
    finally:
        process.kill()


WORKER = """
import sys, time
from pathlib import Path
from pytest_mobileagent.agent.process.host import AgentProcess
process = AgentProcess(sys.argv[1], [], [], "a-run")
process.load()
print(process._process.pid, flush=True)
time.sleep(600)
"""


def test_a_killed_worker_leaves_no_agent_behind(file: Path) -> None:
    command = [sys.executable, "-c", WORKER, f"{file}:Mine"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        pid = int(worker.stdout.readline())
        assert is_alive(pid)
        worker.send_signal(signal.SIGKILL)
    ends = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < ends:
        time.sleep(0.01)
    assert not is_alive(pid)


def test_options_are_made_in_the_process(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n    class Options:\n        history: int = 3\n    def step(self, o): ..."
    )
    process = AgentProcess(f"{path}:Mine", [], ["history=5"], "a-run")
    try:
        about: dict[str, Any] = process.load()
        assert about["options"] == {"history": 5}
        assert about["knows_task"] is False
    finally:
        process.kill()
