"""Agents that block or kill processes, and a search for processes that a run left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

WAITING = """
import os
import threading
from pathlib import Path
from pytest_mobileagent import Agent, Finish

class Waiting(Agent):
    def step(self, observation):
        Path(os.environ["MARKERS"], str(os.getpid())).touch()
        while not Path(os.environ["MARKERS"], "go").exists():
            threading.Event().wait(0.02)
        return Finish("4711")
"""

_DEADLY = """
import os, signal
from pathlib import Path
from pytest_mobileagent import Agent, Finish, Key

class Deadly(Agent):
    def step(self, observation):
        marker = Path(os.environ["MARKERS"], "killed")
        if marker.exists():
            return Finish("4711")
        marker.touch()
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\\0")
                environment = (entry.parent / "environ").read_bytes()
            except OSError:
                continue
            if {word!r} in words and os.environ["TMPDIR"].encode() in environment:
                os.kill(int(entry.parent.name), signal.SIGKILL)
        return Key("home")
"""


def deadly(word: bytes) -> str:
    """Return an agent that kills, once, the processes of its run whose command contains `word`."""
    return _DEADLY.format(word=word)


def processes_with(text: str) -> list[int]:
    """Return the processes whose command line or environment contains `text`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                spoken = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if text.encode() in spoken:
                found.append(int(entry.name))
    return found


def wait_until(condition, seconds: float = 120.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.05)  # searching all processes takes a few milliseconds
