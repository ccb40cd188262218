"""--mobile-time-limit: the maximum time in seconds that an agent may take in an episode."""

HANGING = """
import threading
from pytest_mobileagent import Agent

class Hanging(Agent):
    def step(self, _):
        threading.Event().wait()
"""


def test_an_agent_that_takes_longer_is_ended(asking):
    asking.pytester.makepyfile(asking=HANGING)
    asking.run("--mobile-time-limit=0.3", agent="Hanging").assert_outcomes(failed=1)
    (task,) = asking.report()["tasks"]
    assert (task["termination"], task["success"]) == ("time limit", False)
