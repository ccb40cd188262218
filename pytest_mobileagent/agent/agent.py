"""What an agent is: given a goal and shown screens, it decides actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.agent.briefing import Briefing
    from pytest_mobileagent.dialect.dialect import Decision
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.record import Observation
    from pytest_mobileagent.task.task import Task


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
    is missed before a device starts; an agent that asks none has none. `extras` names the extras of
    pytest-mobileagent that it needs ("vision"), which are missed as early.
    """

    roles: ClassVar[Sequence[str]] = ()
    extras: ClassVar[Sequence[str]] = ()

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
