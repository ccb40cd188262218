"""A piece of noise while it is on the screen: how it handles actions, and how actions change it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Tap
from pytest_mobileagent.noise import PASSING, State
from pytest_mobileagent.noise.cover import cover
from pytest_mobileagent.noise.layout import arrange

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.observation import Reaction
    from pytest_mobileagent.noise import Look
    from pytest_mobileagent.noise.template import Template
    from pytest_mobileagent.screen import Screen

_LEAVING = frozenset({"home", "overview"})  # keys that leave the app in front
_ANYWHERE = frozenset({"volume_up", "volume_down"})  # keys that work whichever window is in front


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an action while noise is on the screen.

    - `reaction`: how the agent reacted to the noise by this action.
    - `passes`: whether the action reaches the phone.
    - `is_gone`: whether the noise is gone afterwards.
    - `leads_away`: whether the noise opens a page, which a live phone may show in its browser.
    """

    reaction: Reaction
    passes: bool = False
    is_gone: bool = False
    leads_away: bool = False


class Overlay:
    """A piece of noise on the screen of the app in front.

    Time passes with the agent's actions, whatever their kind.
    """

    def __init__(self, template: Template, look: Look) -> None:
        self.template, self.look = template, look
        self.state = State(left=template.wait)

    def over(self, screen: Screen) -> Screen:
        """Return a screen of the phone with this noise on it."""
        self.look = replace(self.look, size=screen.size)  # the screen may have been rotated
        return cover(screen, self.template, self.look, self.state).screen

    def handle(self, action: Action) -> Effect:
        """Apply an action of the agent to the noise, and return its effect."""
        if self.template.kind in PASSING:
            return Effect("", passes=True, is_gone=True)
        if isinstance(action, Open) or (isinstance(action, Key) and action.name in _LEAVING):
            return Effect("left", passes=True, is_gone=True)
        if isinstance(action, Key) and action.name in _ANYWHERE:
            return Effect("", passes=True)
        is_wait = isinstance(action, Wait)
        if self.template.kind == "countdown-ad" and self.state.left == 1 and not self.state.opened:
            # The ad has closed while the agent was thinking, so the action hits the app instead.
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
                return Effect("closed")  # this page only: another one follows
            case "next":
                return Effect("closed", is_gone=True)
            case "open":
                self.state = replace(self.state, opened=True)
                return Effect("mis-tapped", leads_away=True)
        return Effect("mis-tapped")

    def _does(self, action: Action) -> str:
        """Return what an action does to the noise, as one of `Button.does`."""
        if isinstance(action, Key) and action.name == "back":
            may_close = self.state.opened or (self.template.back and not self._is_locked)
            return "close" if may_close else "nothing"
        match action:
            case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Type(at=(x, y)):
                return arrange(self.template, self.look, self.state).at(x, y)
        return "nothing"

    @property
    def _is_locked(self) -> bool:
        """Whether the noise cannot be closed yet."""
        return self.template.kind == "late-ad" and self.state.left > 0
