"""What happened: the record of an agent working on a task."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Finish, Impossible, ends_episode
from pytest_mobileagent.episode.calls import Totals, totals
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.found import FoundTuple, found

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import Self

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Golden
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.log import Crash, LogLine
    from pytest_mobileagent.episode.observation import DeviceInfo, Noise, Reset
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.task.case import Case
    from pytest_mobileagent.task.task import Value


class Termination(StrEnum):
    """Why an episode ended."""

    SELF_REPORTED = "self-reported"  # the agent said that it is done
    GAVE_UP = "gave up"  # the agent said that it is impossible
    STOPPED = "stopped on success"  # the suite ends an episode once the goal is met
    PATH = "end of path"  # the last golden step was done in the agent's place
    STEP_LIMIT = "step limit"
    TIME_LIMIT = "time limit"
    BUDGET = "budget"  # what it may cost was spent
    AGENT_ERROR = "agent error"  # it raised, crashed, or returned what is not an action
    INTERRUPTED = "interrupted"  # the record stops in the middle


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: the screen that the agent saw, what it did, and what that led to.

    - `screen`: what the agent saw. `actions`: what it decided on that, mostly one; none if no
      action could be made out. `said`: its words.
    - `notice`: why the decision, or a part of it, could not be done; empty if it was. `undone`
      counts the last of its actions, which were not done then.
    - `calls`: the models that were asked.
    - `seconds_thinking` went by in the agent, `seconds_acting` from its decision until the screen
      had settled and was seen again; both by the host's clock.
    - `probes` were read after it; `events` are what the phone reported until the next decision.
    - `crashes` are those of apps, `log` the lines of the phone's log, both from the decision until
      the next; `log` may have been cut.
    - `reply`: the user's, if the agent asked; `answers` are those to each question, None for none,
      and `user_calls` the calls of the model that plays the user. `told` is what the user had said
      unasked, with the screen.
    - `counts`: whether it counts as a step; a mere look around does not.
    - `noise`: what got in the agent's way; None for nothing. `screen` is with it, `screen.own` the
      phone's own screen.
    - `golden`: the golden action that was done in place of `actions` (`--mobile-path=single`); None
      if the agent's own were done. `notice` and `undone` then say what could not have been done.
    """

    screen: Screen
    actions: tuple[Action, ...] = ()
    said: str = ""
    notice: str = ""
    calls: tuple[ModelCall, ...] = ()
    seconds_thinking: float = 0.0
    seconds_acting: float = 0.0
    probes: Mapping[str, Value] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    crashes: tuple[Crash, ...] = ()
    log: tuple[LogLine, ...] = ()
    reply: str | None = None
    undone: int = 0
    counts: bool = True
    noise: Noise | None = None
    golden: Golden | None = None
    answers: tuple[str | None, ...] = ()
    user_calls: tuple[ModelCall, ...] = ()
    told: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _hand_out(self, "probes", "actions", "calls", "events", "crashes", "log", "extra")
        _hand_out(self, "answers", "user_calls")

    @property
    def done(self) -> tuple[Action, ...]:
        """The actions that were done: on a golden path the golden one, else all that could be."""
        if self.golden is not None:
            return (self.golden.action,)
        return self.actions[: max(0, len(self.actions) - self.undone)]

    @property
    def reached(self) -> tuple[Action, ...]:
        """The actions that reached the phone: those that were done, less what noise swallowed."""
        lost = self.noise.swallowed if self.noise else ()
        return tuple(action for place, action in enumerate(self.done) if place not in lost)

    @property
    def action(self) -> Action | None:
        """The first action of the decision; None if it has none."""
        return self.actions[0] if self.actions else None

    @property
    def is_report(self) -> bool:
        """Whether the agent only reported: that it is done, or that it gives up.

        On a golden path, whether that was the thing to do.
        """
        if self.golden is not None:
            return ends_episode(self.golden.action)
        return len(self.actions) == 1 and ends_episode(self.actions[0]) and not self.notice


@dataclass(frozen=True, slots=True, repr=False)
class EpisodeRecord:
    """An agent's work on a task, from the first screen to the last. Immutable.

    - `case`: the task with its parameters; `goal`: what the agent was given.
    - `full_goal`: all of the goal, where the agent was given a vague one; else "". `user`: how the
      task's user answered (see `--mobile-user`); "" if it has none.
    - `agent`: the agent's name, `options`: what it was given as `--mobile-agent-option`.
    - `screen`: the phone's last screen; `covered`: that with noise on it, as the agent saw it, if
      there was some. `started`: the phone's clock at the first one; `recorded`: the
      host's (ISO 8601).
    - `termination`: why it ended; `error`: what the agent did wrong, if it did.
    - `step_limit`, `seconds`: the most steps that were allowed, and how long it took.
    - `reset`: how the device was brought to the starting point.
    - `program`: how a program from outside was run and recorded; None for any other agent.
    - `apps`: the version codes of the task's apps; "" where one is not known.
    - `is_logged`: whether the phone's log was read in all steps, so that crashes are known.
    - `golden_left`: how many steps of the golden path it did not come to.
    - `unused`: the calls of a decision that the step limit forbade.
    - `node`, `versions`: the machine on which it was made, if workers were on several, and the
      versions of Python, system and packages there, by their names.
    - `folder`: where the episode is recorded; does not count for equality.
    - `extra`: what a record of a newer version says and this one does not know.
    """

    case: Case
    goal: str
    agent: str
    device: DeviceInfo
    screen: Screen
    steps: tuple[Step, ...] = ()
    covered: Screen | None = None
    initial_probes: Mapping[str, Value] = field(default_factory=dict)
    termination: Termination = Termination.INTERRUPTED
    error: str = ""
    seconds: float = 0.0
    step_limit: int | None = None
    unused: tuple[ModelCall, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    attempt: int = 0
    started: datetime | None = None
    recorded: str = ""
    reset: Reset | None = None
    program: Mapping[str, Any] | None = None
    apps: Mapping[str, str] = field(default_factory=dict)
    is_logged: bool = False
    golden_left: int = 0
    full_goal: str = ""
    user: str = ""
    node: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = field(default=None, compare=False)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _hand_out(self, "initial_probes", "steps", "unused", "options", "program", "apps", "extra")
        _hand_out(self, "versions")

    def __repr__(self) -> str:
        return f"<episode of {self.case.id}: {self.step_count} steps, {self.termination}>"

    @property
    def is_complete(self) -> bool:
        """Whether the episode came to an end; an interrupted one stops in the middle."""
        return self.termination is not Termination.INTERRUPTED

    @property
    def is_on_path(self) -> bool:
        """Whether golden actions were done in place of the agent's (`--mobile-path=single`)."""
        return self.golden_left > 0 or any(step.golden is not None for step in self.steps)

    @property
    def whole_goal(self) -> str:
        """All of the goal, as who decides has to know it, where the agent was given a vague one."""
        return self.full_goal or self.goal

    @property
    def screens(self) -> tuple[Screen, ...]:
        """Every screen of the phone, in order; the last is `screen`. None has noise on it."""
        return FoundTuple((*(step.screen.own for step in self.steps), self.screen))

    @property
    def seen(self) -> tuple[Screen, ...]:
        """Every screen as the agent saw it, in order: with the noise that was on it."""
        return FoundTuple((*(step.screen for step in self.steps), self.covered or self.screen))

    @property
    def page(self) -> str:
        """The id of the last recorded page; empty on a phone."""
        return self.screen.page

    @property
    def pages(self) -> tuple[str, ...]:
        """The ids of all recorded pages that were seen, in order; none on a phone."""
        return FoundTuple(screen.page for screen in self.screens if screen.page)

    @property
    def step_count(self) -> int:
        """How many decisions the agent took; only reporting, or looking around, is none."""
        return sum(step.counts and not step.is_report for step in self.steps)

    @property
    def actions(self) -> tuple[Action, ...]:
        """Every action that was done, in order, reports left out."""
        each = (action for step in self.steps for action in step.done)
        return FoundTuple(action for action in each if not ends_episode(action))

    @property
    def answer(self) -> str:
        """What the agent answered when it finished; empty if it did not."""
        return self.report.answer if isinstance(self.report, Finish) else ""

    @property
    def report(self) -> Finish | Impossible | None:
        """How the agent reported that it is done; None if it did not."""
        last = self.steps[-1].done[-1:] if self.steps else ()
        if self.is_on_path:
            last = self.steps[-1].actions[:1]
        return last[0] if last and isinstance(last[0], Finish | Impossible) else None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """Every call of a model, those for a decision beyond the step limit included."""
        return FoundTuple((*(call for step in self.steps for call in step.calls), *self.unused))

    @property
    def user_calls(self) -> tuple[ModelCall, ...]:
        """Every call of the model that plays the user; none of them is among `calls`."""
        return FoundTuple(call for step in self.steps for call in step.user_calls)

    @property
    def is_metered(self) -> bool | None:
        """Whether the models that a program asked were seen; None for any other agent.

        One that acted without a call that was seen has asked elsewhere, if it has asked any.
        """
        return None if self.program is None else bool(self.calls or not self.actions)

    @property
    def totals(self) -> Totals:
        """What all calls of models cost together."""
        return totals(self.calls)

    @property
    def events(self) -> tuple[Event, ...]:
        """What the phone reported during all steps, in order."""
        return FoundTuple(event for step in self.steps for event in step.events)

    @property
    def crashes(self) -> tuple[Crash, ...] | None:
        """The crashes of apps, in order; None if nobody could read the phone's log."""
        found = FoundTuple(crash for step in self.steps for crash in step.crashes)
        return found if found or self.is_logged else None

    @property
    def seconds_thinking(self) -> float:
        """How long the agent thought, in all steps together."""
        return sum(step.seconds_thinking for step in self.steps)

    @property
    def seconds_acting(self) -> float:
        """How long acting and waiting for the screen took, in all steps together."""
        return sum(step.seconds_acting for step in self.steps)

    def prefix(self, steps: int) -> Self:
        """Return the episode as it was after its first `steps` decisions, not yet ended."""
        if steps >= len(self.steps):
            return self
        last = self.steps[steps].screen
        return replace(
            self,
            screen=last.own,
            covered=None if last.beneath is None else last,
            steps=self.steps[:steps],
            termination=Termination.INTERRUPTED,
            error="",
            unused=(),
        )

    def rest(self, steps: int) -> Self:
        """Return the episode as if it had begun after its first `steps` decisions."""
        if steps <= 0 or not self.steps:
            return self
        count = min(steps, len(self.steps))
        first = self.screens[count]
        return replace(
            self,
            steps=self.steps[count:],
            initial_probes=self.steps[count - 1].probes,
            started=first.time or self.started,
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


_PROBES = ("probes", "initial_probes")


def _hand_out(record: Step | EpisodeRecord, *names: str) -> None:
    """Wrap the named fields for checks, so that looking up a missing key or item fails the task."""
    for name in names:
        value = getattr(record, name)
        if isinstance(value, tuple):
            value = value if isinstance(value, FoundTuple) else FoundTuple(value)
        elif name in _PROBES:  # by their names, which are the author's
            value = {probe: found(read) for probe, read in value.items()}
        else:
            value = found(value)
        object.__setattr__(record, name, value)


class UnknownProbeError(TaskError, KeyError):
    """The task has no such probe."""

    __str__ = Exception.__str__  # not KeyError's, which prints the text's repr


def _probe(name: str, probes: Mapping[str, Value]) -> Value:
    if name not in probes:
        names = ", ".join(sorted(probes)) or "none"
        msg = f"the task has no probe {name!r} (it has: {names}); name it in @task(…, probes={{…}})"
        raise UnknownProbeError(msg)
    return probes[name]
