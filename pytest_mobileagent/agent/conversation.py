"""The exchange between a running agent and its session, and agents that run in a thread.

An agent in a process of its own is in `process.host`.
"""

from __future__ import annotations

import contextlib
import ctypes
import queue
import threading
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.agent.phone import Channel, EpisodeOver, drive
from pytest_mobileagent.agent.process.wire import pack_reply, unpack_reply
from pytest_mobileagent.errors import TaskError, in_one_line
from pytest_mobileagent.llm.budget import BudgetSpent
from pytest_mobileagent.llm.model import ModelUnavailable
from pytest_mobileagent.screen import ocr_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.agent.agent import Briefing, Reply
    from pytest_mobileagent.episode.observation import Observation


class TimeIsUpError(Exception):
    """The agent has not answered within its time."""


@dataclass(frozen=True, slots=True)
class Work:
    """How an agent's work ended, from the agent's side.

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
        """Start a new agent."""

    def receive(self, seconds: float) -> Reply | Work:
        """Return the agent's next decision, or how its work ended.

        Raises:
            TimeIsUpError: it has not answered in `seconds`.
        """

    def send(self, observation: Observation | None) -> None:
        """Send what was seen after the decision; None means that the episode is over."""

    def end(self) -> None:
        """End the agent, whatever it is doing, and everything it has started."""


def work(make_agent: Any, briefing: Briefing, channel: Channel, *, scripted: bool = False) -> Work:
    """Create an agent, run it, close it, and return how that ended.

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


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


_NOTICE = 0.5  # seconds until Ctrl-C is noticed, at most


class ThreadConversation:
    """A `Conversation` with an agent in a thread, which is left behind when it does not return.

    All calls of the agent are made in the same thread, since some libraries insist on that.
    """

    def __init__(self, make_agent: Callable[[], Any], *, scripted: bool = False) -> None:
        self._make_agent = make_agent
        self._scripted = scripted
        self._said: queue.SimpleQueue[dict[str, Any] | Work] = queue.SimpleQueue()
        self._seen: queue.SimpleQueue[Observation | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def begin(self, briefing: Briefing, observation: Observation) -> None:
        """Start the thread."""
        channel = Channel(observation, self._exchange)

        def target() -> None:
            ocr_store.share_only()
            with contextlib.suppress(SystemExit):  # raised by `end`
                done = work(self._make_agent, briefing, channel, scripted=self._scripted)
                self._said.put(done)

        self._thread = threading.Thread(target=target, name="mobile-agent", daemon=True)
        self._thread.start()

    def receive(self, seconds: float) -> Reply | Work:
        """Return the agent's next decision, or how its work ended."""
        ends = time.monotonic() + seconds
        while True:
            # A signal that comes just before a wait begins is only noticed once it is over.
            left = max(0.0, ends - time.monotonic())
            try:
                message = self._said.get(timeout=min(_NOTICE, left))
            except queue.Empty:
                if left <= _NOTICE:
                    raise TimeIsUpError from None
            else:
                return message if isinstance(message, Work) else unpack_reply(message)

    def send(self, observation: Observation | None) -> None:
        """Send what was seen; None means that the episode is over."""
        self._seen.put(observation)

    def _exchange(self, reply: Reply) -> Observation | None:
        # In the agent's thread, so that whatever an odd reply raises is the agent's failure.
        self._said.put(pack_reply(reply))
        return self._seen.get()

    def end(self) -> None:
        """End the thread if it runs Python code; one that blocks in C stays until it returns."""
        self._seen.put(None)
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(0.05)
        if self._thread is not None and self._thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(SystemExit)
            )
