"""Processes that agents start end with their episodes, even if they hide."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_mobileagent import Termination
from pytest_mobileagent.agent import process as host


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def ends(pid: int) -> bool:
    """Return whether a process ends soon; after it is killed, the system needs a moment."""
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def test_blocked_pool_ends_with_its_episode(played):
    first = played("started").answer
    assert played("tap").termination is Termination.SELF_REPORTED
    assert played("started").answer == first, "a process is kept while agents leave nothing"
    assert played("blocks_a_pool").termination is Termination.SELF_REPORTED
    assert played("started").answer != first
    assert ends(int(first))


@pytest.mark.parametrize(
    "goal", ["child", "own_session", "no_environment", "fork", "daemon", "bare_daemon"]
)
def test_child_processes_end_with_the_episode(played, goal):
    episode = played(goal)
    assert episode.termination is Termination.SELF_REPORTED
    assert ends(int(episode.answer))


def test_child_processes_of_a_crashed_agent_end(played, left):
    started = time.monotonic()
    assert played("daemon_then_exit").error.endswith("its process ended with status 3")
    assert time.monotonic() - started < 10, "it held the line"
    assert ends(int(left.read_text()))


def test_closed_process_runs_its_exit_functions(played, process, left):
    left.write_text("")
    pid = int(played("fails_at_exit").answer)
    assert left.read_text() == ""
    os.kill(pid, signal.SIGSTOP)  # any agent in a run may do this
    process.close()
    assert left.read_text() == "saved"
    assert not is_alive(pid)


def test_hanging_exit_function_is_not_awaited(played, process, monkeypatch):
    monkeypatch.setattr(host, "_EXIT_SECONDS", 0.1)
    pid = int(played("hangs_at_exit").answer)
    process.close()
    assert not is_alive(pid)


def test_child_processes_of_exit_functions_end(played, process, left):
    played("starts_at_exit")
    process.close()
    assert ends(int(left.read_text()))


WORKER = """
import sys, time
from pathlib import Path
from pytest_mobileagent.agent.process import AgentProcess
process = AgentProcess(sys.argv[1], [], [], "a-run")
process.load()
print(process._process.pid, flush=True)
time.sleep(600)
"""


def test_killed_worker_leaves_no_agent_behind(file):
    command = [sys.executable, "-c", WORKER, f"{file}:Mine"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        pid = int(worker.stdout.readline())
        assert is_alive(pid)
        worker.send_signal(signal.SIGKILL)
    assert ends(pid)
