"""What an agent is: given a goal and shown screens, it decides actions.

What an agent is given before its first step.

Agents that play a script: the base of the oracle, and of agents in tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, overload, runtime_checkable

from pytest_mobileagent.action.action import Action, Finish
from pytest_mobileagent.errors import AgentError, NoSolutionError, TaskError, UnfitMoveError
from pytest_mobileagent.extras import how_to_install
from pytest_mobileagent.task.solution import Move, Scene
from pytest_mobileagent.task.task import FULL
from pytest_mobileagent.task.user import NO_USER, Questions, alike

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.agent.endpoint import Endpoint
    from pytest_mobileagent.dialect.dialect import Decision
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.observation import DeviceInfo, Observation
    from pytest_mobileagent.llm.model import Model, Models
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.task.task import Task


@dataclass(frozen=True, slots=True)
class Briefing:
    """A goal, and everything else an agent may know before it sees the screen.

    - `goal`: the task in words; `language`: the language it is in ("en").
    - `device`: model, Android's version, size and the like; `apps`: the packages the task is about.
    - `seed`: differs from task to task and from epoch to epoch, and is the same each time the same
      run is made.
    - `options`: an instance of the agent's `Options`, with what `--mobile-agent-option` gave.
    - `folder`: a folder of the episode's own, for files that the agent wants to keep.
    - `instructions`: what to do step by step, where the task says that beside its goal; with
      `--mobile-user=told`, what the user says at each step (see `StepInstructions`).
    - `installed`: the packages of all apps that the device has.
    - `ocr`: the OCR engine to use ("rapidocr"), for `pytest_mobileagent.screen.ocr`.
    - `models` and `port` are what `model` and `endpoint` go by.
    """

    goal: str
    device: DeviceInfo
    apps: tuple[str, ...]
    seed: int
    folder: Path
    language: str = "en"
    options: Any = field(default=None)
    instructions: Sequence[str] = ()
    installed: frozenset[str] = frozenset()
    ocr: str = "rapidocr"
    models: Models | None = field(default=None, repr=False)
    port: str = field(default="", repr=False)

    def model(self, role: str = "actor") -> Model:
        """Return the model that was chosen for a role; its cost is counted automatically.

        Raises:
            AgentError: no model was chosen for it.
        """
        if self.models is None:
            msg = f"no model was chosen for the role {role!r}: --mobile-model=PROVIDER:NAME"
            raise AgentError(msg)
        return self.models.model(role)

    def endpoint(self, provider: str) -> Endpoint:
        """Return where an SDK of the agent's own finds a provider's models ("openai").

        Calls that go there are recorded, priced, limited, cached and scripted like those of
        `model`; the SDK chooses the model. It is the port that programs from outside get.

        Raises:
            AgentError: there is no such provider, or no key for it.
        """
        if not self.port:
            why = f"it needs the extra [models]: {how_to_install('models')}"
            raise AgentError(f"briefing.endpoint({provider!r}): {why}")
        from pytest_mobileagent.agent.endpoint import request_endpoint  # loads urllib.request

        return request_endpoint(self.port, provider)

    def with_options(self, options: Any) -> Briefing:
        """Return the briefing with an instance of the agent's options."""
        return replace(self, options=options)


class StepInstructions(Sequence[str]):
    """Instructions that grow with each observation, by what the user says then unasked.

    Agents take the instruction of the step that they are at. Where that has none, the last one is
    missing, so that nothing is put beside the goal.
    """

    def __init__(self, instructions: Sequence[str] = ()) -> None:
        self._given = tuple(instructions)
        self._texts: list[str] = []

    def add(self, told: str) -> None:
        """Take what is said with the next observation."""
        given = self._given[len(self._texts) : len(self._texts) + 1]
        self._texts.append("\n".join(text for text in (*given, told) if text))

    def __len__(self) -> int:
        return len(self._texts) - (bool(self._texts) and not self._texts[-1])

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return tuple(self._texts[: len(self)])[index]


@dataclass(frozen=True, slots=True)
class Reply:
    """One decision: what to do next, what the agent says about it, and its model calls.

    `action` is one action, or several to be done one after the other on what was seen; none if no
    action could be read from the model's text, which still counts as a step.

    `calls` are those of models that the agent asks by other means than `Briefing.model`, whose
    calls are counted by themselves. With `counts=False` the decision is a mere look around, which
    is part of the next step: only scrolling, swiping and waiting can be that.
    """

    action: Action | Sequence[Action]
    said: str = ""
    calls: Sequence[ModelCall] = ()
    counts: bool = True

    @classmethod
    def of(cls, decision: Decision) -> Reply:
        """Return a model's decision as an agent's reply, with the model's full text."""
        return cls(decision.actions, said=decision.words)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions as a sequence, even if there is only one."""
        several = isinstance(self.action, list | tuple)
        return tuple(self.action) if several else (self.action,)  # type: ignore[arg-type, return-value]


class Agent:
    """A program that works towards a goal on a phone; one instance lives for one episode.

    Subclass it, and give either `start` and `step`, which is asked for every decision, or
    `run(briefing, phone)`, a loop of the agent's own that returns the answer (or None) and whose
    `phone` raises `EpisodeOver` at a limit. The options that `--mobile-agent-option` gives are
    declared by a nested class, annotated and with defaults::

        class Options:
            history: int = 3

    `roles` names what it asks models as ("actor", "planner", …), so that a model which is not given
    is missed before a device starts; an agent that asks none has none. `endpoints` names the
    providers that it asks by SDKs of its own (see `Briefing.endpoint`), whose keys are missed as
    early and stay out of its process. `extras` names the extras of pytest-mobileagent that it needs
    ("vision"), which are missed as early, too. `asks` says whether it may ask the user: where tasks
    have one who answers, a run points out that an agent cannot.

    `sees` names what of a screen it cannot do without: its "screenshot", its "hierarchy" or both.
    All phones show them; recorded pages may lack one. With `--mobile-screenshots=needed`, an agent
    that names its hierarchy alone gets no screenshots.
    """

    roles: ClassVar[Sequence[str]] = ()
    endpoints: ClassVar[Sequence[str]] = ()
    extras: ClassVar[Sequence[str]] = ()
    sees: ClassVar[Sequence[str]] = ()
    asks: ClassVar[bool] = True

    class Options:
        """The options that an agent declares; none unless it says so."""

    def start(self, briefing: Briefing) -> None:
        """Take the goal, and what else there is to know. Called once, before the first step."""

    def step(self, observation: Observation) -> Action | Sequence[Action] | Reply:
        """Decide what to do next; `Finish` or `Impossible` end the episode."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what `start` acquired. Called once, however the episode ended."""


@runtime_checkable
class KnowsTask(Protocol):
    """An agent that is shown the task itself, such as one that plays its solution."""

    def assign_task(self, task: Task, values: Mapping[str, Any]) -> None:
        """Take the task, and what its placeholders stand for. Called once, before `start`."""


class Scripted(Agent):
    """Plays the moves of a task's solution one by one, then reports that it is done.

    Raises:
        TaskError: the task has no solution, or a move does not fit the screen it meets.
    """

    def assign_task(self, task: Task, values: Mapping[str, Any]) -> None:
        """Take the moves from the task."""
        self._apps = task.packages
        self._values = dict(values)
        self._moves = self.moves(task)
        if task.variant == FULL:
            self._values |= known_answers(task, values)
            self._moves = [move for move in self._moves if move.asks is None]
        self._screens: tuple[Screen, ...] = ()
        self._played = 0
        self._asked: tuple[str, str, str] | None = None

    def moves(self, task: Task) -> Sequence[Move]:
        """Return the moves to play: the whole solution."""
        if not task.solution:
            msg = "the task has no solution to play: give it one with @task(…, solution=[…])"
            raise NoSolutionError(msg)
        return task.solution

    def step(self, observation: Observation) -> Action:
        """Play the next move on this screen."""
        self._screens += (observation.screen,)
        if self._asked is not None:
            _, name, guess = self._asked
            answer = observation.reply
            self._values[name] = guess if answer in {None, NO_USER} else answer
        scene = Scene(self._screens, self._apps, self._values)
        number = self._next(scene)
        if number >= len(self._moves):
            return Finish()
        move = self._moves[number]
        self._asked = move.asks
        self._played = number + (move.done is None)
        try:
            return move.action(scene)
        except TaskError as error:
            msg = f"move {number + 1} of the solution, {move}, does not fit: {error}"
            raise UnfitMoveError(msg) from error

    def _next(self, scene: Scene) -> int:
        """Return the number of the next move, leaving out those that are done already."""
        for number in range(self._played, len(self._moves)):
            done = self._moves[number].done
            if done is None or not done(scene):
                return number
        return len(self._moves)


def known_answers(task: Task, values: Mapping[str, Any]) -> dict[str, str]:
    """Return what the names of a solution's questions stand for where nobody is asked.

    Raises:
        TaskError: a question has no answer among those that `user=questions([…])` has.
    """
    user = task.user if isinstance(task.user, Questions) else Questions()
    found: dict[str, str] = {}
    left = list(user.pairs)  # no answer is given twice
    for move in task.solution:
        if move.asks is None:
            continue
        question, name, _ = move.asks
        best = max(left, key=lambda pair: alike(question, pair.question), default=None)
        if best is None or alike(question, best.question) < user.threshold:
            msg = f"its solution asks {question!r}, and no pair of user=questions([…]) answers that"
            raise TaskError(msg)
        left.remove(best)
        found[name] = best.filled(values).answer
    return found
