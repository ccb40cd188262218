"""A recorded episode with the questions of test bodies: tapped, typed, opened, answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from pytest_mobileagent._task.needs import alternatives
from pytest_mobileagent.action import Key, KeyName, Type
from pytest_mobileagent.action.gestures import LongPress
from pytest_mobileagent.check import events, temporal
from pytest_mobileagent.check.actions import runs, targets, touches, typings
from pytest_mobileagent.check.body import UnclearAnswer, assumed, subgoal
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.event import Event
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses, missed
from pytest_mobileagent.screen.selector import CriteriaError, Selector
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pytest_mobileagent.answers.kinds import Kind
    from pytest_mobileagent.check.actions import Target, Touch


@dataclass(frozen=True, slots=True, repr=False)
class Episode(EpisodeRecord):
    """An agent's work on a task, over which a test body is a predicate (see `EpisodeRecord`)."""

    def tapped(self, target: Target | None = None, **criteria: Any) -> bool:
        """Return whether the agent tapped inside an element of the screen that it saw.

        The element is any that meets the criteria of `Screen.find_all`, or that a function of the
        screen returns (one or several). Long presses and double taps count.

        Raises:
            CriteriaError: if there are neither criteria nor a function, or both.
        """
        return self._touched("tapped", "tap", touches(self.steps), target, criteria)

    def long_pressed(self, target: Target | None = None, **criteria: Any) -> bool:
        """Return whether the agent long-pressed inside an element of the screen (see `tapped`)."""
        each = touches(self.steps, (LongPress,))
        return self._touched("long_pressed", "long press", each, target, criteria)

    def typed(self, text: str, target: Target | None = None, /, **criteria: Any) -> bool:
        """Return whether the agent typed this text, in one action or several in a row.

        With criteria, or a function of the screen (see `tapped`), such an element must have been
        touched for it, had the focus, or received the text. Unicode spaces are normalised.

        Raises:
            CriteriaError: if there are both criteria and a function, or unknown criteria.
        """
        _check_text("typed", text)
        sought = f"{text!r} was not typed"
        is_anywhere = target is None and not criteria
        if not is_anywhere:
            sought += f" into {_sought('typed', target, criteria)}"
        each = typings(self)
        with collect_misses() as misses:
            for typed in runs(each):
                if normalise(typed.text) == normalise(text) and (
                    is_anywhere or typed.is_into(target, criteria)
                ):
                    return True
        instead = (repr(t.text) if is_anywhere else t.describe() for t in each)
        return self._missed(sought, instead, misses)

    def pressed(self, key: KeyName) -> bool:
        """Return whether the agent pressed a key of the phone, such as "back", "home" or "enter".

        Raises:
            CriteriaError: if there is no such key.
        """
        if key not in get_args(KeyName):
            msg = f"there is no key {key!r} (available: {', '.join(get_args(KeyName))})"
            raise CriteriaError(msg)
        actions = [action for step in self.steps for action in step.reached]
        entered = any(isinstance(action, Type) and action.enter for action in actions)
        pressed = [action.name for action in actions if isinstance(action, Key)]
        if key in pressed or (key == "enter" and entered):
            return True
        return self._missed(f"the key {key!r} was not pressed", pressed)

    def opened(self, package: str) -> bool:
        """Return whether any screen showed this app, or one of several apps: "a.b|c.d".

        Raises:
            CriteriaError: if the package is not a string.
        """
        _check_text("opened", package)
        packages = [screen.package for screen in self.screens]
        if set(alternatives(package)) & set(packages):
            return True
        return self._missed(f"{package} was not opened", dict.fromkeys(packages))

    def reached(self, page: str) -> bool:
        """Return whether the episode reached a recorded page, by its id, or an equivalent page.

        Raises:
            CriteriaError: if the page is not a string.
            TaskError: if the episode was not on recorded pages.
        """
        _check_text("reached", page)
        if not self.pages:
            what = f"device {self.device.serial} does not show recorded pages"
            raise TaskError(f"reached({page!r}): {what} (docs/recorded-pages.md)")
        if any(page == screen.page or page in screen.same for screen in self.screens):
            return True
        return self._missed(f"page {page!r} was not reached", dict.fromkeys(self.pages))

    @property
    def app(self) -> str:
        """The package of the task's app; of several alternatives, the installed one.

        Raises:
            CriteriaError: if the task names no app.
        """
        packages = self.case.task.packages
        if not packages:
            raise CriteriaError("the check uses the task's app, but the task names none: add app=")
        return packages[0]

    def saw(self, **criteria: Any) -> bool:
        """Return whether any screen of the episode had an element that meets the criteria."""
        with collect_misses() as misses:
            if any(screen.find_all(**criteria) for screen in self.screens):
                return True
        return self._missed(f"no screen had {Selector.of(criteria)}", (), misses)

    def event(self, *, after: Event | None = events.START, **criteria: Any) -> Event | None:
        """Return the first event that meets the criteria (see `EventSelector`), or None.

        With `after`, only later events are considered. If `after` is None there are none, so the
        result of another `event` call can be passed on unchecked. If the device has no event
        listener, events are derived from actions and screens instead (see `check.derived`).

        Raises:
            CriteriaError: if a criterion is unknown, or `after` is not an event.
            NoListenerError: if no events were recorded, and such an event cannot be derived.
        """
        selector = events.EventSelector.of(criteria)
        if not isinstance(after, Event | None):
            raise CriteriaError(f"event(after={after!r}): must be a result of event(), or None")
        is_heard = self.device.listener
        if not is_heard and (why := events.underivable(selector)):
            msg = f"no events were recorded: device {self.device.serial} has no listener, and {why}"
            raise events.NoListenerError(f"{msg} (docs/events.md)")
        numbered = [(n, event) for n, step in enumerate(self.steps, 1) for event in step.events]
        numbered = numbered if is_heard else events.derive(self)
        later = events.since(numbered, after)
        found = next((event for _, event in later if selector.matches(event)), None)
        if found is None:
            gap = events.lost([event for _, event in numbered])
            but = f", while {gap} were lost," if gap else ""
            from_ = "" if after is events.START else " after the given event"
            derived = "" if is_heard else " derived from actions and screens"
            what = f"none of {len(later)} events{derived}{from_}{but} was {selector}"
            self._missed(what, selector.nearest(later))
        return found

    def answers(
        self, expected: str | Kind | Sequence[str | Kind], *, any_order: bool = False
    ) -> bool:
        """Return whether the agent's answer states what is expected (docs/answers.md).

        A string is read as the kind that it plainly is: a number, a time, an e-mail address, …;
        `pytest_mobileagent.answers` has the kinds. Of several values, all must be stated, in this
        order or `any_order`, and no others.

        If the answer is unclear, the body is evaluated for both possibilities. If its result
        depends on them, a judge is asked; without judges, a person has to decide.

        Raises:
            TaskError: if what is expected is neither text nor a kind, nor a list of them.
            UndecidedError: if the answer is unclear, and no test evaluates this.
        """
        from pytest_mobileagent.answers import Outcome, read_answer  # slow to import

        goal = self.whole_goal
        reading = read_answer(self.answer, expected, goal, any_order=any_order)
        if reading.outcome is Outcome.UNCLEAR:
            asked = (goal, reading.expected, self.answer, reading.reason, reading.said)
            is_stated = assumed(UnclearAnswer(*asked))
        else:
            is_stated = reading.outcome is Outcome.STATED
        if not is_stated:
            missed(lambda: reading.reason)
        return is_stated

    def _touched(
        self,
        asked: str,
        kind: str,
        each: Sequence[Touch],
        target: Target | None,
        criteria: Mapping[str, Any],
    ) -> bool:
        sought = _sought(asked, target, criteria)
        with collect_misses() as misses:
            for _, step, point in each:
                meant = targets(step.screen.own, target, criteria)
                if any(element.bounds.contains(*point) for element in meant if element):
                    return True
        instead = (touch.describe() for touch in each)
        return self._missed(f"no {kind} hit {sought}", instead, misses)

    def ever(self, question: Callable[[Episode], Any]) -> bool:
        """Return whether a function of an episode held at any moment (see `temporal.ever`)."""
        return temporal.ever(self, question)

    def never(self, question: Callable[[Episode], Any]) -> bool:
        """Return whether a function of an episode held at no moment (see `temporal.never`)."""
        return temporal.never(self, question)

    def in_order(self, *questions: Callable[[Episode], Any]) -> bool:
        """Return whether several functions held one after another (see `temporal.in_order`)."""
        return temporal.in_order(self, *questions)

    def until_end(self, since: Callable[[Episode], Any]) -> bool:
        """Return whether a function held from some moment on (see `temporal.until_end`)."""
        return temporal.until_end(self, since)

    def subgoal(self, name: str, weight: float = 1) -> AbstractContextManager[None]:
        """Return a context manager for a sub-goal of the body (see `subgoals.subgoal`)."""
        return subgoal(name, weight)

    def _missed(
        self, what: str, instead: Iterable[str], misses: Sequence[Callable[[], str]] = ()
    ) -> bool:
        """Record what was not found, what was there instead, and the last look-up that failed."""

        def explain() -> str:
            lines = [f"{what} in {len(self.steps)} steps"]
            lines += [f"  instead: {line}" for line in instead]
            lines += [f"  at last, {miss()}" for miss in misses[-1:]]
            return "\n".join(lines)

        missed(explain)
        return False


def load(folder: Path) -> Episode:
    """Return the recorded episode in a folder, or as much of it as was written.

    Raises:
        RecordError: if it contains not even a first screen, or one of a newer major version.
    """
    return read(folder, Episode)


def _check_text(asked: str, text: str) -> None:
    if not isinstance(text, str):
        raise CriteriaError(f"{asked}({text!r}) takes a string")


def _sought(asked: str, target: Target | None, criteria: Mapping[str, Any]) -> str:
    """Return a description of the element that a check refers to.

    Raises:
        CriteriaError: if the element is not specified, or is specified twice.
    """
    if target is not None and (criteria or not callable(target)):
        msg = f"{asked}() takes criteria such as text=…, or one function of the screen"
        raise CriteriaError(msg)
    return "what the function returns" if target else str(Selector.of(criteria))
