"""What a program has done so far, and the steps that result (by the rule in docs/programs.md).

All seconds are by the host's monotonic clock. Recorders work in a thread of their own, and queue
jobs for the session's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pytest_mobileagent.program.commands.steps import ACTS, continues, grouped, merged, settled
from pytest_mobileagent.run.session import DoneStep

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence

    from pytest_mobileagent.device.device import Capture
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.program.commands import Act, Command
    from pytest_mobileagent.program.commands.steps import Mark


_LONGEST_ACT = 30.0  # seconds that count as acting; after that, the program is waiting
_RECENT = 50  # acts that may belong to one gesture or text


@dataclass(slots=True)
class WatchedAct:
    """An act of a program.

    - `before`: the screen before it; None if it continues the act before it.
    - `calls`: the model calls since the last act, `said` the last of their replies.
    - `asked`, `passed`, `ended`: when it came, went on to the phone, and ended there.
    """

    command: Command
    before: Capture | None
    asked: float
    calls: tuple[ModelCall, ...] = ()
    said: str = ""
    passed: float = 0.0
    ended: float | None = None
    error: str = ""

    @property
    def was_not_done(self) -> bool:
        """Whether its exit status says that it failed; of several acts, that concerns the last."""
        return self.error.startswith("exit status") and len(self.command.acts) == 1

    @property
    def acting(self) -> tuple[float, float]:
        """From when to when the phone did it, so far."""
        if not self.passed:
            return self.asked, self.asked
        ended = time.monotonic() if self.ended is None else self.ended
        return self.passed, min(ended, self.passed + _LONGEST_ACT)


@dataclass(slots=True)
class Track:
    """A program's acts, looks and model calls in the order in which they came.

    `since` is when the thinking for its next step began. Acts may overlap each other and times in
    which the program is held up: no second counts twice.
    """

    since: float = field(default_factory=time.monotonic)
    asks_models: bool = False
    _marks: list[Mark] = field(default_factory=list)
    _acts: list[WatchedAct] = field(default_factory=list)
    _taken: int = 0  # acts whose steps have been taken
    _holds: list[tuple[float, float]] = field(default_factory=list)
    _worked: float = 0.0  # seconds of the program's own until `since`

    def mark(self, mark: Mark) -> None:
        """Add a mark that is not an act."""
        self.asks_models |= mark == "call"
        self._marks.append(mark)

    def carries_on(self, command: Command, at: float) -> bool:
        """Whether a command only continues the last act, such as the next letter of a text."""
        if not self._marks or self._marks[-1] not in ACTS:
            return False
        return continues(self._timed(self._acts[-_RECENT:]), command, at)

    def add(self, act: WatchedAct) -> None:
        """Note an act; one without a screen before it belongs to the last one."""
        self._marks.append("more" if act.before is None else "act")
        self._acts.append(act)

    def steps(self, *more: Mark) -> int:
        """Return how many steps are still to be taken if the program ends after `more` marks."""
        return sum(first >= self._taken for first, _ in _groups([*self._marks, *more]))

    @property
    def changed(self) -> float:
        """When the last act ended; 0 if none has."""
        return max((act.ended or 0.0 for act in self._acts[-_RECENT:]), default=0.0)

    def pending(self) -> bool:
        """Whether there are acts whose steps have not been taken."""
        return self._taken < len(self._acts)

    def take(
        self, now: Capture | None, *, ends: bool = False
    ) -> Iterator[tuple[DoneStep, Capture]]:
        """Yield each step that is final, once, with the screen after it.

        `now` is the screen after the last act; without it, the last step is left. If the track
        `ends` here, all steps are final, and it begins anew.
        """
        final = len(self._marks) if ends else settled(self._marks)
        acts = sum(mark in ACTS for mark in self._marks[:final])
        for first, last in _groups(self._marks):
            if first < self._taken or last >= acts:
                continue
            after = now if last + 1 == len(self._acts) else self._acts[last + 1].before
            if after is None:
                return
            step = self._done(self._acts[first : last + 1])
            self._taken = last + 1
            yield step, after
        if ends:
            self._marks, self._acts, self._taken = ["call"] if self.asks_models else [], [], 0

    def hold(self, since: float) -> None:
        """Note that the program was held up, or acted by other means, until now."""
        self._holds.append((since, time.monotonic()))

    def thinking(self) -> float:
        """Return the seconds that the program has spent since its last step."""
        return self._own(time.monotonic(), self._acts[self._taken :])

    def worked(self) -> float:
        """Return the seconds that the program has spent in all."""
        return self._worked + self.thinking()

    def turn(self) -> None:
        """Begin a new step now: what came before belongs to a step that was recorded elsewhere."""
        now = time.monotonic()
        self._go_on(now, self._own(now, ()))

    def _own(self, until: float, acts: Sequence[WatchedAct]) -> float:
        """Return the program's own seconds since `since`: nothing acted or held it up."""
        others = _covered([*self._holds, *(act.acting for act in acts)], self.since, until)
        return max(0.0, until - self.since - others)

    def _go_on(self, now: float, own: float) -> None:
        self._worked += own
        self.since = max(self.since, now)
        self._holds = [hold for hold in self._holds if hold[1] > self.since]

    def _done(self, acts: Sequence[WatchedAct]) -> DoneStep:
        pieces = [act.acting for act in acts]
        ended = max(end for _, end in pieces)
        acting = _covered(pieces, self.since, ended)
        thinking = self._own(ended, self._acts[self._taken :])
        self._go_on(ended, thinking)
        failed = [act for act in acts if act.error]
        actions = merged(self._timed(acts))
        return DoneStep(
            actions=actions,
            said=next((act.said for act in reversed(acts) if act.said), ""),
            calls=tuple(call for act in acts for call in act.calls),
            seconds_thinking=thinking,
            seconds_acting=acting,
            notice="; ".join(f"{act.command.text[:200]}: {act.error}" for act in failed[:5]),
            undone=len(actions) if all(act.was_not_done for act in acts) else 0,
        )

    @staticmethod
    def _timed(acts: Sequence[WatchedAct]) -> list[tuple[Act, float]]:
        return [(each, act.asked) for act in acts for each in act.command.acts]


def _covered(pieces: Iterable[tuple[float, float]], since: float, until: float) -> float:
    """Return how many seconds from `since` to `until` are covered by pieces, which may overlap."""
    covered = 0.0
    for begin, end in sorted(pieces):
        covered += max(0.0, min(end, until) - max(begin, since))
        since = max(since, end)
    return covered


def _groups(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the first and the last act of each step."""
    numbers = list(accumulate(mark in ACTS for mark in marks))
    for group in grouped(marks):
        yield numbers[group[0]] - 1, numbers[group[-1]] - 1


T = TypeVar("T")


class Jobs:
    """A queue of jobs, which one thread does in the order in which they came."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()

    async def ask(self, job: Callable[[], T]) -> T:
        """Have a job done, and return its result; its exceptions are also raised here."""
        return await asyncio.wrap_future(self.add(job))

    def add(self, job: Callable[[], T]) -> Future[T]:
        """Have a job done later, without waiting for it."""
        future: Future[T] = Future()
        self._queue.put((job, future))
        return future

    def do_next(self, seconds: float) -> bool:
        """Do the next job, if there is one within `seconds`; return whether there was.

        Raises:
            BaseException: whatever the job raises; its future raises the same. What ends the run,
                such as Ctrl-C, is an OSError there, because it would end the event loop.
        """
        try:
            job, future = self._queue.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return False
        if not future.set_running_or_notify_cancel():
            return True
        try:
            future.set_result(job())
        except Exception as error:
            future.set_exception(error)
            raise
        except BaseException as error:
            future.set_exception(ConnectionAbortedError(f"the run ends: {error!r}"))
            raise
        return True

    def cancel(self) -> None:
        """Discard the remaining jobs."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._queue.get_nowait()[1].cancel()


class LoopThread:
    """An event loop in a thread of its own, for as long as it is entered."""

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="recorders", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
