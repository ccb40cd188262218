"""What is said about bodies that an agent which does nothing may meet, at collection and after."""

from __future__ import annotations

import re

import pytest

from tests.options import judging

TASK = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("text", ["Delete"])
@task("Leave the alarm alone.")
def test_leaves(episode, text):
    BODY
"""


TOLD = (
    "assert not episode.tapped(text=text)",
    "assert episode.never(lambda e: e.tapped(text=text))",
    "assert not episode.screen.find(text=text)",
    "assert episode.screen.find(text=text) is None",
    "assert 'done' not in episode.answer",
    "assert not any(episode.saw(text=each) for each in 'ab')",
    "assert not (episode.tapped(text=text) or episode.pressed('back'))",
    "with episode.subgoal('kept'): assert not episode.typed(text)",
    "assert not (episode.tapped(text=text) and text)",
)
NOT_TOLD = (
    "assert not episode.tapped(text=text); assert episode.answers('7')",
    "assert not episode.tapped(text=text) and episode.saw(text=text)",
    "assert not episode.probe('alarms')",
    "assert not episode.screen.get(text=text).checked",
    "shown = episode.screen.get(text=text); assert not episode.tapped(shown)",
    "judge(episode); assert not episode.tapped(text=text)",
    "pass",
)


@pytest.mark.parametrize("bodies", [TOLD[:5], TOLD[5:], NOT_TOLD], ids=["first", "more", "not"])
def test_bodies_that_only_deny_are_told_at_collection(asking, bodies):
    names = [f"test_body{number}" for number in range(len(bodies))]
    files = zip(names, (TASK.replace("BODY", body) for body in bodies), strict=True)
    asking.pytester.makepyfile(**dict(files))
    result = judging.run(asking, "--collect-only", "-q", "-W", "error")
    assert result.ret == 0
    told = [line for line in result.outlines if "may hold for an idle agent" in line]
    named = [] if bodies is NOT_TOLD else names
    assert re.findall(r"(\w+)\.py::test_leaves", "".join(told)) == named


def test_such_a_body_held_before_the_agent_began(asking):
    body = "assert not episode.tapped(text=text)"
    asking.pytester.makepyfile(test_alarms=TASK.replace("BODY", body))
    result = judging.run(asking, "-W", "error")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["1 goal was met before the agent began: alarms/leaves*"])
