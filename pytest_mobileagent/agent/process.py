"""The worker's side of an agent's process, which is started once and reused until killed."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import processes
from pytest_mobileagent.agent import conversation
from pytest_mobileagent.episode.output import Printed
from pytest_mobileagent.episode.store import MOST_OF_ERROR, cut
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.llm.providers import without_key_variables
from pytest_mobileagent.llm.reference import ModelChoice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.agent.agent import Briefing, Reply
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.llm.reference import ModelReference

# Our modules are imported before the path is the tests', where a calendar.py hides the library's.
_PROGRAM = """
import json, sys
path = json.loads(sys.argv[1])
try:
    from pytest_mobileagent.agent.conversation import main
except ImportError:
    sys.path[:] = path
    from pytest_mobileagent.agent.conversation import main
sys.path[:] = path
main(int(sys.argv[2]), int(sys.argv[3]))
"""
_LOAD_SECONDS = 120.0
_PROBE_SECONDS = 10.0  # it only waits for the next episode, and answers at once
_EXIT_SECONDS = 2.0  # for its exit functions, e.g. coverage.py saving its measurements
_NOTICE = 0.5  # seconds until the end of a process that left the line open is noticed
_STUCK = 30  # seconds for a message that has begun to arrive


class AgentProcess:
    """A process that holds an agent's class, and its `Conversation` in one episode after another.

    `reference` and `folders` are the arguments of `find_agent`, and `options` are KEY=VALUE words.
    `run` marks the processes of a run, so that any left over can be ended. `models` are those whose
    libraries are loaded in advance, if the agent calls models. The agent checks those of `choice`.

    An agent that declares `endpoints` gets no provider keys other than those of `models`: its
    process is restarted without them, because only the loaded agent reveals its declarations.
    """

    def __init__(
        self,
        reference: str,
        folders: Sequence[Path],
        options: Sequence[str],
        run: str,
        models: Sequence[ModelReference] = (),
        *,
        choice: ModelChoice | None = None,
    ) -> None:
        choice = choice or ModelChoice()
        self._request = (reference, list(folders), list(options), choice, tuple(models))
        self._run = run
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._about: dict[str, Any] | None = None
        self._refusal = ""
        self._is_keyless = False
        self._mark = ""
        self._clean = True
        self._waits = False  # for an episode
        self._printed: Printed | None = None
        self.start()

    def start(self) -> None:
        """Start the process, without waiting until it has loaded the agent."""
        ours, theirs = socket.socketpair()
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            ours.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", _STUCK, 0))
        path = json.dumps([str(folder) for folder in sys.path])
        numbers = [str(theirs.fileno()), str(os.getpid())]
        self._mark = f"{self._run}-{secrets.token_hex(8)}"
        environment: Mapping[str, str] = os.environ
        if self._is_keyless:
            environment = without_key_variables(environment, self._request[-1])
        with theirs:
            self._process = subprocess.Popen(
                # -u: what an agent prints must arrive in the step in which it is printed.
                [sys.executable, "-P", "-u", "-c", _PROGRAM, path, *numbers],
                stdin=subprocess.DEVNULL,
                env={**environment, processes.VARIABLE: self._mark},
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is handled here
            )
        self._connection = Connection(ours.detach())
        self._about, self._clean, self._waits = None, True, False
        with contextlib.suppress(OSError):  # it is gone already; `load` reports it
            conversation.send_to_agent(self._connection, "load", *self._request)

    def load(self) -> dict[str, Any]:
        """Return what the process says of the agent (see `agent.options.facts_of`).

        Raises:
            AgentError: if the agent cannot be loaded, or does not accept the options.
        """
        if self._refusal:
            raise AgentError(self._refusal)
        if self._process is None:
            self.start()
        if self._about is None:
            self._wake()
            try:
                about = self._receive_about()
            except conversation.TimeIsUpError:
                self._refusal = f"was not loaded within {_LOAD_SECONDS:g} s"
            except (AgentError, ValueError) as error:
                self._refusal = f"cannot be loaded: {error}"
            else:
                if about["kind"] == "ready":
                    if about["endpoints"] and not self._is_keyless:
                        self._is_keyless = True
                        self.kill()
                        return self.load()
                    self._about, self._waits = about, True
                    return about
                raise self._refused(str(about.get("error")))
            raise self._refused(f"--agent={self._request[0]} {self._refusal}")
        return self._about

    def _receive_about(self) -> dict[str, Any]:
        """Return the agent's first message; a process that somebody kills is started once more."""
        try:
            return self._receive(_LOAD_SECONDS)
        except conversation.KilledError:
            self.kill()
            self.start()
            return self._receive(_LOAD_SECONDS)

    def _refused(self, why: str) -> AgentError:
        """Remember why the agent cannot be loaded, so that loading is not tried again."""
        self._refusal = cut(why, MOST_OF_ERROR)
        self.kill()
        return AgentError(self._refusal)

    def begin(self, briefing: Briefing, observation: Observation) -> None:
        """Start a new agent, in a new process if the last one has ended or hangs."""
        if self._process is not None and not self._answers():
            self.kill()  # between episodes, which is not an agent's failure
        self.load()
        assert self._connection is not None
        self._clean = self._waits = False  # until the process reports otherwise
        self._printed = Printed(briefing.folder)
        with contextlib.suppress(OSError):  # `receive` reports it
            conversation.send_to_agent(
                self._connection, "play", briefing, conversation.pack_observation(observation)
            )
            conversation.send_streams(self._connection, self._printed.descriptors)
        self._printed.sent()

    def _answers(self) -> bool:
        """Return whether the process still responds; loading has its own time limit."""
        assert self._process is not None
        assert self._connection is not None
        if self._process.poll() is not None:
            return False
        if self._about is None:
            return True
        self._wake()
        try:
            conversation.send_to_agent(self._connection, conversation.PROBE)
            return bool(self._receive(_PROBE_SECONDS)["kind"] == conversation.PROBE)
        except (AgentError, OSError, conversation.TimeIsUpError, ValueError):
            return False

    def _wake(self) -> None:
        """Continue the process if it has been stopped, as any agent of the run may do."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def receive(self, seconds: float) -> Reply | conversation.Work:
        """Return the agent's next decision, or how its work ended."""
        try:
            message = self._receive(seconds)
            if message["kind"] == "reply":
                return conversation.unpack_reply(message)
            if message["kind"] == "work":
                self._clean, self._waits = bool(message["clean"]), True
                return conversation.Work(**{name: message[name] for name in conversation.WORK})
        except (LookupError, TypeError, ValueError) as error:
            raise AgentError(f"its process sent a message that cannot be read: {error}") from error
        raise AgentError(f"its process sent a message of unknown kind {message['kind']!r}")

    def send(self, observation: Observation | None) -> None:
        """Send an observation; None means that the episode is over."""
        assert self._connection is not None
        packed = None if observation is None else conversation.pack_observation(observation)
        with contextlib.suppress(OSError):  # `receive` reports it
            conversation.send_to_agent(self._connection, "seen", packed)

    def end(self) -> None:
        """End what the agent has started, and its process too unless the agent ended normally."""
        try:
            self._end()
        finally:
            printed, self._printed = self._printed, None
            if printed is not None:
                printed.close()

    def _end(self) -> None:
        process = self._process
        if process is None:
            return
        if process.poll() is not None or not self._clean:
            self.close()
            self.start()  # so that it is ready when the next episode begins
        else:
            processes.end_descendants(process.pid)
            processes.end_marked(self._mark, spare=[process.pid])

    def close(self) -> None:
        """End the process after its exit functions have run, and everything that it has started.

        A process that is busy, or does not answer within two seconds, is killed instead.
        """
        process, connection = self._process, self._connection
        if self._waits and process is not None and connection is not None:
            with contextlib.suppress(AgentError, OSError, conversation.TimeIsUpError, ValueError):
                processes.end_descendants(process.pid)  # an exit function might wait for them
                self._wake()
                conversation.send_to_agent(connection, conversation.END)
                self._receive(_EXIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the process at once, and everything that it has started."""
        process, self._process, self._about = self._process, None, None
        if process is None:
            return
        if process.poll() is None:
            os.kill(process.pid, signal.SIGSTOP)  # so that it starts no more
            processes.end_descendants(process.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        processes.end_marked(self._mark)
        if self._connection is not None:
            self._connection.close()

    def _receive(self, seconds: float) -> dict[str, Any]:
        assert self._connection is not None
        assert self._process is not None
        ends = time.monotonic() + seconds
        try:
            while not self._connection.poll(min(_NOTICE, max(0.0, ends - time.monotonic()))):
                # The children of a process that has ended may keep the line open.
                if self._process.poll() is not None and not self._connection.poll(0):
                    raise _how_it_ended(self._process)
                if time.monotonic() >= ends:
                    raise conversation.TimeIsUpError
            return conversation.receive_in_worker(self._connection)
        except (EOFError, OSError) as error:
            raise _how_it_ended(self._process) from error


def _how_it_ended(process: subprocess.Popen[bytes]) -> AgentError:
    ends = time.monotonic() + 5
    while process.poll() is None and time.monotonic() < ends:
        time.sleep(0.01)
    status = process.returncode
    if status is None:
        return AgentError("its process closed the connection")
    if status >= 0:
        return AgentError(f"its process ended with status {status}")
    kind = conversation.KilledError if processes.was_killed(status) else AgentError
    return kind(f"its process was killed by {processes.signal_name(-status)}")
