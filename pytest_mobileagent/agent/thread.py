"""Calling an agent with a time limit: it may hang, and the run has to go on."""

from __future__ import annotations

import contextlib
import ctypes
import queue
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import AgentError, TaskError

if TYPE_CHECKING:
    from collections.abc import Callable


_NOTICE = 0.5  # seconds until Ctrl-C is noticed, at most


class TimeLimitError(Exception):
    """The time is over and the call has not come back."""


@dataclass(slots=True)
class _Call:
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    done: threading.Event = field(default_factory=threading.Event)
    running: bool = False
    given_up: bool = False
    result: Any = None
    error: BaseException | None = None


class AgentThread:
    """One thread for all calls to one agent, which is left behind when a call does not return.

    All calls are made in the same thread, since some libraries insist on that. They have `seconds`
    together; what goes by between them does not count.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends = 0.0
        self._abandoned = False
        self._lock = threading.Lock()
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="mobile-agent", daemon=True)
        self._thread.start()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the function returns.

        Once a call has not come back, nobody waits for another: it is made if that one ever ends.

        Raises:
            AgentError: the function raised, whatever it was.
            TaskError: the function raised one: the agent found that the task is broken.
            TimeLimitError: the seconds that all calls have together are over.
        """
        call = _Call(function, arguments)
        self._ends = time.monotonic() + self._seconds
        try:
            self._calls.put(call)
            came_back = self._wait(call)
            self._seconds = self._left
        except BaseException:  # the user's Ctrl-C
            self._abandon(call)
            raise
        if not came_back:
            self._abandon(call)
            raise TimeLimitError
        if isinstance(call.error, TaskError | AgentError):
            raise call.error
        if call.error is not None:
            what = "".join(traceback.format_exception_only(call.error)).strip()
            msg = f"it raised {what}"
            raise AgentError(msg) from call.error
        return call.result

    def close(self) -> None:
        """End the thread once it is idle."""
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            # Raised by `_abandon`, when the call has just ended by itself.
            with contextlib.suppress(SystemExit):
                self._make(call)

    def _wait(self, call: _Call) -> bool:
        # A signal that comes just before a wait begins is only noticed once it is over.
        while not call.done.wait(min(_NOTICE, self._left)):
            if not self._left:
                return False
        return True

    @property
    def _left(self) -> float:
        return 0.0 if self._abandoned else max(0.0, self._ends - time.monotonic())

    def _make(self, call: _Call) -> None:
        with self._lock:
            if call.given_up:
                return
            call.running = True
        try:
            call.result = call.function(*call.arguments)
        except BaseException as error:  # noqa: BLE001 - whatever an agent raises is told
            call.error = error
        with self._lock:
            call.running = False
        call.done.set()

    def _abandon(self, call: _Call) -> None:
        if self._abandoned:
            return
        self._abandoned = True
        with self._lock:
            call.given_up = True
            if call.running:
                # Ends a loop in Python code; a call that blocks in C stays, and the process does
                # not wait for it because the thread is a daemon.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(SystemExit)
                )
