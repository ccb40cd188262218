"""Which calls are repeats of others: a client that has lost a reply asks again, and means once.

A call is an earlier one's repeat if tool and arguments are the same, and

- its request has the same id, in the same session. Without sessions (protocol 2026-07-28) clients
  are told apart by what they call themselves, and may begin to count anew: there the reply must
  have been sent within the last 30 seconds, and the client must not have asked for anything since;
- or the earlier reply never reached the client, which went away or gave up waiting, and the client
  has asked for nothing else since.

A repeat waits for, or gets, what came of the first call.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

T = TypeVar("T")
_SECONDS = 30.0
_MOST_CALLS = 200  # of all clients, that are remembered


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: a session's id, or what a client without sessions calls itself."""

    name: str
    has_session: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A call as it arrived: the id of its request, and tool and arguments in one text."""

    caller: Caller
    id: str
    content: str


@dataclass(slots=True)
class _Known(Generic[T]):
    call: Call
    task: asyncio.Task[T]
    lost: bool = False  # the reply did not reach the client
    left: bool = False  # the client has asked for something else since the reply
    ended: float = field(default=float("inf"))

    def is_repeated_by(self, call: Call, now: float) -> bool:
        if (self.call.caller, self.call.content) != (call.caller, call.content):
            return False
        if self.lost and not self.left:
            return True
        if self.call.id != call.id:
            return False
        return call.caller.has_session or (not self.left and now - self.ended <= _SECONDS)


class Repeats(Generic[T]):
    """The calls that were done, and what came of them. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: list[_Known[T]] = []

    def asked(self, caller: Caller, call: Call | None = None) -> None:
        """Note that a client asks for something: it has done with its calls that have ended.

        `call` is what it asks for, if that is a call; those that it repeats stay.
        """
        now = self._clock()
        for known in self._calls:
            repeated = call is not None and known.is_repeated_by(call, now)
            if known.call.caller == caller and known.task.done() and not repeated:
                known.left = True

    async def once(self, call: Call, do: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do a call, unless it is a repeat; whoever stops waiting does not stop it."""
        now = self._clock()
        known = next((k for k in reversed(self._calls) if k.is_repeated_by(call, now)), None)
        if known is None:
            known = _Known(call, asyncio.create_task(do()))
            known.task.add_done_callback(partial(self._end, known))
            self._calls = [*self._calls[1 - _MOST_CALLS :], known]
        known.lost = True
        outcome = await asyncio.shield(known.task)
        known.lost = False
        return outcome

    async def close(self) -> None:
        """End what is still being done."""
        tasks = [known.task for known in self._calls if not known.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end(self, known: _Known[T], task: asyncio.Task[T]) -> None:
        known.ended = self._clock()
        if not task.cancelled():
            task.exception()  # nobody may be waiting for it any more
