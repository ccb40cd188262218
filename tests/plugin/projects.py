"""Files of projects that run on a phone in memory."""

from __future__ import annotations

# A conftest.py whose phone shows a number, another one after each action.
PHONE = """
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(FakePhone([make_screen(str(number)) for number in range(9)]))
"""


def waits(taps: int) -> str:
    """Return an agent that taps so often, and then waits for a file, `go`, before it finishes."""
    return f"""
import threading
from pathlib import Path
from pytest_mobileagent import Agent, Finish, Tap

class Waits(Agent):
    def start(self, briefing):
        self.left = {taps}
    def step(self, observation):
        self.left -= 1
        if self.left >= 0:
            return Tap(5, 5)
        while not Path("go").exists():
            threading.Event().wait(0.02)
        return Finish("12")
"""
