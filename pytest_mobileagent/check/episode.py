"""A recorded episode, as a test body asks it: what was tapped, typed, opened and answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import DoubleTap, LongPress, Tap, Type
from pytest_mobileagent.check import temporal
from pytest_mobileagent.check.answers import answers
from pytest_mobileagent.check.events import EventSelector, NoListenerError, lost
from pytest_mobileagent.check.subgoals import subgoal
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.screen.element import Element
from pytest_mobileagent.screen.explain import collect_misses, missed
from pytest_mobileagent.screen.selector import CriteriaError, Selector
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.record import Step
    from pytest_mobileagent.screen.screen import Screen


@dataclass(frozen=True, slots=True, repr=False)
class Episode(EpisodeRecord):
    """An agent's work on a task, which a test body is a predicate over (see `EpisodeRecord`)."""

    def tapped(
        self,
        target: Callable[[Screen], Element | Sequence[Element] | None] | None = None,
        **criteria: Any,
    ) -> bool:
        """Whether some tap of the agent was inside an element of the screen that it saw.

        The element is given by criteria of `Screen.find_all`, any of those that meet them, or by
        a function of the screen that returns one or several.

        Raises:
            CriteriaError: there are neither criteria nor a function, or both.
        """
        if target is not None and (criteria or not callable(target)):
            msg = "tapped() takes criteria such as text=…, or one function of the screen"
            raise CriteriaError(msg)
        sought = "what the function returns" if target else str(Selector.of(criteria))
        taps = [
            (number, step, (action.x, action.y))
            for number, step in enumerate(self.steps, 1)
            for action in step.done
            if isinstance(action, Tap | LongPress | DoubleTap)
        ]
        with collect_misses() as misses:
            for _, step, point in taps:
                targets = _targets(step.screen, target, criteria)
                if any(element.bounds.contains(*point) for element in targets if element):
                    return True
        instead = (_tap_in_words(*tap) for tap in taps)
        return self._missed(f"no tap hit {sought}", instead, misses)

    def typed(self, text: str) -> bool:
        """Whether the agent typed this text in one action, Unicode spaces normalised."""
        typed = [action.text for action in self.actions if isinstance(action, Type)]
        if normalise(text) in map(normalise, typed):
            return True
        return self._missed(f"{text!r} was not typed", map(repr, typed))

    def opened(self, package: str) -> bool:
        """Whether some screen of the episode was of this app."""
        shown = [screen.package for screen in self.screens]
        if package in shown:
            return True
        return self._missed(f"{package} was not opened", dict.fromkeys(shown))

    def saw(self, **criteria: Any) -> bool:
        """Whether some screen of the episode had an element that meets the criteria."""
        with collect_misses() as misses:
            if any(screen.find_all(**criteria) for screen in self.screens):
                return True
        return self._missed(f"no screen had {Selector.of(criteria)}", (), misses)

    def event(self, **criteria: Any) -> Event | None:
        """Return the first event that meets the criteria (see `EventSelector`); None if none does.

        Raises:
            CriteriaError: there are no such criteria.
            NoListenerError: no events could be heard on the device.
        """
        selector = EventSelector.of(criteria)
        if not self.device.listener:
            msg = f"no events were recorded: device {self.device.serial} has no listener, which"
            raise NoListenerError(f"{msg} this task needs (docs/events.md)")
        numbered = [(n, event) for n, step in enumerate(self.steps, 1) for event in step.events]
        found = next((event for _, event in numbered if selector.matches(event)), None)
        if found is None:
            gap = lost(self.events)
            but = f", while {gap} were lost," if gap else ""
            what = f"none of {len(numbered)} events{but} was {selector}"
            self._missed(what, selector.nearest(numbered))
        return found

    def answers(self, expected: str | Sequence[str], *, any_order: bool = False) -> bool:
        """Whether the agent's answer says what is expected (see `check.answers`).

        Raises:
            TaskError: what is expected is empty, or no text.
        """
        return answers(self.answer, expected, any_order=any_order)

    def ever(self, question: Callable[[Episode], Any]) -> bool:
        """Whether a function of an episode held at some moment (see `temporal.ever`)."""
        return temporal.ever(self, question)

    def never(self, question: Callable[[Episode], Any]) -> bool:
        """Whether it held at no moment, as what must not happen (see `temporal.never`)."""
        return temporal.never(self, question)

    def in_order(self, *questions: Callable[[Episode], Any]) -> bool:
        """Whether several held one after the other (see `temporal.in_order`)."""
        return temporal.in_order(self, *questions)

    def until_end(self, since: Callable[[Episode], Any]) -> bool:
        """Whether it held from some moment on until the end (see `temporal.until_end`)."""
        return temporal.until_end(self, since)

    def subgoal(self, name: str, weight: float = 1) -> AbstractContextManager[None]:
        """Return a block of the body that is a sub-goal of its own (see `subgoals.subgoal`)."""
        return subgoal(name, weight)

    def _missed(
        self, what: str, instead: Iterable[str], misses: Sequence[Callable[[], str]] = ()
    ) -> bool:
        """Note what was not found, what there was instead, and the last look-up that missed."""

        def explain() -> str:
            lines = [f"{what} in {len(self.steps)} steps"]
            lines += [f"  instead: {line}" for line in instead]
            lines += [f"  at last, {miss()}" for miss in misses[-1:]]
            return "\n".join(lines)

        missed(explain)
        return False


def load(folder: Path) -> Episode:
    """Read an episode back, or as much of it as was written.

    Raises:
        RecordError: there is no episode in the folder, not even a first screen, or one of a newer
            major version.
    """
    return read(folder, Episode)


def _targets(
    screen: Screen,
    target: Callable[[Screen], Element | Sequence[Element] | None] | None,
    criteria: Mapping[str, Any],
) -> list[Element]:
    if target is None:
        return screen.find_all(**criteria)
    try:
        found = target(screen)
        return [found] if isinstance(found, Element) else list(found or ())
    except (IndexError, AssertionError):  # the function looked for what this screen does not have
        return []


def _tap_in_words(number: int, step: Step, point: tuple[int, int]) -> str:
    hit = next((element for element in step.screen.at(*point) if element.label), None)
    return f"step {number}, ({point[0]}, {point[1]}), on {hit.describe() if hit else 'nothing'}"
