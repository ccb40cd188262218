"""One piece of noise while it is on the screen: what actions do to it, and what it does to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action import (
    DoubleTap,
    Key,
    LongPress,
    Open,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.noise.cover import cover
from pytest_mobileagent.noise.layout import arrange
from pytest_mobileagent.noise.parts import State

if TYPE_CHECKING:
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.observation import Reaction
    from pytest_mobileagent.noise.parts import Look
    from pytest_mobileagent.noise.template import Template
    from pytest_mobileagent.screen import Screen

_LEAVING = frozenset({"home", "overview"})  # keys that lead out of the app in front
_ANYWHERE = frozenset({"volume_up", "volume_down"})  # keys that no window takes


@dataclass(frozen=True, slots=True)
class Effect:
    """What became of an action while noise was on the screen.

    - `reaction`: what the agent did about the noise with it; `is_gone`: whether the noise is.
    - `passes`: whether the action reached the phone. `leads_away`: whether the noise leads to a
      page, which a live phone may open in its browser.
    """

    reaction: Reaction
    passes: bool = False
    is_gone: bool = False
    leads_away: bool = False


class Shown:
    """A piece of noise on the screen of the app in front.

    Time passes with the agent's actions, of whatever kind.
    """

    def __init__(self, template: Template, look: Look) -> None:
        self.template, self.look = template, look
        self.state = State(left=template.wait)

    def over(self, screen: Screen) -> Screen:
        """Return a screen of the phone with this noise on it."""
        self.look = replace(self.look, size=screen.size)  # it may have been turned
        return cover(screen, self.template, self.look, self.state).screen

    def meet(self, action: Action) -> Effect:
        """Have the agent do an action, and return what became of it."""
        if self.template.kind == "toast":
            return Effect("", passes=True, is_gone=True)
        if isinstance(action, Open) or (isinstance(action, Key) and action.name in _LEAVING):
            return Effect("left", passes=True, is_gone=True)
        if isinstance(action, Key) and action.name in _ANYWHERE:
            return Effect("", passes=True)
        is_wait = isinstance(action, Wait)
        if self.template.kind == "countdown-ad" and self.state.left == 1 and not self.state.opened:
            # It has closed while the agent was thinking: what was meant for it hits the app.
            return Effect("waited" if is_wait else "mis-tapped", passes=True, is_gone=True)
        effect = Effect("waited", passes=True) if is_wait else self._touched(action)
        if self.state.left and not self.state.opened:
            self.state = replace(self.state, left=self.state.left - 1)
        return effect

    def _touched(self, action: Action) -> Effect:
        match self._does(action):
            case "close" if self.state.opened:
                return Effect("recovered", is_gone=True)
            case "close":
                return Effect("closed", is_gone=True)
            case "next" if self.state.page + 1 < len(self.template.pages):
                self.state = replace(self.state, page=self.state.page + 1)
                return Effect("closed")  # this page: there is another one
            case "next":
                return Effect("closed", is_gone=True)
            case "open":
                self.state = replace(self.state, opened=True)
                return Effect("mis-tapped", leads_away=True)
        return Effect("mis-tapped")

    def _does(self, action: Action) -> str:
        """Return what noise does when an action meets it: as `Button.does`."""
        if isinstance(action, Key) and action.name == "back":
            may_close = self.state.opened or (self.template.back and not self._is_locked)
            return "close" if may_close else "nothing"
        match action:
            case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Type(at=(x, y)):
                return arrange(self.template, self.look, self.state).at(x, y)
        return "nothing"

    @property
    def _is_locked(self) -> bool:
        """Whether it cannot be closed yet."""
        return self.template.kind == "late-ad" and self.state.left > 0
