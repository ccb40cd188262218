"""What happened: the record of an agent working on a task."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import (
    DoubleTap,
    Finish,
    LongPress,
    Tap,
    Type,
    ends_episode,
)
from pytest_mobileagent.agent.agent import Usage
from pytest_mobileagent.check.answers import Answer
from pytest_mobileagent.check.events import EventSelector, NoListenerError, lost
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.element import Element
from pytest_mobileagent.screen.explain import collect_misses, missed
from pytest_mobileagent.screen.selector import CriteriaError, Selector
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.probe import Value
    from pytest_mobileagent.episode.device_info import DeviceInfo
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.screen import Screen


class Termination(StrEnum):
    """Why an episode ended."""

    SELF_REPORTED = "self-reported"  # the agent said that it is done, or that it is impossible
    STEP_LIMIT = "step limit"
    TIME_LIMIT = "time limit"
    AGENT_ERROR = "agent error"  # it raised, or returned what is no action
    INTERRUPTED = "interrupted"  # the record stops in the middle


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """What an episode keeps of its task: the goal as it was told, and what the metrics need."""

    id: str
    goal: str
    nodeid: str = ""
    suite: str = ""
    apps: tuple[str, ...] = ()
    kind: str = "operation"
    level: int | None = None
    language: str = "en"
    golden_steps: int | None = None
    step_limit: int = 20
    parameters: Mapping[str, Any] = field(default_factory=dict)
    environment: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the screen that the agent saw, what it did, and what that led to.

    `probes` were read after the action, and `events` are what the phone told of from it to the next
    (docs/events.md). Seconds are the host's: `seconds_thinking` in the agent,
    `seconds_acting` from the action until the screen had settled and was seen again.
    """

    screen: Screen
    action: Action
    said: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds_thinking: float = 0.0
    seconds_acting: float = 0.0
    probes: Mapping[str, Value] = field(default_factory=dict)
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Episode:
    """An agent's work on a task, from the first screen to the last. Immutable.

    A test body is a predicate over one of these. `screen` is the last screen; `started` is the
    phone's clock at the first one, `recorded` the host's (ISO 8601). `reset` says how the device
    was brought to the starting point, `error` what the agent did wrong, if it did, and `unused`
    what it cost to decide on an action that the step limit forbade. `folder` is where the episode
    is recorded, and does not count for equality.
    """

    task: TaskRecord
    agent: str
    device: DeviceInfo
    screen: Screen
    steps: tuple[Step, ...] = ()
    initial_probes: Mapping[str, Value] = field(default_factory=dict)
    termination: Termination = Termination.INTERRUPTED
    error: str = ""
    seconds: float = 0.0
    unused: Usage = field(default_factory=Usage)
    seed: int = 0
    epoch: int = 0
    attempt: int = 0
    started: datetime | None = None
    recorded: str = ""
    reset: str = ""
    folder: Path | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<episode of {self.task.id}: {len(self.steps)} steps, {self.termination}>"

    @property
    def screens(self) -> tuple[Screen, ...]:
        """Every screen that was seen, in order; the last is `screen`."""
        return (*(step.screen for step in self.steps), self.screen)

    @property
    def step_count(self) -> int:
        """How many actions were done on the phone; the report of being done is none."""
        return sum(not ends_episode(step.action) for step in self.steps)

    @property
    def answer(self) -> Answer:
        """What the agent answered when it finished; empty if it did not (see `Answer`)."""
        last = self.steps[-1].action if self.steps else None
        return Answer(last.answer if isinstance(last, Finish) else "")

    @property
    def usage(self) -> Usage:
        """What all decisions cost together, that of a step beyond the limit included."""
        return sum((step.usage for step in self.steps), self.unused)

    @property
    def events(self) -> tuple[Event, ...]:
        """What the phone told of during all steps, in order."""
        return tuple(event for step in self.steps for event in step.events)

    def prefix(self, steps: int) -> Episode:
        """Return the episode as it was after its first `steps` steps, not yet ended."""
        if steps >= len(self.steps):
            return self
        return replace(
            self,
            screen=self.steps[steps].screen,
            steps=self.steps[:steps],
            termination=Termination.INTERRUPTED,
            error="",
            unused=Usage(),
        )

    def probe(self, name: str) -> Value:
        """Return what a probe of the task read after the last step.

        Raises:
            UnknownProbeError: the task has no such probe.
        """
        return _probe(name, self.steps[-1].probes if self.steps else self.initial_probes)

    def initial_probe(self, name: str) -> Value:
        """Return what a probe of the task read before the first step (see `probe`)."""
        return _probe(name, self.initial_probes)

    def tapped(
        self,
        target: Callable[[Screen], Element | Sequence[Element]] | None = None,
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
            (number, step, (step.action.x, step.action.y))
            for number, step in enumerate(self.steps, 1)
            if isinstance(step.action, Tap | LongPress | DoubleTap)
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
        typed = [step.action.text for step in self.steps if isinstance(step.action, Type)]
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


class UnknownProbeError(TaskError, KeyError):
    """The task has no such probe."""

    __str__ = Exception.__str__  # not KeyError's, which prints the text's repr


def _probe(name: str, probes: Mapping[str, Value]) -> Value:
    if name not in probes:
        names = ", ".join(sorted(probes)) or "none"
        msg = f"the task has no probe {name!r} (it has: {names}); name it in @task(…, probes={{…}})"
        raise UnknownProbeError(msg)
    return probes[name]


def _targets(
    screen: Screen,
    target: Callable[[Screen], Element | Sequence[Element]] | None,
    criteria: Mapping[str, Any],
) -> list[Element]:
    if target is None:
        return screen.find_all(**criteria)
    try:
        found = target(screen)
        return [found] if isinstance(found, Element) else list(found)
    except (IndexError, AssertionError):  # the function looked for what this screen does not have
        return []


def _tap_in_words(number: int, step: Step, point: tuple[int, int]) -> str:
    hit = next((element for element in step.screen.at(*point) if element.label), None)
    return f"step {number}, ({point[0]}, {point[1]}), on {hit.describe() if hit else 'nothing'}"
