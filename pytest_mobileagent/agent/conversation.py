"""What is said between an agent at work and the session that it drives, wherever the agent runs."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.action.action import ACTIONS
from pytest_mobileagent.agent.phone import EpisodeOver, drive
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.errors import TaskError, in_one_line
from pytest_mobileagent.llm.budget import BudgetSpent
from pytest_mobileagent.llm.failures import ModelUnavailable

if TYPE_CHECKING:
    from pytest_mobileagent.agent.agent import Reply
    from pytest_mobileagent.agent.briefing import Briefing
    from pytest_mobileagent.agent.phone import Channel
    from pytest_mobileagent.episode.observation import Observation


class TimeIsUpError(Exception):
    """The agent has not answered within its time."""


@dataclass(frozen=True, slots=True)
class Work:
    """How an agent's work came to its end, from the agent's side.

    - `answer`: what its own loop returned; None if the episode was over before.
    - `error`: what it raised, in one line, or how its process ended; empty if it did not.
      `trace` is the whole of that.
    - `complaint`: what was wrong with closing it.
    - `broken_task`: what a scripted solution found to be broken in the task.
    - `budget`: which budget was spent; `infrastructure`: why a model could not be asked. Neither is
      the agent's failure.
    """

    answer: str | None = None
    error: str = ""
    trace: str = ""
    complaint: str = ""
    broken_task: TaskError | None = None
    budget: str = ""
    infrastructure: str = ""


class Conversation(Protocol):
    """One episode's exchange with an agent that runs elsewhere."""

    def begin(self, briefing: Briefing, observation: Observation) -> None:
        """Let a new agent begin."""

    def receive(self, seconds: float) -> Reply | Work:
        """Return the agent's next decision, or how its work ended.

        Raises:
            TimeIsUpError: it has not answered in `seconds`.
        """

    def send(self, observation: Observation | None) -> None:
        """Give what was seen after the decision; None means that the episode is over."""

    def end(self) -> None:
        """End the agent, whatever it does, and all that it has started."""


def work(make_agent: Any, briefing: Briefing, channel: Channel, *, scripted: bool = False) -> Work:
    """Make an agent, let it work, close it, and say how that ended.

    Only an agent that is `scripted` can blame the task for what it raises.
    """
    agent: Any = None
    answer, error, trace, raised = None, "", "", None
    budget, infrastructure = "", ""
    try:
        agent = make_agent()
        answer = drive(agent, briefing, channel)
    except EpisodeOver:
        pass
    except BudgetSpent as caught:
        budget = str(caught)
    except ModelUnavailable as caught:
        infrastructure = str(caught)
    except BaseException as caught:  # noqa: BLE001 - whatever an agent raises is its failure
        error, trace, raised = in_one_line(caught), _trace(caught), caught
    complaint = ""
    try:
        getattr(agent, "close", lambda: None)()
    except (EpisodeOver, BudgetSpent, ModelUnavailable):
        pass
    except BaseException as caught:  # noqa: BLE001 - likewise
        complaint = f"the agent could not be closed: {in_one_line(caught)}"
    broken = raised if scripted and isinstance(raised, TaskError) else None
    return Work(answer, error, trace, complaint, broken, budget, infrastructure)


def flaw(reply: Reply) -> str:
    """Say what a decision holds that is no action or no call; empty if all is right."""
    for action in reply.actions:
        if type(action) not in ACTIONS:
            return f"{action!r} is not an action (it is of type {type(action).__name__})"
    if not isinstance(reply.calls, list | tuple):
        return f"the calls of a reply have to be a list of ModelCalls, not {reply.calls!r}"
    for call in reply.calls:
        if not isinstance(call, ModelCall):
            return f"the calls of a reply have to be ModelCalls, not {call!r}"
    return ""


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))
