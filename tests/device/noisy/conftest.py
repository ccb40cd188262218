"""Fixtures for noise: an in-memory phone with noise, whose schedule the tests choose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.noisy import NoiseSettings, NoisyDevice
from pytest_mobileagent.noise import KINDS, NoiseChoice
from pytest_mobileagent.noise.template import load
from pytest_mobileagent.testing import MemoryPhone, make_screen

if TYPE_CHECKING:
    from pytest_mobileagent import Action, Screen
    from pytest_mobileagent.episode.observation import Noise
    from pytest_mobileagent.noise.template import Template

TEMPLATES = load()
BY_NAME = {each.name: each for each in TEMPLATES}


@dataclass
class Planned:
    """A fixed schedule: the noise for each action, numbered from 1."""

    plan: dict[int, Template | str] = field(default_factory=dict)

    def at(self, number: int) -> Template | str | None:
        return self.plan.get(number)


@dataclass
class Desk:
    """A noisy phone, and methods to use it."""

    phone: MemoryPhone
    noisy: NoisyDevice
    met: Noise | None = None  # the noise met by the last decision

    def plan(self, **what: str) -> None:
        """Set the noise for actions: `_2="en-garden-week"`, or one of the kinds in `ACTIONS`."""
        given = {int(n[1:]): BY_NAME.get(name, name) for n, name in what.items()}
        self.noisy._schedule = Planned(given)  # type: ignore[assignment]

    def do(self, *actions: Action) -> Screen:
        """Perform actions as one decision, and return the resulting screen."""
        for action in actions:
            self.noisy.perform(action)
        screen = self.noisy.observe().screen
        self.met = self.noisy.noise()
        return screen

    def step(self, *actions: Action) -> Noise | None:
        """Perform actions as one decision, and return the noise that they encountered."""
        self.do(*actions)
        return self.met

    @property
    def done(self) -> list[Action]:
        """The actions that have reached the phone."""
        return self.phone.actions


@pytest.fixture
def desk() -> Desk:
    pages = {
        name: make_screen(*texts, package="com.example.shop")
        for name, texts in (("list", ["Milk", "Bread"]), ("milk", ["Buy milk"]))
    }
    pages["home"] = make_screen("Apps", package="com.example.launcher")
    links = {("list", "Milk"): "milk", ("list", "com.example.launcher"): "home"}
    phone = MemoryPhone(pages, links)
    settings = NoiseSettings(NoiseChoice(1.0, KINDS), TEMPLATES)
    noisy = NoisyDevice(phone, settings, 7, "en", phone.screen)
    desk = Desk(phone, noisy)
    desk.plan()
    return desk
