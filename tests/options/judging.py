"""Tasks that use a judge, in a project whose agents ask models (see `asking`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from tests.options.asking import Asking

TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("number", range(COUNT))
@task("I would like to know the code.", kind="open-ended")
def test_open(episode, judge, number):
    assert judge(episode)
"""
CHECKED = """
from pytest_mobileagent import task

@task("Tell me the code.")
def test_checked(episode):
    assert episode.answers("ANSWER")
"""


def write(asking: Asking, count: int = 1) -> None:
    """Write `count` tasks that a judge decides."""
    asking.pytester.makepyfile(test_codes=TASKS.replace("COUNT", str(count)))


def write_checked(asking: Asking, answer: str = "4711") -> None:
    """Write a task with a check that passes if the agent's answer is `answer`."""
    asking.pytester.makepyfile(test_codes=CHECKED.replace("ANSWER", answer))


def run(asking: Asking, *arguments: str) -> pytest.RunResult:
    """Run the tasks with an agent that answers 4711 without asking a model."""
    return asking.run(*arguments, "--mobile-unpriced=allow", agent="Silent")


def task(asking: Asking) -> dict[str, Any]:
    """Return the only task in the most recent report."""
    (only,) = asking.report()["tasks"]
    return only  # type: ignore[no-any-return]
