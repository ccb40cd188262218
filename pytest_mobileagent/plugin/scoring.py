"""From a test body to a result: was the goal met, and when for the first time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.check.prefixes import first_success
from pytest_mobileagent.episode.episode import Episode, Termination
from pytest_mobileagent.errors import InfrastructureError, TaskError
from pytest_mobileagent.plugin.items import BROKE, EPISODE, TaskItem
from pytest_mobileagent.report.result import Result, measures
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_mobileagent.run.folder import RunFolder

_FIRST_SUCCESS = pytest.StashKey[int | None]()
_AGENTS_FAULT = (Termination.AGENT_ERROR, Termination.TIME_LIMIT)


def decide(item: pytest.Function) -> Generator[None, Any, Any]:
    """Run a test body as a predicate over its episode, as a wrapper around pytest's own call.

    An agent that failed has not met the goal, whatever the screen shows. When an assert fails, it
    is told what was looked for and not found.
    """
    __tracebackhide__ = True
    episode = item.funcargs.get("episode")
    if not isinstance(episode, Episode):
        return (yield)
    if episode.termination in _AGENTS_FAULT:
        pytest.fail(f"{episode.error}\nrecorded in {episode.folder}", pytrace=False)
    names = item._fixtureinfo.argnames  # noqa: SLF001 - pytest's own call reads it likewise
    arguments = {name: item.funcargs[name] for name in names}
    returned = []

    def body(prefix: Episode) -> None:
        returned.append(item.obj(**{**arguments, "episode": prefix}))

    item.stash[_FIRST_SUCCESS] = first_success(body, episode)
    if any(value is not None for value in returned):
        msg = f"{item.name} returns {returned[-1]!r}: the body of a task decides by assert"
        raise TaskError(msg)
    with collect_misses() as misses:
        try:
            return (yield)
        except AssertionError as error:
            for miss in dict.fromkeys(explain() for explain in misses):
                if miss not in str(error):
                    error.add_note(miss)
            raise


def result_of(
    item: pytest.Item,
    task: TaskItem,
    report: pytest.TestReport,
    call: pytest.CallInfo[None],
    folder: RunFolder,
) -> Result:
    """Return the result of a task whose report decides."""
    episode = item.stash.get(EPISODE, None)
    broke = [*item.stash.get(BROKE, ())]
    outcome: str = report.outcome if report.when == "call" or report.skipped else "error"
    raised = call.excinfo.value if call.excinfo is not None else None
    if isinstance(raised, InfrastructureError):
        broke.append(str(raised))
    if isinstance(raised, TaskError | InfrastructureError):
        # The body asks for what cannot be, or a device broke: that says nothing about the agent.
        outcome = "error"
    elif hasattr(report, "wasxfail"):
        outcome = "xpassed" if report.passed else "xfailed"
    # A body that holds although it is marked as a strict xfail makes the report a failure.
    success = call.excinfo is None if outcome not in {"error", "skipped"} else None
    return replace(
        undecided(item, task),
        outcome=outcome,
        first_success_step=item.stash.get(_FIRST_SUCCESS, None),
        reason=_reason(report),
        infrastructure=tuple(broke),
        episode=folder.relative(episode.folder) if episode and episode.folder else None,
        **(measures(episode, success) if episode else {}),
    )


def undecided(item: pytest.Item, task: TaskItem) -> Result:
    """Return the result of a task of which nothing else is known yet."""
    return Result(
        id=task.id,
        nodeid=item.nodeid,
        suite=task.suite,
        app=task.task.packages[0] if task.task.packages else None,
        kind=task.task.kind,
        level=task.task.level,
        epoch=task.epoch,
        environment=task.environment,
        golden_steps=task.task.shortest,
    )


def _reason(report: pytest.TestReport) -> str:
    if report.passed:
        return ""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash is not None else report.longrepr).strip()
