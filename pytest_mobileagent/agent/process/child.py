"""The agent's process: it loads the agent's class once, and plays one episode after the other."""

from __future__ import annotations

import os
import sys
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.agent import KnowsTask
from pytest_mobileagent.agent.conversation import in_one_line, work
from pytest_mobileagent.agent.options import as_dict, make_options
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.agent.process.wire import (
    pack_reply,
    receive_in_agent,
    send_to_worker,
    unpack_observation,
)
from pytest_mobileagent.agent.registry import UnknownAgentError, find_agent

if TYPE_CHECKING:
    from pytest_mobileagent.agent.agent import Reply
    from pytest_mobileagent.episode.observation import Observation


def main(descriptor: int) -> None:
    """Load an agent and play episodes, until the worker closes the connection or is gone."""
    _die_with_parent()
    connection = Connection(descriptor)
    status = 1
    try:
        _, reference, folders, given = receive_in_agent(connection)
        make_agent, options = _load(connection, reference, folders, given)
        while True:
            _, briefing, packed = receive_in_agent(connection)
            channel = _Channel(connection, unpack_observation(packed))
            done = work(make_agent, briefing.with_options(options(given)), channel)
            fields = {name: getattr(done, name) for name in ("answer", "error", "trace")}
            clean = threading.active_count() == 1
            send_to_worker(connection, "work", **fields, complaint=done.complaint, clean=clean)
    except (EOFError, OSError):
        status = 0
    finally:
        # Without waiting for threads that the agent has left behind.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _load(
    connection: Connection, reference: str, folders: list[Any], given: list[str]
) -> tuple[Any, Any]:
    try:
        agent = find_agent(reference, folders).load()
    except UnknownAgentError as error:
        raise _refused(connection, str(error)) from error
    except BaseException as error:
        what = f"--agent={reference} cannot be loaded: {in_one_line(error)}"
        raise _refused(connection, what) from error

    def options(words: list[str]) -> Any:
        return make_options(agent.__name__, getattr(agent, "Options", object), words)

    try:
        values = as_dict(options(given))
    except ValueError as error:
        raise _refused(connection, f"--mobile-agent-option {error}") from error
    knows_task = isinstance(agent, KnowsTask) or hasattr(agent, "assign_task")
    send_to_worker(connection, "ready", options=values, knows_task=knows_task)
    return agent, options


def _refused(connection: Connection, error: str) -> EOFError:
    send_to_worker(connection, "failed", error=error)
    return EOFError(error)


def _die_with_parent() -> None:
    """Let the system kill this process when the worker is gone, where it can."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415
        import signal  # noqa: PLC0415

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class _Channel:
    """The agent's side of the connection (see `Channel`)."""

    def __init__(self, connection: Connection, first: Observation) -> None:
        self._connection = connection
        self._last: Observation | None = first

    def observation(self) -> Observation:
        if self._last is None:
            raise EpisodeOver
        return self._last

    def decide(self, reply: Reply) -> Observation:
        if self._last is not None:
            send_to_worker(self._connection, "reply", **pack_reply(reply))
            _, packed = receive_in_agent(self._connection)
            self._last = None if packed is None else unpack_observation(packed)
        return self.observation()
