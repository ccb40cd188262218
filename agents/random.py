"""A random agent: the minimum that any agent has to beat."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from pytest_mobileagent import Action, Agent, Finish, Key, Screen, Scroll, Tap, Type

if TYPE_CHECKING:
    from pytest_mobileagent import Briefing, Element, Observation

WORDS = ("hello", "7", "linear algebra", "test")


class RandomAgent(Agent):
    """Takes random actions that the screen allows, mostly taps; finishes one time in thirty."""

    sees = ("hierarchy",)
    asks = False

    def start(self, briefing: Briefing) -> None:
        self._random = random.Random(briefing.seed)

    def step(self, observation: Observation) -> Action:
        screen = observation.screen
        chance = self._random.random()
        clickable = [
            e for e in screen.elements if e.clickable and e.enabled and _visible(e, screen)
        ]
        if chance < 1 / 30:
            return Finish()
        if chance < 0.1:
            return Key("back")
        if chance < 0.2 or not clickable:
            return Scroll(self._random.choice(("up", "down")))
        element = self._random.choice(clickable)
        if element.class_name.endswith("EditText"):
            return Type(self._random.choice(WORDS), at=element.bounds.center, enter=True)
        return Tap(*element.bounds.center)


def _visible(element: Element, screen: Screen) -> bool:
    x, y = element.bounds.center
    return 0 <= x < screen.size[0] and 0 <= y < screen.size[1]
