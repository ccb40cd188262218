"""The agent's process: it loads the agent's class once, and plays one episode after another."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.conversation import (
    END,
    PROBE,
    WORK,
    pack_reply,
    receive_in_agent,
    send_to_worker,
    take_streams,
    unpack_observation,
    work,
)
from pytest_mobileagent.agent.options import facts_of, options_of
from pytest_mobileagent.agent.phone import Channel
from pytest_mobileagent.agent.registry import load_agent
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.llm.providers import prepare
from pytest_mobileagent.processes import become_subreaper, die_with_parent

if TYPE_CHECKING:
    from pytest_mobileagent.agent.agent import Reply
    from pytest_mobileagent.episode.observation import Observation


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
        # Without waiting for threads that the agent has left behind.
        os._exit(status)


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
