"""Keeps track of what a program has done, and derives steps (by the rule in docs/programs.md).

The raw record has a line of JSON for each command to the phone. All times are seconds of the host's
monotonic clock. Recorders run in a separate thread, and queue jobs for the session's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pytest_mobileagent.action import to_json
from pytest_mobileagent.episode import Step
from pytest_mobileagent.episode.redaction import MASK, redacted
from pytest_mobileagent.fileio import append_line
from pytest_mobileagent.jsonable import to_line, to_wire
from pytest_mobileagent.program.commands import Clear, ElementTap, Erase, Pointer
from pytest_mobileagent.program.commands.steps import ACTS, continues, grouped, merged, settled

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.device.device import Capture
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.program.commands import Act, Command
    from pytest_mobileagent.program.commands.steps import Mark


_LONGEST_ACT = 30.0  # seconds of an act that count as acting; the rest is the program's waiting
_RECENT = 50  # acts that may belong to one gesture or text


@dataclass(slots=True)
class WatchedAct:
    """An act of a program.

    - `before`: the screen before it; None if it continues the previous act.
    - `calls`: the model calls since the last act; `reply`: the last of their replies.
    - `asked`, `passed`, `ended`: when it arrived, was passed on to the phone, and ended there.
    """

    command: Command
    before: Capture | None
    asked: float
    calls: tuple[ModelCall, ...] = ()
    reply: str = ""
    passed: float = 0.0
    ended: float | None = None
    error: str = ""

    @property
    def was_not_done(self) -> bool:
        """Whether its exit status shows that it failed; for several acts, that is unknown."""
        return self.error.startswith("exit status") and len(self.command.acts) == 1

    @property
    def acting(self) -> tuple[float, float]:
        """The times when the phone began and ended the act, or now if it has not ended."""
        if not self.passed:
            return self.asked, self.asked
        ended = time.monotonic() if self.ended is None else self.ended
        return self.passed, min(ended, self.passed + _LONGEST_ACT)


@dataclass(slots=True)
class Track:
    """A program's acts, looks and model calls in the order of their arrival.

    `since` is the time when the thinking for its next step began. Acts may overlap each other and
    pauses, in which the harness holds up the program; no second counts twice.
    """

    since: float = field(default_factory=time.monotonic)
    asks_models: bool = False
    _marks: list[Mark] = field(default_factory=list)
    _acts: list[WatchedAct] = field(default_factory=list)
    _taken: int = 0  # the number of acts whose steps have been taken
    _pauses: list[tuple[float, float]] = field(default_factory=list)
    _worked: float = 0.0  # seconds that the program itself has spent until `since`

    def mark(self, mark: Mark) -> None:
        """Add a mark that is not an act."""
        self.asks_models |= mark == "call"
        self._marks.append(mark)

    def continues(self, command: Command, at: float) -> bool:
        """Return whether a command only continues the last act, such as the next letter typed."""
        if not self._marks or self._marks[-1] not in ACTS:
            return False
        return continues(self._timed(self._acts[-_RECENT:]), command, at)

    def add(self, act: WatchedAct) -> None:
        """Add an act; an act without a screen before it continues the last one."""
        self._marks.append("more" if act.before is None else "act")
        self._acts.append(act)

    def steps(self, *more: Mark) -> int:
        """Return how many steps remain to be taken if the program ends after `more` marks."""
        return sum(first >= self._taken for first, _ in _groups([*self._marks, *more]))

    @property
    def changed(self) -> float:
        """The time when the last act ended; 0 if no act has ended."""
        return max((act.ended or 0.0 for act in self._acts[-_RECENT:]), default=0.0)

    def pending(self) -> bool:
        """Return whether there are acts whose steps have not been taken."""
        return self._taken < len(self._acts)

    def take(self, now: Capture | None, *, ends: bool = False) -> Iterator[tuple[Step, Capture]]:
        """Yield each final step once, with the screen after it.

        `now` is the screen after the last act; without it, the last step is not yielded. If the
        track `ends` here, all steps are final, and the track is cleared.
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

    def pause(self, since: float) -> None:
        """Record that the harness has delayed the program, or acted for it, since a time."""
        self._pauses.append((since, time.monotonic()))

    def thinking(self) -> float:
        """Return the seconds that the program itself has spent since its last step."""
        return self._own(time.monotonic(), self._acts[self._taken :])

    def worked(self) -> float:
        """Return the seconds that the program itself has spent in total."""
        return self._worked + self.thinking()

    def begin_step(self) -> None:
        """Begin a new step now; the time before belongs to a step that was recorded elsewhere."""
        now = time.monotonic()
        self._advance(now, self._own(now, ()))

    def _own(self, until: float, acts: Sequence[WatchedAct]) -> float:
        """Return the program's own seconds from `since` until a time, without acts and pauses."""
        others = _covered([*self._pauses, *(act.acting for act in acts)], self.since, until)
        return max(0.0, until - self.since - others)

    def _advance(self, now: float, own: float) -> None:
        self._worked += own
        self.since = max(self.since, now)
        self._pauses = [pause for pause in self._pauses if pause[1] > self.since]

    def _done(self, acts: Sequence[WatchedAct]) -> Step:
        pieces = [act.acting for act in acts]
        ended = max(end for _, end in pieces)
        acting = _covered(pieces, self.since, ended)
        thinking = self._own(ended, self._acts[self._taken :])
        self._advance(ended, thinking)
        failed = [act for act in acts if act.error]
        actions = merged(self._timed(acts))
        first = acts[0].before
        assert first is not None  # else the first act would continue the step before it
        return Step(
            first.screen,
            actions,
            said=next((act.reply for act in reversed(acts) if act.reply), ""),
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
    """Return how many seconds from `since` to `until` are covered by intervals that may overlap."""
    covered = 0.0
    for begin, end in sorted(pieces):
        covered += max(0.0, min(end, until) - max(begin, since))
        since = max(since, end)
    return covered


def _groups(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Yield the indexes of the first and the last act of each step."""
    numbers = list(accumulate(mark in ACTS for mark in marks))
    for group in grouped(marks):
        yield numbers[group[0]] - 1, numbers[group[-1]] - 1


RAW_LOG = "adb.jsonl"  # its file, in the folder of a program's recordings
_MOST_CHARACTERS = 2000  # of a command that are recorded
_MOST_READ = 50_000  # characters of a command that are searched for secrets


class RawLog:
    """A file to which commands are written when they end, with the seconds since it was opened.

    Marks between them say where a model is called ("call"), and where the program itself begins and
    ends a step, so that steps can be derived from the file again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._began = time.monotonic()

    def now(self) -> float:
        """Return the seconds since the log was opened."""
        return time.monotonic() - self._began

    def mark(self, mark: Mark) -> None:
        """Add a mark that is not a command."""
        self._append({"t": round(self.now(), 4), "mark": mark})

    def write(self, at: float, service: str, command: Command, *, refused: str, error: str) -> None:
        """Add a command that was sent to a service at the time `at`, and has ended."""
        line = {
            "t": round(at, 4),
            "service": service[:_MOST_READ],
            "text": command.text[:_MOST_READ],
            "acts": [act_to_json(act) for act in command.acts],
            "looks": command.looks,
            "refused": refused,
            "error": error[:_MOST_READ],
            "seconds": round(self.now() - at, 4),
        }
        self._append(line)

    def _append(self, line: Mapping[str, Any]) -> None:
        jsonable = to_wire(line)
        safe = redacted(jsonable)
        if safe.get("acts") != jsonable.get("acts"):  # the command's text contains the secret, too
            safe |= {name: MASK for name in ("service", "text") if safe[name] == jsonable[name]}
        for name, text in safe.items():
            if isinstance(text, str) and (left := len(text) - _MOST_CHARACTERS) > 0:
                safe[name] = f"{text[:_MOST_CHARACTERS]}… ({left} more characters)"
        with contextlib.suppress(OSError):  # the episode's record will report the full disk
            append_line(self._path, to_line(safe))


def act_to_json(act: Act) -> dict[str, Any]:
    """Return an act as JSON-able data, with its class name as "action"."""
    if isinstance(act, Pointer | Erase | Clear | ElementTap):
        return {"action": type(act).__name__, **dataclasses.asdict(act)}
    return to_json(act)


T = TypeVar("T")


class Jobs:
    """A queue of jobs, which one thread runs in order."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()

    async def ask(self, job: Callable[[], T]) -> T:
        """Queue a job, and wait for its result; its exceptions are raised here as well."""
        return await asyncio.wrap_future(self.add(job))

    def add(self, job: Callable[[], T]) -> Future[T]:
        """Queue a job without waiting for it."""
        future: Future[T] = Future()
        self._queue.put((job, future))
        return future

    def do_next(self, seconds: float) -> bool:
        """Run the next job, waiting up to `seconds` for one; return whether there was a job.

        Raises:
            BaseException: any exception that the job raises; its future raises the same, but an
                OSError for one such as Ctrl-C, which would end the event loop.
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
    """A context manager that runs an event loop in a separate thread."""

    def __enter__(self) -> Self:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        run = self._loop.run_forever
        self._thread = threading.Thread(target=run, name="recorders", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._runner.close()  # cancels all tasks

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
