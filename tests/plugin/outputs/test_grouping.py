"""Failures of one cause: the first is shown in full, the others are named."""

from __future__ import annotations

import pytest

from tests.plugin.projects import PHONE

AGENT = """
from pytest_mobileagent import Agent, Finish

class Says(Agent):
    def start(self, briefing):
        pass
    def step(self, observation):
        return Finish("12")
"""
TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("n", range(3))
@task("Count to {n}.", app="a")
def test_count(episode, n): assert episode.answers(f"1{n}")

@pytest.mark.parametrize("n", range(2))
@task("Break {n}.", app="a")
def test_break(episode, n): raise LookupError(f"no table {n}")

@task("Find it.", app="a")
def test_find(episode): assert episode.screen.get(text="it")

@pytest.mark.parametrize("n", range(2))
def test_other(n): assert n == 2
"""
WHOLE = {"test_count[0]", "test_break[0]", "test_find", "test_other[0]", "test_other[1]"}
ALL = WHOLE | {"test_count[1]", "test_break[1]"}


@pytest.mark.parametrize("more", ["-n0", pytest.param("-n1", marks=pytest.mark.slow), "-v"])
def test_one_failure_of_each_cause_is_shown_in_full_and_all_with_v(
    pytester: pytest.Pytester, more: str
) -> None:
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASKS, says=AGENT)
    whole = ALL if more == "-v" else WHOLE
    given = ("-p", "no:cacheprovider", "--agent=says.py:Says", "--mobile-agent-process=off")
    result = pytester.runpytest_inprocess(*given, more)
    result.assert_outcomes(failed=5, errors=2, passed=1)
    heads = [line.strip("_ ") for line in result.outlines if line.startswith("____")]
    assert {head.removeprefix("ERROR at call of ") for head in heads} == whole
    summary = [line for line in result.outlines if line.startswith(("FAILED", "ERROR test"))]
    assert len(summary) == 7
    if more != "-v":
        title = result.outlines.index(
            "------------- failures of the same causes (-v shows them in full) --------------"
        )
        assert result.outlines[title + 1 : title + 5] == [
            "1 more like break[0]: task: LookupError: no table …",
            "  break[1]",
            "1 more like count[0]: self-reported: the answer does not say the number …",
            "  count[1]",
        ]
