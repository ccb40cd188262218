"""The loop that makes an episode: the agent sees a screen, acts, and sees the next."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Action, ends_episode
from pytest_mobileagent.action.valid import check
from pytest_mobileagent.agent.agent import KnowsTask, Reply, Usage
from pytest_mobileagent.agent.thread import AgentThread, TimeLimitError
from pytest_mobileagent.episode.episode import Termination
from pytest_mobileagent.errors import AgentError, DeviceError, ScreenError, TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.agent.agent import Agent
    from pytest_mobileagent.device.device import Capture, Device
    from pytest_mobileagent.episode.store import Recorder
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.task.task import Task


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task with everything filled in, and the limits that the agent has to keep."""

    task: Task
    goal: str
    values: Mapping[str, Any]
    step_limit: int
    time_limit: float
    seed: int


@dataclass(frozen=True, slots=True)
class _Ending:
    termination: Termination
    error: str = ""
    unused: Usage = field(default_factory=Usage)


def play(
    make_agent: Callable[[], Agent],
    device: Device,
    assignment: Assignment,
    first: Capture,
    recorder: Recorder,
) -> None:
    """Let a new agent work on a task, and record it; `first` is the screen it starts from.

    Whatever the agent does wrong ends the episode and is recorded as its ending; what its `close`
    does wrong is recorded too, but leaves the ending as it was.

    Raises:
        InfrastructureError: the device broke, or the record cannot be written.
        TaskError: the task is broken.
    """
    started = time.monotonic()
    thread = AgentThread(assignment.time_limit)
    try:
        ending = _Play(make_agent, device, assignment, recorder, thread).run(first)
    finally:
        thread.close()
    seconds = time.monotonic() - started
    recorder.end(ending.termination, ending.error, seconds, ending.unused)


class _Play:
    """One episode while it is played."""

    def __init__(
        self,
        make_agent: Callable[[], Agent],
        device: Device,
        assignment: Assignment,
        recorder: Recorder,
        thread: AgentThread,
    ) -> None:
        self.make_agent = make_agent
        self.device = device
        self.assignment = assignment
        self.recorder = recorder
        self.thread = thread
        self.agent: Agent | None = None
        self.steps = 0

    def run(self, first: Capture) -> _Ending:
        try:
            ending = self.work(first)
        finally:
            complaint = self.let_go()
        return replace(ending, error=ending.error or complaint)

    def work(self, first: Capture) -> _Ending:
        look = self.look(first)
        try:
            self.thread.call(self.prepare)
            return self.steps_from(look)
        except TimeLimitError:
            limit = self.assignment.time_limit
            return _Ending(Termination.TIME_LIMIT, self._blame(f"{limit:g} seconds were over"))
        except AgentError as error:
            trace = "".join(traceback.format_exception(error.__cause__)) if error.__cause__ else ""
            return _Ending(Termination.AGENT_ERROR, f"{self._blame(str(error))}\n{trace}".strip())

    def look(self, observation: Capture, seconds: float = 0.0) -> Capture:
        """Record what the device shows; it is no fault of the agent's if that cannot be read."""
        look = self.recorder.look(observation, seconds)
        try:
            _ = look.screen.size, look.screen.root
        except ScreenError as error:
            msg = f"device {self.device.info.serial} shows no screen: {error} ({look.screen.where})"
            raise DeviceError(msg) from error
        return look

    def prepare(self) -> None:
        agent = self.agent = self.make_agent()
        agent.seed = self.assignment.seed
        if isinstance(agent, KnowsTask):
            agent.assign_task(self.assignment.task, self.assignment.values)
        agent.start(self.assignment.goal, self.device.info)

    def steps_from(self, look: Capture) -> _Ending:
        while True:
            before = time.monotonic()
            reply: Reply = self.thread.call(self.decide, look.screen)
            thought = time.monotonic()
            if self.steps == self.assignment.step_limit and not ends_episode(reply.action):
                self.recorder.events(self.device.events())
                return _Ending(Termination.STEP_LIMIT, unused=reply.usage)
            self.recorder.step(reply, thought - before)
            if ends_episode(reply.action):
                self.recorder.events(self.device.events())  # those that came late
                return _Ending(Termination.SELF_REPORTED)
            self.device.perform(reply.action)
            following = self.device.observe(self.assignment.task.probes)
            look = self.look(following, time.monotonic() - thought)
            self.recorder.events(self.device.events())
            self.steps += 1

    def decide(self, screen: Screen) -> Reply:
        assert self.agent is not None
        return _reply(self.agent.step(screen), screen.size)

    def let_go(self) -> str:
        """Close the agent, and say what was wrong with that."""
        try:
            self.thread.call(getattr(self.agent, "close", lambda: None))
        except (AgentError, TaskError) as error:
            return f"the agent could not be closed: {error}"
        except TimeLimitError:
            return "the agent could not be closed: its time was over"
        return ""

    def _blame(self, what: str) -> str:
        return f"the agent failed at step {self.steps + 1}: {what}"


def _reply(answer: Any, size: tuple[int, int]) -> Reply:
    reply = answer if isinstance(answer, Reply) else Reply(answer)
    try:
        action: Action = check(reply.action, size)
    except ValueError as error:
        raise AgentError(str(error)) from None
    if not isinstance(reply.usage, Usage):
        msg = f"the usage of a reply has to be a Usage, not {reply.usage!r}"
        raise AgentError(msg)
    return Reply(action, str(reply.said), reply.usage)
