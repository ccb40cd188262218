"""Runs a body whose answers may be unclear: under all assumptions, then by judges, or a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.check.body import decide
from pytest_mobileagent.errors import UndecidedError
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.judges import Judge, Waiting
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.check.subgoals import SubGoals
    from pytest_mobileagent.check.unclear import UnclearAnswer


def run_body(
    item: pytest.Function, body: Callable[[], None], begin: Callable[[], SubGoals]
) -> None:
    """Run a body; if its result depends on unclear answers, ask the judges about them.

    `begin` empties what the body collects, and returns its sub-goals.

    Raises:
        UndecidedError: if the result depends on unclear answers, and no judge is set.
        AssertionError: the body's own; for a prefix of the episode, also if the result is unclear.
    """
    __tracebackhide__ = True
    failures = (AssertionError, pytest.fail.Exception)
    decide(body, begin, lambda unclear: _judged(item, unclear), failures)


def _judged(item: pytest.Function, unclear: list[UnclearAnswer]) -> dict[UnclearAnswer, bool]:
    """Return what the first judge thinks of unclear answers; it is asked about all at once."""
    state, judges = state_of(item), item.config.stash[RUN].judges
    if state.is_asked_of_prefix:
        raise AssertionError("not yet: the answer is unclear")
    state.body.unclear |= dict.fromkeys(unclear)
    if judges.mode == "off":
        raise UndecidedError("; ".join(each.reason for each in unclear))
    judge, waiting = Judge(item, judges), None
    for each in unclear:
        try:
            state.body.unclear[each] = judge.same(each.answer, each.expected, each.goal)
        except Waiting as put_off:
            waiting = put_off
    if waiting is not None:
        raise waiting
    return {each: bool(state.body.unclear[each]) for each in unclear}
