"""Agents: given a goal and screens, an agent decides on actions.

Also the briefing that an agent receives before its first step, and agents that play a script: the
base class of the oracle, and of agents in tests.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, overload, runtime_checkable

from pytest_mobileagent._task import FULL
from pytest_mobileagent._task.solution import Move, Scene, golden_moves
from pytest_mobileagent._task.user import NO_USER, Questions, question_similarity
from pytest_mobileagent.action import Action, Finish
from pytest_mobileagent.errors import AgentError, NoSolutionError, TaskError, UnfitMoveError
from pytest_mobileagent.extras import how_to_install

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.dialect.dialect import Decision
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.observation import DeviceInfo, Observation
    from pytest_mobileagent.episode.published import PublishedSettings
    from pytest_mobileagent.llm.model import Model, Models
    from pytest_mobileagent.screen import Screen


class Endpoint(NamedTuple):
    """The address of a provider's models in one episode, for an agent that uses its own SDK.

    It leads to a port of the worker that plays the episode, which records, prices and limits the
    calls and forwards them with the real key. The token replaces the provider's key. Both are
    worthless after the episode.
    """

    base_url: str
    token: str

    def __repr__(self) -> str:
        """Return the address without the parts that would allow others to use it."""
        host = self.base_url.partition("://")[2].partition("/")[0]
        return f"Endpoint(http://{host})"


@dataclass(frozen=True, slots=True)
class Briefing:
    """A goal, and everything else an agent may know before it sees the screen.

    - `goal`: the task in words; `language`: the language of the goal ("en").
    - `device`: model, Android version, size and so on; `apps`: the packages that the task involves.
    - `seed`: differs between tasks and between epochs, and is the same whenever a run is repeated.
    - `options`: an instance of the agent's `Options`, with the values of `--mobile-agent-option`.
    - `folder`: the episode's own folder, for files that the agent wants to keep.
    - `instructions`: step-by-step instructions, if the task has them beside its goal; with
      `--mobile-user=told`, what the user says at each step (see `StepInstructions`).
    - `installed`: the packages of all apps on the device.
    - `ocr`: the OCR engine to use ("rapidocr"), for `pytest_mobileagent.screen.ocr`.
    - `models` and `port` are used by `model` and `endpoint`.
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
        """Return the model chosen for a role; its cost is recorded automatically.

        Raises:
            AgentError: if no model was chosen for the role.
        """
        if self.models is None:
            msg = f"no model was chosen for the role {role!r}: use --mobile-model=PROVIDER:NAME"
            raise AgentError(msg)
        return self.models.model(role)

    def endpoint(self, provider: str) -> Endpoint:
        """Return the endpoint of a provider ("openai"), for an SDK that the agent uses itself.

        Calls to it are recorded, priced, limited, cached and scripted like those of `model`; the
        SDK chooses the model. External programs use the same port.

        Raises:
            AgentError: if there is no such provider, or no key for it.
        """
        if not self.port:
            why = f"it needs the extra [models]: {how_to_install('models')}"
            raise AgentError(f"briefing.endpoint({provider!r}): {why}")
        return _request_endpoint(self.port, provider)


_ENDPOINT_SECONDS = 60.0  # the first request loads libraries


def _request_endpoint(port: str, provider: str) -> Endpoint:
    """Return the endpoint of a provider, from an episode's `port`.

    Raises:
        AgentError: if there is no such provider, it has no key, or the episode is over.
    """
    import urllib.error
    import urllib.request  # slow to import, and few agents use SDKs of their own

    request = urllib.request.Request(  # noqa: S310 - the harness names it
        port, json.dumps({"provider": str(provider)}).encode(), {"Content-Type": "application/json"}
    )
    # It is on this machine, whatever proxy the agent's other traffic uses.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_ENDPOINT_SECONDS) as reply:
            answer = json.loads(reply.read())
        return Endpoint(str(answer["base_url"]), str(answer["token"]))
    except urllib.error.HTTPError as error:
        with error:
            why = error.read().decode("utf-8", "replace")
        raise AgentError(f"briefing.endpoint({provider!r}): {why}") from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        msg = f"briefing.endpoint({provider!r}): the episode's port does not answer ({error})"
        raise AgentError(msg) from None


class StepInstructions(Sequence[str]):
    """Instructions that grow with each observation, by what the user then says without being asked.

    Agents use the instruction of the current step. If that step has none, the sequence is one
    shorter, so that nothing is added to the goal.
    """

    def __init__(self, instructions: Sequence[str] = ()) -> None:
        self._given = tuple(instructions)
        self._texts: list[str] = []

    def add(self, message: str) -> None:
        """Add what the user says with the next observation."""
        given = self._given[len(self._texts) : len(self._texts) + 1]
        self._texts.append("\n".join(text for text in (*given, message) if text))

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
    """One decision: what to do next, the agent's text about it, and its model calls.

    `action` is one action, or several to be performed in order on the same screen; none if no
    action could be parsed from the model's text, which still counts as a step.

    `calls` are model calls that the agent makes by other means than `Briefing.model`, whose calls
    are recorded automatically. With `counts=False` the decision only looks around, and is part of
    the next step: only scrolling, swiping and waiting are permitted then.
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
    """A program that works towards a goal on a phone; each episode gets a new instance.

    Subclass it, and define either `start` and `step`, which is called for every decision, or
    `run(briefing, phone)`, a loop of the agent's own that returns the answer (or None) and whose
    `phone` raises `EpisodeOver` at a limit. The options for `--mobile-agent-option` are declared in
    a nested class, with annotations and defaults::

        class Options:
            history: int = 3

    `roles` names the roles in which the agent calls models ("actor", "planner", …), so that a
    missing model is reported before a device starts; it is empty for agents without models.
    `endpoints` names the providers that it calls with its own SDKs (see `Briefing.endpoint`);
    missing keys are reported equally early, and keys stay out of its process. `extras` names the
    extras of pytest-mobileagent that it needs ("vision"), which are also checked early. `asks` says
    whether it may ask the user: if not, a run whose tasks have a user who answers points that out.

    `sees` names the parts of a screen that it needs: its "screenshot", its "hierarchy" or both. All
    phones provide them; recorded pages may lack one. With `mobile_screenshots=needed`, an agent
    that names only the hierarchy gets no screenshots.

    `published` states, by the names of presets, what the authors of a published agent ran it with.
    """

    roles: ClassVar[Sequence[str]] = ()
    endpoints: ClassVar[Sequence[str]] = ()
    extras: ClassVar[Sequence[str]] = ()
    sees: ClassVar[Sequence[str]] = ()
    asks: ClassVar[bool] = True
    published: ClassVar[Mapping[str, PublishedSettings]] = MappingProxyType({})

    class Options:
        """The options that an agent declares; none by default."""

    @classmethod
    def check_model(cls, model: str, options: Any) -> None:
        """Check that the agent can use a model (PROVIDER:NAME), before a device starts.

        Called for the model of each role, with the agent's options; not for scripted models.

        Raises:
            ValueError: if it cannot; the message says which model or option to choose.
        """

    def start(self, briefing: Briefing) -> None:
        """Receive the goal and the rest of the briefing. Called once, before the first step."""

    def step(self, observation: Observation) -> Action | Sequence[Action] | Reply:
        """Decide what to do next; `Finish` or `Impossible` end the episode."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what `start` acquired. Called once, however the episode ended."""


@runtime_checkable
class KnowsTask(Protocol):
    """An agent that receives the task itself, such as one that plays its solution."""

    def assign_task(self, task: Task, values: Mapping[str, Any]) -> None:
        """Receive the task, and the values of its placeholders. Called once, before `start`."""


class Scripted(Agent):
    """Plays the moves of a task's solution one by one, then reports that it is done.

    A task without a solution is played by its golden actions.

    Raises:
        TaskError: if the task has neither, or a move does not fit the screen it meets.
    """

    def assign_task(self, task: Task, values: Mapping[str, Any]) -> None:
        """Take the moves from the task."""
        self._apps = task.packages
        self._values = dict(values)
        self._moves = self.moves(task)
        self._origin = " of the solution" if task.solution else ""
        if task.variant == FULL:
            self._values |= known_answers(task, values)
            self._moves = [move for move in self._moves if move.asks is None]
        self._screens: tuple[Screen, ...] = ()
        self._played = 0
        self._asked: tuple[str, str, str] | None = None

    def moves(self, task: Task) -> Sequence[Move]:
        """Return the moves to play: the whole solution, or else the golden actions."""
        if not task.solution and not task.golden:
            raise NoSolutionError(
                "the task has no solution to play, and no golden actions: add either with "
                "@task(…, solution=[…]) or golden=[…]"
            )
        return task.moves(self._values) or golden_moves(task.golden)

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
            msg = f"move {number + 1}{self._origin}, {move}, does not fit: {error}"
            raise UnfitMoveError(msg) from error

    def _next(self, scene: Scene) -> int:
        """Return the index of the next move, skipping those that are already done."""
        for number in range(self._played, len(self._moves)):
            done = self._moves[number].done
            if done is None or not done(scene):
                return number
        return len(self._moves)


def known_answers(task: Task, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a solution's question placeholders, for episodes without questions.

    Raises:
        TaskError: if a question has no answer among those of `user=questions([…])`.
    """
    user = task.user if isinstance(task.user, Questions) else Questions()
    found: dict[str, str] = {}
    left = list(user.pairs)  # no answer is used twice
    for move in task.fixed_solution:
        if move.asks is None:
            continue
        question, name, _ = move.asks
        best = max(left, key=lambda one: question_similarity(question, one.question), default=None)
        if best is None or question_similarity(question, best.question) < user.threshold:
            msg = f"its solution asks {question!r}, but no pair of user=questions([…]) answers it"
            raise TaskError(msg)
        left.remove(best)
        found[name] = best.filled(values).answer
    return found
