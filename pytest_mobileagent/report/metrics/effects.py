"""Steps of an episode that had no effect, repeated an earlier one, or could not be done."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Ask, Wait, ends_episode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.screen.screen import Screen

Look = tuple[str, str, str, bytes]


def no_effect(episode: EpisodeRecord) -> list[bool]:
    """Return for each step whether it acted and left the screen as it was.

    A screen is unchanged if its app, activity, view hierarchy and picture are; if only its clock
    moves on, it has changed. Waiting, asking and reporting do not count as acting; after a report
    nothing is observed, so the effect of actions made with it is unknown.
    """
    screens = list(map(_look, episode.screens))
    return [
        bool(_acts(step.done)) and not any(map(ends_episode, step.done)) and before == after
        for step, (before, after) in zip(episode.steps, pairwise(screens), strict=True)
    ]


def repeated(episode: EpisodeRecord) -> list[bool]:
    """Return for each step whether it repeated an earlier one on an identical screen."""
    return list(_repeated(episode))


def _repeated(episode: EpisodeRecord) -> Iterator[bool]:
    known: set[tuple[Look, str]] = set()
    for step in episode.steps:
        acts = _acts(step.done)
        what = (_look(step.screen), repr(acts))  # what agents give as coordinates may not hash
        yield bool(acts) and what in known
        known.add(what)


def invalid(episode: EpisodeRecord) -> int:
    """Return how many decisions could not be done, in part or at all, or held no action."""
    return sum(bool(step.notice) for step in episode.steps)


def _acts(actions: tuple[Action, ...]) -> list[Action]:
    return [act for act in actions if not isinstance(act, Wait | Ask) and not ends_episode(act)]


def _look(screen: Screen) -> Look:
    return screen.package, screen.activity, screen.xml, screen.png
