"""Walls: failures at a log-in page or a CAPTCHA that no agent could have passed.

A suite's `walls.toml` describes such walls (see `check.walls`); judges may also identify one. If a
failed episode ends at a wall, the wall is tried: the device is reset, and the harness opens the app
itself. If the wall is there again, the device lacks an account, and the task is an infrastructure
error. If it is not, the agent has walked into it, and has failed.

A trial costs one reset, and only for episodes that end at a wall.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.check.walls import (
    Sighting,
    app_behind,
    is_same_page,
    look,
    wall_on,
    walls_near,
    was_passed,
)
from pytest_mobileagent.episode.findings import WallTrial, append, last_trial
from pytest_mobileagent.errors import InfrastructureError, MobileAgentError, in_one_line
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.pytest_private import is_expected_to_fail
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    import pytest

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.walls import Wall
    from pytest_mobileagent.screen import Screen

_RECORDED = "the episode was made in another run, which did not try the wall"
_HOW = "log in there, or make the app work without an account, and resume (docs/walls.md)"


class WallError(InfrastructureError):
    """A wall blocks an app for any user, not only for the agent."""


def check_walls(item: pytest.Function, episode: Episode) -> None:
    """Record in a failed test's state whether its episode ended at a wall, and try that wall.

    An episode that was made in another run is not tried; its recorded trial counts.

    Raises:
        WallError: if the wall blocks the app for any user.
    """
    state = state_of(item)
    if episode.folder is None or is_expected_to_fail(item):
        return
    trial = last_trial(episode.folder)
    if trial is None:
        walls = walls_near(item.path.parent, item.config.rootpath)
        sighting = look(walls, episode.screens) or _claimed(item, episode)
        if sighting is None:
            return
        trial = _tried(item, episode, walls, sighting)
    state.body.wall = trial
    if trial.stands:
        raise WallError(f"a wall blocks {trial.app}: {trial}; {_HOW}") from None


def _claimed(item: pytest.Item, episode: Episode) -> Sighting | None:
    """Return a sighting if a judge took the last screen for a wall that the agent did not pass."""
    last, judging = len(episode.screens) - 1, state_of(item).judging
    verdicts = [*judging.judged, *([judging.beside] if judging.beside is not None else [])]
    judges = [judge for verdict in verdicts for judge in verdict.evidence.get("judges", ())]
    claims = [judge["model"] for judge in judges if judge["details"].get("wall")]
    if not claims or was_passed(episode.screens, last):
        return None
    return Sighting(last, f"{claims[0]} took the last screen for a wall", is_claimed=True)


def _tried(
    item: pytest.Item, episode: Episode, walls: tuple[Wall, ...], sighting: Sighting
) -> WallTrial:
    """Try a wall, and record the result; without a device that can be reset, it stays untried."""
    run, open_anew = item.config.stash[RUN], state_of(item).playing.open_anew
    wall, packages = episode.screens[sighting.screen], episode.case.task.packages
    app = app_behind(episode.screens, sighting.screen, packages) or wall.package
    trial = WallTrial(sighting.by, sighting.screen, app)
    if open_anew is None:
        return replace(trial, reason=_RECORDED)
    reset, screen = episode.reset, None
    if reset is None or reset.kind != "snapshot" or not run.devices.source.is_live:
        why = "" if reset is None else f" ({reset})"
        trial = replace(trial, reason=f"{episode.device.serial} cannot be reset to its start{why}")
    else:

        def stands(screen: Screen) -> bool:
            is_same = sighting.is_claimed and is_same_page(screen, wall)
            return is_same or wall_on(walls, screen) is not None

        try:
            screen = open_anew(app, stands)
            trial = replace(trial, stands=stands(screen))
        except MobileAgentError as error:
            trial = replace(trial, reason=in_one_line(error))
    assert episode.folder is not None
    return append(episode.folder, trial, screen, run.folder.screens)
