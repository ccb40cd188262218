"""--mobile-retries: how often an episode is repeated if its device or worker breaks."""

from __future__ import annotations

import pytest

BROKEN = """
import pytest
from pytest_mobileagent.errors import DeviceError

class Lease:
    def get(self):
        raise DeviceError("it smokes")
    def give_up(self):
        return ""

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease()
"""


@pytest.mark.parametrize(("arguments", "attempts"), [([], 2), (["--mobile-retries=0"], 1)])
def test_that_number_of_attempts_follows_the_first(asking, arguments, attempts):
    asking.pytester.makeconftest(BROKEN)
    result = asking.run(*arguments, agent="noop")
    result.assert_outcomes(errors=1)
    (task,) = asking.report()["tasks"]
    assert len(task["infrastructure"]) == attempts


KILLED = """
import os, signal
from pathlib import Path
from pytest_mobileagent import Agent, Finish

class Killed(Agent):
    def step(self, _):
        times = Path("times")
        before = times.read_text() if times.exists() else ""
        if len(before) < {kills}:
            times.write_text(before + "x")
            os.kill(os.getpid(), {signal})
        return Finish("4711")
"""


@pytest.mark.parametrize(
    ("kills", "retries", "expected"),
    [
        ("2 SIGTERM", 2, ("passed", None, 2)),
        ("9 SIGKILL", 1, ("failed", "agent", 1)),
        ("9 SIGKILL", 0, ("error", "infrastructure", 1)),
        ("9 SIGSEGV", 1, ("failed", "agent", 0)),  # its own crash
    ],
)
def test_an_agent_whose_process_is_killed_is_repeated_and_fails_only_if_that_does_not_help(
    asking, kills, retries, expected
):
    times, signal = kills.split()
    killed = KILLED.format(kills=times, signal=f"signal.{signal}")
    asking.pytester.makepyfile(asking=killed)
    asking.run(f"--mobile-retries={retries}", agent="Killed", off=False)
    (task,) = asking.report()["tasks"]
    assert (task["outcome"], task["fault"], len(task["infrastructure"])) == expected
    how = f"the agent failed at step 1: its process was killed by {signal}"
    assert set(task["infrastructure"]) <= {how}
    assert (how in task["reason"]) is (expected[0] != "passed")
