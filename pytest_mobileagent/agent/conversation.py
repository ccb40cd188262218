"""The exchange between a running agent and its session, which runs it in a thread or a process.

The agent's side of a process is here, the worker's in `process`. Messages to an agent's process are
pickled tuples; those from it, whose code is not trusted, are JSON, which runs no code when read.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import json
import os
import pickle
import queue
import socket
import sys
import threading
import time
import traceback
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.action import ACTIONS, from_json, to_json
from pytest_mobileagent.agent.agent import Reply
from pytest_mobileagent.agent.options import facts_of, options_of
from pytest_mobileagent.agent.phone import Channel, EpisodeOver, drive
from pytest_mobileagent.agent.registry import load_agent
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.observation import Observation
from pytest_mobileagent.errors import AgentError, TaskError, in_one_line
from pytest_mobileagent.jsonable import to_line, to_wire
from pytest_mobileagent.llm.budget import BudgetSpent
from pytest_mobileagent.llm.model import ModelUnavailable
from pytest_mobileagent.llm.providers import prepare
from pytest_mobileagent.processes import become_subreaper, die_with_parent
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.agent.agent import Briefing


class TimeIsUpError(Exception):
    """The agent did not answer in time."""


class KilledError(AgentError):
    """The agent's process was killed, and not from here."""


@dataclass(frozen=True, slots=True)
class Work:
    """How an agent's work ended, from the agent's side.

    - `answer`: what its own loop returned; None if the episode was over before.
    - `error`: its exception, on one line, or how its process ended, or ""; `trace`: the traceback.
    - `complaint`: the error raised when closing it.
    - `broken_task`: the flaw that a scripted solution found in the task.
    - `budget`: the budget that was spent; `infrastructure`: why a model could not be called.
      Neither is the agent's failure.
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
            TimeIsUpError: if the agent did not answer within `seconds`.
        """

    def send(self, observation: Observation | None) -> None:
        """Send the observation after a decision; None means that the episode is over."""

    def end(self) -> None:
        """End the agent, whatever it is doing, and everything that it has started."""


def work(make_agent: Any, briefing: Briefing, channel: Channel, *, scripted: bool = False) -> Work:
    """Create an agent, run it, close it, and return how its work ended.

    Only a `scripted` agent can blame the task for its errors.
    """
    agent: Any = None
    ended = Work()
    try:
        agent = make_agent()
        ended = Work(drive(agent, briefing, channel))
    except EpisodeOver:
        pass
    except BudgetSpent as caught:
        ended = Work(budget=str(caught))
    except ModelUnavailable as caught:
        ended = Work(infrastructure=str(caught))
    except BaseException as caught:  # noqa: BLE001 - whatever an agent raises is its failure
        broken = caught if scripted and isinstance(caught, TaskError) else None
        trace = "".join(traceback.format_exception(caught))
        ended = Work(error=in_one_line(caught), trace=trace, broken_task=broken)
    try:
        getattr(agent, "close", lambda: None)()
    except (EpisodeOver, BudgetSpent, ModelUnavailable):
        pass
    except BaseException as caught:  # noqa: BLE001 - likewise
        ended = replace(ended, complaint=f"the agent could not be closed: {in_one_line(caught)}")
    return ended


_NOTICE = 0.5  # maximum seconds until Ctrl-C is noticed


class ThreadConversation:
    """A `Conversation` with an agent in a thread, which is abandoned if it does not return.

    All calls of the agent are made in the same thread, which some libraries require.
    """

    def __init__(self, make_agent: Callable[[], Any], *, scripted: bool = False) -> None:
        self._make_agent, self._scripted = make_agent, scripted
        self._from_agent: queue.SimpleQueue[dict[str, Any] | Work] = queue.SimpleQueue()
        self._to_agent: queue.SimpleQueue[Observation | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def begin(self, briefing: Briefing, observation: Observation) -> None:
        """Start the thread."""
        channel = Channel(observation, self._exchange)

        def target() -> None:
            with contextlib.suppress(SystemExit):  # raised by `end`
                done = work(self._make_agent, briefing, channel, scripted=self._scripted)
                self._from_agent.put(done)

        self._thread = threading.Thread(target=target, name="mobile-agent", daemon=True)
        self._thread.start()

    def receive(self, seconds: float) -> Reply | Work:
        """Return the agent's next decision, or how its work ended."""
        ends = time.monotonic() + seconds
        while True:
            # A signal that arrives just before a wait begins is noticed only after the wait.
            left = max(0.0, ends - time.monotonic())
            try:
                message = self._from_agent.get(timeout=min(_NOTICE, left))
            except queue.Empty:
                if left <= _NOTICE:
                    raise TimeIsUpError from None
            else:
                return message if isinstance(message, Work) else unpack_reply(message)

    def send(self, observation: Observation | None) -> None:
        """Send an observation; None means that the episode is over."""
        self._to_agent.put(observation)

    def _exchange(self, reply: Reply) -> Observation | None:
        # In the agent's thread, so that an error caused by an invalid reply is the agent's failure.
        self._from_agent.put(pack_reply(reply))
        return self._to_agent.get()

    def end(self) -> None:
        """End the thread if it runs Python code; one that blocks in C runs until it returns."""
        self._to_agent.put(None)
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(0.05)
        if self._thread is not None and self._thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(SystemExit)
            )


_STREAMS = b"s"
PROBE = "probe"  # asked and answered, to show that a waiting process has not been stopped
END = "end"  # asks for the exit functions; answered when they are done
# The fields that describe how an agent's work has ended.
WORK = ("answer", "error", "trace", "complaint", "budget", "infrastructure")


def send_to_agent(connection: Connection, kind: str, *content: Any) -> None:
    """Send the agent's process an object."""
    connection.send_bytes(pickle.dumps((kind, *content), pickle.HIGHEST_PROTOCOL))


def receive_in_agent(connection: Connection) -> tuple[Any, ...]:
    """Return what the worker has sent, in the agent's process."""
    received: tuple[Any, ...] = pickle.loads(connection.recv_bytes())  # noqa: S301 - from our parent
    return received


def send_streams(connection: Connection, descriptors: list[int]) -> None:
    """Send the agent's process its new standard output and error."""
    with socket.socket(fileno=os.dup(connection.fileno())) as stream:
        socket.send_fds(stream, [_STREAMS], descriptors)


def take_streams(connection: Connection) -> None:
    """Receive the streams of `send_streams` as this process's standard output and error."""
    with socket.socket(fileno=os.dup(connection.fileno())) as stream:
        _, descriptors, _, _ = socket.recv_fds(stream, len(_STREAMS), 2)
    for number, descriptor in enumerate(descriptors, 1):
        os.dup2(descriptor, number)
        os.close(descriptor)


def send_to_worker(connection: Connection, kind: str, **content: Any) -> None:
    """Send the worker plain data."""
    connection.send_bytes(to_line({"kind": kind, **content}).encode())


def receive_in_worker(connection: Connection) -> dict[str, Any]:
    """Return what the agent's process has sent.

    Raises:
        ValueError: if the data is not a message.
    """
    message = json.loads(connection.recv_bytes())
    if not isinstance(message, dict) or "kind" not in message:
        raise ValueError("the agent's process sent invalid data")
    return message


def pack_observation(observation: Observation) -> tuple[Any, ...]:
    """Return an observation without the data derived from its screen here."""
    seen = [observation.screen, *([observation.before] if observation.before else [])]
    screens = [
        ((s.xml, s.png, s.package, s.activity, s.time, s.where), (s.extent, s.notice)) for s in seen
    ]
    return (screens, observation.reply, observation.notice, observation.done, observation.told)


def unpack_observation(packed: tuple[Any, ...]) -> Observation:
    """Return the observation that was packed."""
    screens, reply, notice, done, told = packed
    screen, *before = [
        replace(Screen(*known), extent=extent, notice=unseen) for known, (extent, unseen) in screens
    ]
    return Observation(screen, reply, notice, before[0] if before else None, done, told)


def pack_reply(reply: Reply) -> dict[str, Any]:
    """Return a decision as plain data, or its flaw if it has one (see `flaw`)."""
    if problem := flaw(reply):
        return {"flaw": problem}
    packed = {
        "actions": [to_json(action) for action in reply.actions],
        "said": str(reply.said),
        "calls": [call.to_json() for call in reply.calls],
        "counts": bool(reply.counts),
    }
    return dict(to_wire(packed))


def flaw(reply: Reply) -> str:
    """Return what in a decision is not an action or a call; "" if nothing is wrong."""
    for action in reply.actions:
        if type(action) not in ACTIONS:
            return f"{action!r} is not an action (it is of type {type(action).__name__})"
    if not isinstance(reply.calls, list | tuple):
        return f"the calls of a reply must be a list of ModelCalls, not {reply.calls!r}"
    for call in reply.calls:
        if not isinstance(call, ModelCall):
            return f"the calls of a reply must be ModelCalls, not {call!r}"
    return ""


def unpack_reply(packed: dict[str, Any]) -> Reply:
    """Return the decision that was packed.

    Raises:
        AgentError: if the decision contains something that is not an action or a call.
    """
    if "flaw" in packed:
        raise AgentError(str(packed["flaw"]))
    actions = [from_json(action) for action in packed["actions"]]
    calls = [ModelCall.from_json(call) for call in packed["calls"]]
    return Reply(actions, packed["said"], calls, packed["counts"])


def main(descriptor: int, parent: int) -> None:
    """Load an agent and play episodes, until the worker closes the connection or is gone."""
    die_with_parent()
    become_subreaper()  # adopt orphans of the agent's processes, where supported
    if os.getppid() != parent:  # the worker has already died
        os._exit(0)
    connection = Connection(descriptor)
    # Processes that the agent starts neither use the connection nor keep it open.
    os.set_inheritable(connection.fileno(), False)
    os.register_at_fork(after_in_child=connection.close)
    status = 1
    try:
        _, reference, folders, given, choice, models = receive_in_agent(connection)
        make_agent = _load(connection, reference, folders, given, choice)
        if models and getattr(make_agent, "roles", ()):
            prepare(models)  # while the device is being prepared
        here, streams = os.getcwd(), (sys.stdout, sys.stderr)  # noqa: PTH109
        while True:
            kind, *content = receive_in_agent(connection)
            if kind == PROBE:
                send_to_worker(connection, PROBE)
                continue
            if kind == END:
                # So that coverage.py saves its measurements; the agent's own are among them, and
                # threads that it has left behind are not waited for.
                with contextlib.suppress(BaseException):
                    atexit._run_exitfuncs()  # noqa: SLF001 - as multiprocessing before `os._exit`
                send_to_worker(connection, END)
                continue  # the process is then killed, together with everything that it has started
            briefing, packed = content
            take_streams(connection)
            channel = Channel(unpack_observation(packed), partial(_exchange, connection))
            options = options_of(make_agent, given)
            done = work(make_agent, replace(briefing, options=options), channel)
            fields = {name: getattr(done, name) for name in WORK}
            os.chdir(here)
            clean = threading.active_count() == 1 and _are_open(*streams)
            send_to_worker(connection, "work", **fields, clean=clean)
    except (EOFError, OSError):
        status = 0
    finally:
        os._exit(status)  # without waiting for threads that the agent has left behind


def _load(connection: Connection, reference: str, folders: list[Any], *facts: Any) -> Any:
    """Load the agent, and tell the worker what it is, or why it cannot be used."""
    try:
        agent = load_agent(reference, folders)
        about = facts_of(agent, *facts)
    except AgentError as error:
        send_to_worker(connection, "failed", error=str(error))
        raise EOFError(str(error)) from error
    send_to_worker(connection, "ready", **about)
    return agent


def _are_open(*streams: Any) -> bool:
    try:
        for stream in streams:
            os.fstat(stream.fileno())
    except (OSError, ValueError):  # the agent has closed it
        return False
    return (sys.stdout, sys.stderr) == streams


def _exchange(connection: Connection, reply: Reply) -> Observation | None:
    """Send the worker a decision, and return the observation after it."""
    send_to_worker(connection, "reply", **pack_reply(reply))
    _, packed = receive_in_agent(connection)
    return None if packed is None else unpack_observation(packed)
