"""The record of an agent working on a task."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Finish, Impossible, ends_episode
from pytest_mobileagent.episode.calls import Totals, totals
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.recorded_data import RecordedTuple, to_recorded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import Self

    from pytest_mobileagent._task import Value
    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Golden
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.event import Crash, Event, LogLine
    from pytest_mobileagent.episode.findings import SideEffects
    from pytest_mobileagent.episode.observation import DeviceInfo, Noise, Reset
    from pytest_mobileagent.screen import Screen


class Termination(StrEnum):
    """Why an episode ended."""

    SELF_REPORTED = "self-reported"  # the agent reported that it is done
    GAVE_UP = "gave up"  # the agent reported that the task is impossible
    STOPPED = "stopped on success"  # the suite ends an episode once the goal is met
    PATH = "end of path"  # the last golden step was performed in the agent's place
    STEP_LIMIT = "step limit"
    TIME_LIMIT = "time limit"
    BUDGET = "budget"  # the episode's budget was spent
    # The agent raised, crashed, or returned something that is not an action.
    AGENT_ERROR = "agent error"
    INTERRUPTED = "interrupted"  # the record stops in the middle


AGENTS_FAULT = (Termination.AGENT_ERROR, Termination.TIME_LIMIT)  # with an error of the agent


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: the screen that the agent saw, what it did, and the result.

    - `screen`: the screen that the agent saw. `actions`: what it decided, usually one action; none
      if its reply contained no action. `said`: the text of its reply.
    - `notice`: why the decision, or a part of it, could not be performed; "" if it was. `undone`
      counts the actions at the end that were not performed for this reason.
    - `calls`: the model calls.
    - `seconds_thinking` elapsed in the agent, `seconds_acting` from its decision until the screen
      had settled and was captured again; both by the host's clock.
    - `probes` were read after the step. `events` (which the phone reported), `crashes` of apps, and
      the lines of the phone's `log` are those until the next decision; `log` may have been cut.
    - `reply`: the user's reply, if the agent asked; `answers` has one for each question, None if
      unanswered, and `user_calls` the calls of the model that plays the user. `told` is what the
      user had said without being asked, with the screen.
    - `counts`: whether the decision counts as a step; merely looking around does not.
    - `noise`: the noise that the agent met, or None. `screen` includes it; `screen.own` is the
      phone's own screen.
    - `golden`: the golden action that was performed in place of `actions` (`--mobile-path=single`),
      if any; `notice` and `undone` then say what could not have been performed.
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
        """The actions that were performed: the golden one, or all of the agent's that could be."""
        if self.golden is not None:
            return (self.golden.action,)
        return self.actions[: max(0, len(self.actions) - self.undone)]

    @property
    def reached(self) -> tuple[Action, ...]:
        """The actions that reached the phone: those performed, without those swallowed by noise."""
        lost = self.noise.swallowed if self.noise else ()
        return tuple(action for place, action in enumerate(self.done) if place not in lost)

    @property
    def action(self) -> Action | None:
        """The first action of the decision, or None."""
        return self.actions[0] if self.actions else None

    @property
    def is_report(self) -> bool:
        """Whether the agent only reported that it is done, or that it gives up.

        On a golden path: whether reporting was the right action.
        """
        if self.golden is not None:
            return ends_episode(self.golden.action)
        return len(self.actions) == 1 and ends_episode(self.actions[0]) and not self.notice


@dataclass(frozen=True, slots=True, repr=False)
class EpisodeRecord:
    """An agent's work on a task, from the first screen to the last. Immutable.

    - `case`: the task with its parameters; `goal`: the goal that the agent was given.
    - `full_goal`: the whole goal, if the agent was given a vague one; else "". `user`: how the
      task's user answered (see `--mobile-user`); "" without a user.
    - `sees`: what the agent was given of each screen (see `--mobile-sees`); the episode has all.
    - `agent`: the agent's name; `options`: its options (`--mobile-agent-option`).
    - `screen`: the phone's last screen; `covered`: the same screen with the noise that the agent
      saw on it, or None. `started`: the phone's clock at the first screen; `recorded`: the host's
      (ISO 8601).
    - `termination`: why the episode ended; `error`: the agent's error, if it made one.
    - `step_limit`, `seconds`: the maximum number of steps, and the duration.
    - `reset`: how the device was brought to its initial state.
    - `program`: how an external program was run and recorded; None for other agents.
    - `apps`: the version codes of the task's apps; "" if unknown.
    - `is_logged`: whether the phone's log was read in all steps, so that crashes are known.
    - `measured`: the values of the task's measures after the last screen, by name.
    - `side_effects`: what the agent changed on the phone that nobody had asked for; None if that is
      not known, as for a prefix (see `--mobile-side-effects`).
    - `golden_left`: how many steps of the golden path were not reached.
    - `unused`: the calls of a decision beyond the step limit.
    - `node`, `versions`: the machine, if workers were on several, and the versions of Python, the
      system and packages there, by name.
    - `folder`: where the episode is recorded; ignored in comparisons.
    - `extra`: fields recorded by a newer version that this version does not know.
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
    side_effects: SideEffects | None = None
    measured: Mapping[str, Value] = field(default_factory=dict)
    full_goal: str = ""
    user: str = ""
    sees: str = "both"
    node: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = field(default=None, compare=False)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _hand_out(self, "initial_probes", "steps", "unused", "options", "program", "apps", "extra")
        _hand_out(self, "versions", "measured")

    def __repr__(self) -> str:
        return f"<episode of {self.case.id}: {self.step_count} steps, {self.termination}>"

    @property
    def is_complete(self) -> bool:
        """Whether the episode came to an end, rather than being interrupted."""
        return self.termination is not Termination.INTERRUPTED

    @property
    def is_on_path(self) -> bool:
        """Whether golden actions were performed in place of the agent's."""
        return self.golden_left > 0 or any(step.golden is not None for step in self.steps)

    @property
    def whole_goal(self) -> str:
        """The whole goal, for judges and checks, even if the agent was given a vague one."""
        return self.full_goal or self.goal

    @property
    def screens(self) -> tuple[Screen, ...]:
        """Every screen of the phone, in order and without noise; the last is `screen`."""
        return RecordedTuple((*(step.screen.own for step in self.steps), self.screen))

    @property
    def seen(self) -> tuple[Screen, ...]:
        """Every screen as the agent saw it, in order and with any noise."""
        return RecordedTuple((*(step.screen for step in self.steps), self.covered or self.screen))

    @property
    def page(self) -> str:
        """The id of the last recorded page; "" on a phone."""
        return self.screen.page

    @property
    def pages(self) -> tuple[str, ...]:
        """The ids of all recorded pages that were shown, in order; empty on a phone."""
        return RecordedTuple(screen.page for screen in self.screens if screen.page)

    @property
    def step_count(self) -> int:
        """The number of decisions, without mere reports and looks around."""
        return sum(step.counts and not step.is_report for step in self.steps)

    @property
    def actions(self) -> tuple[Action, ...]:
        """Every action that was performed, in order, without reports."""
        each = (action for step in self.steps for action in step.done)
        return RecordedTuple(action for action in each if not ends_episode(action))

    @property
    def answer(self) -> str:
        """The agent's answer when it finished; "" if it gave none."""
        return self.report.answer if isinstance(self.report, Finish) else ""

    @property
    def report(self) -> Finish | Impossible | None:
        """The agent's final report, or None if it made none."""
        if not self.steps:
            return None
        last = self.steps[-1].actions[:1] if self.is_on_path else self.steps[-1].done[-1:]
        return last[0] if last and isinstance(last[0], Finish | Impossible) else None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """Every model call, including those of a decision beyond the step limit."""
        return RecordedTuple((*(call for step in self.steps for call in step.calls), *self.unused))

    @property
    def user_calls(self) -> tuple[ModelCall, ...]:
        """Every call of the model that plays the user; none of them is among `calls`."""
        return RecordedTuple(call for step in self.steps for call in step.user_calls)

    @property
    def is_metered(self) -> bool | None:
        """Whether a program's model calls were observed; None for other agents.

        A program that acted without an observed call may have called models by other means.
        """
        return None if self.program is None else bool(self.calls or not self.actions)

    @property
    def totals(self) -> Totals:
        """The total cost of all model calls."""
        return totals(self.calls)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that the phone reported in all steps, in order."""
        return RecordedTuple(event for step in self.steps for event in step.events)

    @property
    def crashes(self) -> tuple[Crash, ...] | None:
        """The app crashes, in order; None if the phone's log could not be read."""
        found = RecordedTuple(crash for step in self.steps for crash in step.crashes)
        return found if found or self.is_logged else None

    @property
    def seconds_thinking(self) -> float:
        """The seconds that the agent spent thinking, over all steps."""
        return sum(step.seconds_thinking for step in self.steps)

    @property
    def seconds_acting(self) -> float:
        """The seconds spent on acting and waiting for the screen, over all steps."""
        return sum(step.seconds_acting for step in self.steps)

    def prefix(self, steps: int) -> Self:
        """Return the episode as it was after its first `steps` decisions, not yet ended.

        The values of measures are known at the start and at the end only.
        """
        if steps >= len(self.steps):
            return self
        last = self.steps[steps].screen
        known = {} if steps else {name: self.initial_probes[name] for name in self.measured}
        return replace(
            self,
            screen=last.own,
            covered=None if last.beneath is None else last,
            steps=self.steps[:steps],
            termination=Termination.INTERRUPTED,
            error="",
            unused=(),
            measured=known,
            side_effects=None,
        )

    def rest(self, steps: int) -> Self:
        """Return the episode as if it had begun after its first `steps` decisions."""
        if steps <= 0 or not self.steps:
            return self
        count = min(steps, len(self.steps))
        before, began = self.steps[count - 1].probes, self.screens[count].time or self.started
        return replace(self, steps=self.steps[count:], initial_probes=before, started=began)

    def probe(self, name: str) -> Value:
        """Return the value of one of the task's probes or measures after the last step.

        Raises:
            UnknownProbeError: if the task has no such probe.
        """
        probes = self.steps[-1].probes if self.steps else self.initial_probes
        return _probe(name, {**probes, **self.measured})

    def initial_probe(self, name: str) -> Value:
        """Return the value of one of the task's probes before the first step (see `probe`)."""
        return _probe(name, self.initial_probes)


_PROBES = ("probes", "initial_probes", "measured")


def _hand_out(record: Step | EpisodeRecord, *names: str) -> None:
    """Wrap the named fields so that looking up a missing key or item fails the check."""
    for name in names:
        value = getattr(record, name)
        if isinstance(value, tuple):
            value = value if isinstance(value, RecordedTuple) else RecordedTuple(value)
        elif name in _PROBES:  # the names are the author's, so they are not wrapped
            value = {probe: to_recorded(read) for probe, read in value.items()}
        else:
            value = to_recorded(value)
        object.__setattr__(record, name, value)


class UnknownProbeError(TaskError, KeyError):
    """The task has no such probe."""

    __str__ = Exception.__str__  # KeyError's own prints the repr


def _probe(name: str, probes: Mapping[str, Value]) -> Value:
    if name not in probes:
        has = f"it has: {', '.join(sorted(probes)) or 'none'}"
        what = f"the task has no probe {name!r} ({has}); name it in @task(…, probes={{…}})"
        raise UnknownProbeError(what)
    return probes[name]
