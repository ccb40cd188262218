"""The phone as driven by an agent that has its own loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.agent import Reply, StepInstructions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.observation import Observation


class EpisodeOver(BaseException):
    """The episode has ended: by a limit, or because the agent has reported.

    Not an Exception, so that a loop that catches every error still ends.
    """


class Channel:
    """The way from an agent to the session that it drives.

    `first` is what was seen before the first decision; `exchange` passes a decision on, and returns
    what was seen after it, None when the episode is over.
    """

    def __init__(self, first: Observation, exchange: Callable[[Reply], Observation | None]) -> None:
        self._last: Observation | None = first
        self._exchange = exchange
        self._told: StepInstructions | None = None

    def follow(self, told: StepInstructions) -> None:
        """Add what the user says unasked to the agent's instructions, from now on."""
        self._told = told
        told.add(self.observation().told)

    def observation(self) -> Observation:
        """Return what was seen after the last decision.

        Raises:
            EpisodeOver: the episode has ended.
        """
        if self._last is None:
            raise EpisodeOver
        return self._last

    def decide(self, reply: Reply) -> Observation:
        """Carry out a decision, and return what was seen after it.

        Raises:
            EpisodeOver: the episode has ended, by this decision or before.
        """
        if self._last is not None:
            self._last = self._exchange(reply)
            if self._told is not None and self._last is not None:
                self._told.add(self._last.told)
        return self.observation()


class Phone:
    """The phone that an agent's own loop looks at and acts on."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def observe(self) -> Observation:
        """Return the screen as it was when it had settled after the last action.

        `act(Wait(seconds))` shows what it has become since.
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
        """Do one action, or several in a row, as one step; return what is seen then.

        With `counts=False` it is a mere look around, which is not a step (see `Reply`).

        Raises:
            EpisodeOver: the episode has ended, by this step or before.
        """
        return self._channel.decide(Reply(action, said, calls, counts))


def drive(agent: Any, briefing: Briefing, channel: Channel) -> str:
    """Run an agent of either style until the episode is over or its loop returns an answer.

    Raises:
        EpisodeOver: the episode has ended.
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
