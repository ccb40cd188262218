"""Matching what an agent did, step by step, against a list of golden actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.matching.golden import NO_MATCH, Golden, Match
from pytest_mobileagent.screen.element import Element
from pytest_mobileagent.screen.explain import NotFoundError, missed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.screen.screen import Screen

    Wanted = Golden | Action | Callable[[Screen], Golden | Action | Element | None]


def matches(
    rule: Callable[..., Match],
    episode: EpisodeRecord,
    golden: Sequence[Any],
    **options: Any,
) -> list[Match]:
    """Compare the actions of an episode with golden ones, the first with the first and so on.

    Each golden action is a `Golden`, an action in pixels of the screen that the agent saw, or a
    function of that screen, which returns either, or the element to tap. What it does not find
    there matches nothing. `options` are those of the rule, such as `scorer`.

    There is one match per golden action: those that the agent did not come to match nothing, and
    what it did after the last of them is not looked at. The report that ends an episode is an
    action here, too.

    Raises:
        TaskError: the rule has no action like a golden one.
    """
    done = [(step.screen, action) for step in episode.steps for action in step.done]
    found: list[Match] = []
    for number, wanted in enumerate(golden):
        if number >= len(done):
            missed(lambda: f"golden action {len(done) + 1}: the episode has only {len(done)}")
            return [*found, *[NO_MATCH] * (len(golden) - number)]
        screen, action = done[number]
        target = _on(screen, wanted)
        found.append(rule(action, target, size=screen.size, **options) if target else NO_MATCH)
    return found


def _on(screen: Screen, wanted: Wanted) -> Golden | Action | None:
    """Return what is golden on a screen; None if it is not there."""
    if not callable(wanted):
        return wanted
    try:
        target = wanted(screen)
    except (NotFoundError, IndexError):  # the function looked for what this screen does not have
        return None
    if isinstance(target, Element):
        return Golden.tap(target, screen.size)
    if target is None:
        missed(lambda: f"no golden action on {screen.package}")
        return None
    return target
