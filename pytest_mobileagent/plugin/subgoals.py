"""Sub-goals of a body, from its run to the verdict's evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.subgoals import SubGoal, credit
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.prefixes import OnTheWay

_NOT_ASKED = "not asked: the body failed before"


def asked_of(item: pytest.Item) -> Sequence[SubGoal]:
    """Return the sub-goals that the last run of a body has asked."""
    subgoals = state_of(item).subgoals
    return subgoals.asked if subgoals is not None else ()


def progress(item: pytest.Item, way: OnTheWay, episode: Episode) -> list[dict[str, Any]]:
    """Return what became of each sub-goal, as the evidence of a verdict has it.

    One that holds of the whole episode, but of no prefix, first held at its end. A body that failed
    outside of its sub-goals may have asked for some on the way only: those count as not held.
    """
    subgoals = state_of(item).subgoals
    if subgoals is None:
        return []
    asked = list(subgoals.asked)
    if not subgoals.complete:
        known = {each.name for each in asked}
        unasked = {n: weight for n, (weight, _) in way.subgoals.items() if n not in known}
        asked += [SubGoal(n, weight, False, _NOT_ASKED) for n, weight in unasked.items()]
    return [_shown(each, way, episode.step_count) for each in asked]


def _shown(subgoal: SubGoal, way: OnTheWay, steps: int) -> dict[str, Any]:
    _, first = way.subgoals.get(subgoal.name, (subgoal.weight, None))
    if first is None and subgoal.held and way.asked:
        first = steps
    return {
        "name": subgoal.name,
        "weight": subgoal.weight,
        "held": subgoal.held,
        "first_step": first,
        "reason": subgoal.reason,
    }


def partial_credit(progress: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the share of the sub-goals that held, by weight; None if there are none."""
    return credit([(each["weight"], each["held"]) for each in progress])
