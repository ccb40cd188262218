"""What is said about bodies that an agent which does nothing may meet, at collection and after."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("assert not episode.tapped(text=text)", True),
        ("assert episode.never(lambda e: e.tapped(text=text))", True),
        ("assert not episode.screen.find(text=text)", True),
        ("assert episode.screen.find(text=text) is None", True),
        ("assert 'done' not in episode.answer", True),
        ("assert not any(episode.saw(text=each) for each in 'ab')", True),
        ("assert not (episode.tapped(text=text) or episode.pressed('back'))", True),
        ("with episode.subgoal('kept'): assert not episode.typed(text)", True),
        ("assert not episode.tapped(text=text); assert episode.answers('7')", False),
        ("assert not episode.tapped(text=text) and episode.saw(text=text)", False),
        ("assert not episode.probe('alarms')", False),
        ("assert not episode.screen.get(text=text).checked", False),
        ("shown = episode.screen.get(text=text); assert not episode.tapped(shown)", False),
        ("assert not (episode.tapped(text=text) and text)", True),
        ("judge(episode); assert not episode.tapped(text=text)", False),
        ("pass", False),
    ],
)
def test_bodies_that_only_deny_are_told_at_collection(asking, body, is_told):
    asking.pytester.makepyfile(test_alarms=TASK.replace("BODY", body))
    result = judging.run(asking, "--collect-only", "-q", "-W", "error")
    assert result.ret == 0
    told = "the body of 1 task may hold for an idle agent, as nothing is asserted but *"
    if is_told:
        result.stdout.fnmatch_lines([f"{told}: test_alarms.py::test_leaves"])
    else:
        result.stdout.no_fnmatch_line(told)


def test_such_a_body_held_before_the_agent_began(asking):
    body = "assert not episode.tapped(text=text)"
    asking.pytester.makepyfile(test_alarms=TASK.replace("BODY", body))
    result = judging.run(asking, "-W", "error")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["1 goal was met before the agent began: alarms/leaves*"])
