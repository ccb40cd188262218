"""Tasks that end at success: their body is asked after every step, while the agent waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.episode.growing import GrowingEpisode
from pytest_mobileagent.plugin.prefixes import holds_now

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def stops(request: pytest.FixtureRequest) -> Callable[[Path], bool]:
    """Return whether the body of a test holds of the episode that is being recorded in a folder.

    The test is asked as it stands: with its parameters, and its expectation to fail, if it has one.
    """
    item: pytest.Function = request.node
    names = item._fixtureinfo.argnames  # noqa: SLF001 - pytest's own call reads it likewise
    others = {name: request.getfixturevalue(name) for name in names if name != "episode"}
    growing: dict[Path, GrowingEpisode[Episode]] = {}

    def is_done(folder: Path) -> bool:
        if folder not in growing:
            growing.clear()
            growing[folder] = GrowingEpisode(folder, Episode)
        episode = growing[folder].read()
        for screen in episode.screens:
            _ = screen.root  # parsed here, once, and not after every step in a process of its own
        return holds_now(item, episode, others)

    return is_done
