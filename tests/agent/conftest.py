"""Fixtures for an agent process, with agents that do everything an agent may do."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Case, Task, load
from pytest_mobileagent.agent.process import AgentProcess
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.run.attempt import attempt
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.runner import ConversationRunner
from pytest_mobileagent.testing import FakePhone, make_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_mobileagent import Episode


# The goal, such as `Do.tap`, selects what the agent does, so one process can play all cases.
AGENT = """
import atexit, ctypes, os, re, signal, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pytest_mobileagent import Agent, Finish, ModelCall, Reply, Tap, Type

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]

class Integer:
    def __index__(self): return 7
class OwnReply(Reply): pass
class Unsendable:
    def __init__(self): self.lock = threading.Lock()

class Do:
    def tap(self): return Tap(1, 1)
    def whole_number(self): return Tap(Integer(), 1)
    def huge_number(self): return Tap(10 ** 9999, 1)
    def own_reply(self):
        return OwnReply(Tap(1, 1), said="own", calls=[ModelCall("gpt", price_usd=0.5)])
    def several(self): return [Tap(1, 1), Tap(2, 2)]
    def unsendable(self): return Type(Unsendable())
    def unsendable_reply(self): return Unsendable()
    def huge_text(self): return Reply(Tap(1, 1), said="x" * 5_000_000)
    def surrogates(self): return Reply(Tap(1, 1), said="half \\ud83d of it")
    def raises(self): raise ValueError("no idea")
    def exits(self): os._exit(3)
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
    def prints_much(self):
        for number in range(3000): print(f"{number:04}".ljust(999))
        return Finish()
    def prints_without_end(self):
        for _ in range(20): os.write(2, b"y" * 1_000_000)
        return Finish()
    def started(self):
        return Finish(str(os.getpid()))
    def fails_at_exit(self):  # after it has saved
        atexit.register(sys.exit, "no")
        atexit.register(Path(os.environ["LEFT"]).write_text, "saved"); return self.started()
    def hangs_at_exit(self):
        atexit.register(time.sleep, 600); return self.started()
    def starts_at_exit(self):
        atexit.register(self.bare_daemon); return self.started()
    def hangs_when_told(self):
        signal.signal(signal.SIGUSR1, lambda *_: time.sleep(600))
        return self.started()
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
    """The file in which an agent records what it has left behind."""
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
    """Plays an episode in the process shared by these tests."""
    numbers = count()

    def played(goal: str, seconds: float = 30.0, size: int = 0) -> Episode:
        screens = [make_screen("0", "x" * size), make_screen("1", "x" * size)]
        case = Case(Task(goal), "t")
        agent = ChosenAgent("mine", lambda *_: ConversationRunner(process))
        plan = AttemptPlan(case, agent, Limits(3, seconds), seed=0)
        folder = tmp_path / "episodes" / f"{goal}.{next(numbers)}"
        attempt(plan, FakePhone(screens), Recorder(folder, ScreenStore(tmp_path / "screens")))
        return load(folder)

    return played
