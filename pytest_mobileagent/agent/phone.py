"""The phone as used by an agent that has its own loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.agent import Reply, StepInstructions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.observation import Observation


class EpisodeOver(BaseException):
    """The episode has ended: at a limit, or because the agent has reported.

    This is not an Exception, so that a loop that catches every error still ends.
    """


class Channel:
    """The connection from an agent to its session.

    `first` is the observation before the first decision; `exchange` sends a decision, and returns
    the next observation, or None when the episode is over.
    """

    def __init__(self, first: Observation, exchange: Callable[[Reply], Observation | None]) -> None:
        self._last: Observation | None = first
        self._exchange = exchange
        self._instructions: StepInstructions | None = None

    def follow(self, instructions: StepInstructions) -> None:
        """Add what the user says without being asked to the agent's instructions, from now on."""
        self._instructions = instructions
        instructions.add(self.observation().told)

    def observation(self) -> Observation:
        """Return the observation after the last decision.

        Raises:
            EpisodeOver: if the episode has ended.
        """
        if self._last is None:
            raise EpisodeOver
        return self._last

    def decide(self, reply: Reply) -> Observation:
        """Perform a decision, and return the observation after it.

        Raises:
            EpisodeOver: if the episode has ended, by this decision or before.
        """
        if self._last is not None:
            self._last = self._exchange(reply)
            if self._instructions is not None and self._last is not None:
                self._instructions.add(self._last.told)
        return self.observation()


class Phone:
    """The phone that an agent's own loop observes and acts on."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def observe(self) -> Observation:
        """Return the screen as it settled after the last action.

        For a later screen, call `act(Wait(seconds))`.
        """
        return self._channel.observation()

    def act(
        self,
        action: Action | Sequence[Action],
        said: str = "",
        calls: Sequence[ModelCall] = (),
        *,
        counts: bool = True,
    ) -> Observation:
        """Perform one action, or several in a row, as one step; return the next observation.

        With `counts=False` this only looks around, and is not a step (see `Reply`).

        Raises:
            EpisodeOver: if the episode has ended, by this step or before.
        """
        return self._channel.decide(Reply(action, said, calls, counts))


def drive(agent: Any, briefing: Briefing, channel: Channel) -> str:
    """Run an agent of either style until the episode is over or its loop returns an answer.

    Raises:
        EpisodeOver: if the episode has ended.
    """
    if isinstance(briefing.instructions, StepInstructions):
        channel.follow(briefing.instructions)
    if callable(getattr(agent, "run", None)):
        answer = agent.run(briefing, Phone(channel))
        return "" if answer is None else str(answer)
    agent.start(briefing)
    observation = channel.observation()
    while True:
        decided = agent.step(observation)
        reply = decided if isinstance(decided, Reply) else Reply(decided)
        observation = channel.decide(reply)
