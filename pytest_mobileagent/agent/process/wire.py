"""The messages between the worker and an agent's process.

To the agent: pickled tuples. From the agent, whose code is not trusted: JSON, so that receiving a
message runs no code of the agent.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import ACTIONS, from_json, to_json
from pytest_mobileagent.agent.agent import Reply
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.observation import Observation
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.jsonable import to_line, to_wire
from pytest_mobileagent.screen.screen import Screen

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

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
