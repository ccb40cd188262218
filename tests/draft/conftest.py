"""Fixtures for drafts: recorded episodes for which checks are drafted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Agent, Finish, Tap, Task
from pytest_mobileagent.testing import FakePhone, make_screen, play

if TYPE_CHECKING:
    from pathlib import Path

SCREENS = [
    make_screen("Home", package="com.example.home"),
    make_screen("Menu", "Downloads", package="com.example.shop"),
    make_screen("Downloads", {"text": "1.2 GB", "resource-id": "used"}, package="com.example.shop"),
]


class Done(Agent):
    """Opens Downloads and reports how much storage is used."""

    def step(self, observation):
        screen = observation.screen
        if used := screen.find(resource_id="used"):
            return Finish(f"{used.text} is used")
        return Tap(*screen.elements[-1].bounds.center)


class Failed(Done):
    """Stops before it reaches Downloads."""

    def step(self, observation):
        return Finish("none") if observation.screen.find(text="Menu") else super().step(observation)


def recorded(agent, folder):
    task = Task("How much storage do Downloads use?", kind="single-frame query")
    play(agent, task, phone=FakePhone(SCREENS), folder=folder)
    return folder / "episodes" / "play.0"


@pytest.fixture(scope="session")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an episode in which the goal was met after the second step."""
    return recorded(Done, tmp_path_factory.mktemp("done"))


@pytest.fixture(scope="session")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an episode in which the goal was not met."""
    return recorded(Failed, tmp_path_factory.mktemp("failed"))
