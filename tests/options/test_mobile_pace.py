"""--mobile-pace: the minimum time between two actions."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.options.asking import Asking

CONFTEST = """
import time
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

TIMES = []

class Phone(FakePhone):
    def observe(self, probes=None):
        TIMES.append(("look", time.monotonic()))
        return super().observe(probes)

@pytest.fixture(scope="session")
def mobile_lease():
    def note(phone, action):
        TIMES.append(("act", time.monotonic()))
    return FakeLease(Phone([make_screen("0")], react=note))

def pytest_unconfigure(config):
    import json, pathlib
    pathlib.Path("times.json").write_text(json.dumps(TIMES))
"""
AGENT = """
from pytest_mobileagent import Agent, Finish, Tap

class Taps(Agent):
    def start(self, briefing):
        self.done = 0
    def step(self, observation):
        self.done += 1
        return [Tap(5, 5), Tap(6, 6)] if self.done < 3 else Finish("4711")
"""


@pytest.fixture
def times(asking: Asking) -> Callable[..., Any]:
    """Runs an agent that taps four times in two steps; returns the time of each event."""
    asking.pytester.makeconftest(CONFTEST)
    asking.pytester.makepyfile(asking=AGENT)

    def times(*arguments):
        assert asking.run(*arguments, agent="Taps").ret == 0
        return json.loads((asking.pytester.path / "times.json").read_text())

    return times


def test_actions_and_what_is_seen_after_them_keep_their_distance(times, asking):
    done = times("--mobile-pace=0.2")
    assert [what for what, _ in done] == ["look", "act", "act", "look", "act", "act", "look"]
    gaps = [after - before for (what, before), (_, after) in pairwise(done) if what == "act"]
    assert min(gaps) >= 0.2
    (folder,) = asking.pytester.path.glob("runs/*/episodes/*")
    episode = load(folder)
    assert episode.seconds_acting >= 0.8
    assert episode.seconds_thinking < 0.8, "waiting is not a time of the agent"


def test_without_it_agents_act_at_any_time(times):
    done = times()
    assert done[-1][1] - done[0][1] < 4 * 3, "of B-MoCA's pace"


def test_programs_have_their_own_pace(asking, fnmatch):
    result = asking.pytester.runpytest_inprocess("--agent=cmd:true {adb}", "--mobile-pace=3")
    assert result.ret == 4
    fnmatch(result.errlines[0], "ERROR: --mobile-pace=3: a program acts by itself, at its own pace")
