"""An episode as a series of frames: each a screen, and what the agent did on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import ends_episode

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.screen.screen import Screen


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen, and what led from it to the next one; the last frame has no actions.

    - `number`: what it is called in prompts, from 1; `place`: its index in `episode.screens`.
    - `actions`: what was done. `undone`: what could not be, and `notice` why. `reply`: the user's
      to the question that the agent asked.

    That the agent reported to be done is no action: its own claim must not sway a judge.
    """

    number: int
    place: int
    screen: Screen
    actions: tuple[Action, ...] = ()
    undone: tuple[Action, ...] = ()
    notice: str = ""
    reply: str | None = None
    is_last: bool = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing was done on it, or even tried."""
        return not (self.actions or self.undone or self.notice)


def frames(episode: EpisodeRecord, screens: range | None = None) -> tuple[Frame, ...]:
    """Return the frames of an episode, or of a part of its screens, by their indices.

    A screen on which nothing was done, and that the next one shows again, is left out, such as the
    one on which the agent reported. The last frame has no actions: what they led to is not shown.
    """
    every = episode.screens
    places = [place for place in (screens or range(len(every))) if 0 <= place < len(every)]
    found: list[Frame] = []
    for place in places:
        frame = _frame(episode, place, len(found) + 1, is_last=place == places[-1])
        is_shown_again = place != places[-1] and _same(frame.screen, every[place + 1])
        if not (frame.is_idle and is_shown_again):
            found.append(frame)
    return tuple(found)


def _frame(episode: EpisodeRecord, place: int, number: int, *, is_last: bool) -> Frame:
    screen = episode.screens[place]
    if is_last or place >= len(episode.steps):
        return Frame(number, place, screen, is_last=True)
    step = episode.steps[place]
    done = tuple(action for action in step.done if not ends_episode(action))
    undone = tuple(a for a in step.actions[len(step.done) :] if not ends_episode(a))
    return Frame(number, place, screen, done, undone, step.notice, step.reply)


def _same(one: Screen, other: Screen) -> bool:
    return one.png == other.png and one.xml == other.xml
