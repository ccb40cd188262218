"""An agent in a thread of this process: for debuggers, and for agents that cannot be sent away."""

from __future__ import annotations

import contextlib
import ctypes
import queue
import threading
import time
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.conversation import TimeIsUpError, Work, work
from pytest_mobileagent.agent.phone import Channel
from pytest_mobileagent.agent.process.wire import pack_reply, unpack_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.agent.agent import Reply
    from pytest_mobileagent.agent.briefing import Briefing
    from pytest_mobileagent.episode.observation import Observation

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
                said = self._said.get(timeout=min(_NOTICE, left))
            except queue.Empty:
                if left <= _NOTICE:
                    raise TimeIsUpError from None
            else:
                return said if isinstance(said, Work) else unpack_reply(said)

    def send(self, observation: Observation | None) -> None:
        """Give what was seen; None means that the episode is over."""
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
