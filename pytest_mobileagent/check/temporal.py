"""Temporal checks: questions about every moment of an episode, not only about its end.

A moment is a prefix of the episode: the start, after each step, and the whole. A question is a
function of an episode whose result is interpreted like the operand of `assert`; one that returns
nothing does not hold. At a moment it sees what had happened until then, so `e.saw(…)` and
`e.tapped(…)` stay true once they are, while `e.screen` and `e.probe(…)` are those of that moment.

A question does not hold at a moment at which it raises an AssertionError, as `screen.get` does for
a missing element, or an IndexError. Other errors propagate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses, missed

if TYPE_CHECKING:
    from collections.abc import Callable

E = TypeVar("E", bound=EpisodeRecord)


def ever(episode: E, question: Callable[[E], Any]) -> bool:
    """Return whether a question held at any moment, including the start and the end."""
    asked = _Asked(question, "ever")
    if asked.first(episode) is not None:
        return True
    missed(lambda: f"it held at no moment of {len(episode.steps)} steps{asked.why()}")
    return False


def never(episode: E, question: Callable[[E], Any]) -> bool:
    """Return whether a question held at no moment, including the start."""
    found = _Asked(question, "never").first(episode)
    if found is None:
        return True
    missed(lambda: f"it held {_after(episode, found)}")
    return False


def in_order(episode: E, *questions: Callable[[E], Any]) -> bool:
    """Return whether several questions became true one after another.

    The first question counts from the moment at which it first held. Each later one is evaluated on
    the part of the episode that begins at the previous question's moment, with the screen of that
    moment. It counts from the moment at which it became true, so a question that held just before
    and continued to hold does not count. For example, `in_order(lambda e: e.saw(text="Cart"),
    lambda e: e.tapped(text="Pay"))` holds if Pay was tapped on the first screen that showed Cart,
    or later; earlier taps do not count. Two questions that become true at the same moment are in
    order both ways.

    A step with several actions is split: each action is on the screen that the agent saw, and the
    results of the step follow the last one.
    """
    if len(questions) < 2:
        msg = f"in_order() takes two or more functions of an episode, not {len(questions)}"
        raise TaskError(msg)
    whole, at = apart(episode), 0
    for number, question in enumerate(questions):
        asked = _Asked(question, "in_order")
        before = whole.rest(at - 1).prefix(0) if number and at else None
        rest = whole.rest(at)
        found = asked.first(rest, held=before is not None and asked.holds(before))
        if found is None:
            _note_order(asked, number, len(questions), len(rest.steps))
            return False
        at += found
    return True


def until_end(episode: E, since: Callable[[E], Any]) -> bool:
    """Return whether a question held from the first moment at which it held until the end."""
    asked = _Asked(since, "until_end")
    begun = asked.first(episode)
    if begun is None:
        missed(lambda: f"it held at no moment of {len(episode.steps)} steps{asked.why()}")
        return False
    later = range(begun + 1, len(episode.steps) + 1)
    ended = next((n for n in later if not asked.holds(episode.prefix(n))), None)
    if ended is None:
        return True
    held = f"it first held {_after(episode, begun)}, and no longer {_after(episode, ended)}"
    missed(lambda: f"{held}{asked.why('then')}")
    return False


def apart(episode: E) -> E:
    """Return the episode with one action per step, each on the screen that the agent saw.

    The results of a step, such as its probes and events, belong to its last action.
    """
    steps = []
    before = episode.initial_probes
    for step in episode.steps:
        noise, last = step.noise, max(0, len(step.done) - 1)
        each = [noise and noise.of_action(place) for place in range(last + 1)]
        steps += [
            replace(step, actions=(action,), noise=met, probes=before, events=(), reply=None,
                    undone=0)
            for action, met in zip(step.done[:-1], each[:-1], strict=True)
        ]  # fmt: skip
        actions, undone = step.done[-1:] or step.actions, 0 if step.done else step.undone
        steps.append(replace(step, actions=actions, noise=each[-1], undone=undone))
        before = step.probes
    return replace(episode, steps=tuple(steps))


class _Asked(Generic[E]):
    """A question, and the reason why it last did not hold."""

    def __init__(self, question: Callable[[E], Any], by: str) -> None:
        if not callable(question):
            msg = f"{by}() takes functions of an episode, such as lambda e: e.saw(text=…), not"
            raise TaskError(f"{msg} {question!r}")
        self._question = question
        self._why: Callable[[], str] | None = None

    def first(self, episode: E, *, held: bool = False) -> int | None:
        """Return after how many steps the question became true; None if it never did.

        `held` says whether it was already true before the episode.
        """
        for length in range(len(episode.steps) + 1):
            held_before, held = held, self.holds(episode.prefix(length))
            if held and not held_before:
                return length
        return None

    def holds(self, moment: E) -> bool:
        """Return whether the question holds at a moment.

        Raises:
            TaskError: if the question returns a function, which would count as true.
        """
        with collect_misses() as misses:
            try:
                answer = self._question(moment)
                if callable(answer):
                    name = getattr(answer, "__name__", "it")
                    msg = f"a question about the episode returns a function: call it: {name}(…)"
                    raise TaskError(msg)
                if answer:
                    return True
            except (AssertionError, IndexError) as error:
                misses.append(error.__str__)
        self._why = misses[-1] if misses else None
        return False

    def why(self, when: str = "at last") -> str:
        """Return the reason why the question last did not hold, if known."""
        words = self._why() if self._why is not None else ""
        return f"\n  {when}, {words}" if words else ""


def _note_order(asked: _Asked[Any], met: int, of: int, left: int) -> None:
    def explain() -> str:
        if not met:
            return f"the first of {of} held at no moment{asked.why()}"
        after = f"{left} action{'s' * (left != 1)} after number {met} did"
        return f"number {met + 1} of {of} did not become true in the {after}{asked.why()}"

    missed(explain)


def _after(episode: EpisodeRecord, length: int) -> str:
    """Return a description of a moment: the step before it, and its actions."""
    if not length:
        return "at the start"
    done = ", ".join(map(repr, episode.steps[length - 1].done))
    return f"after step {length}{f', {done}' if done else ''}"
