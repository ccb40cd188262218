"""Watching over the episode of a program: what its recorders report becomes steps."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from pytest_mobileagent.action.action import Raw
from pytest_mobileagent.agent.agent import Reply
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.program.commands import Command
from pytest_mobileagent.program.track import Track, WatchedAct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.action.action import Action, Finish, Impossible
    from pytest_mobileagent.device.device import Capture, System
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.program.adb.raw_log import RawLog
    from pytest_mobileagent.program.track import Jobs
    from pytest_mobileagent.run.session import DoneStep, Session

T = TypeVar("T")

_OVER = "the episode is over"
_LAST_CALL_SECONDS = 0.2  # from the last byte of a reply to its line in calls.jsonl
_FRESH_SECONDS = 1.0  # in which an MCP client gets the last observation again
_UNSEEN = Command("a step of the program's own, in which no act was seen", (Raw("unseen"),))
_DUMP_SECONDS = 15.0  # that a capture waits for the end of a dump by the program
_SERVER_SECONDS = 1.0  # that an automation server needs to connect


class Watch:
    """The link between a program's recorders, which report, and the session, which permits.

    It is the recorders' `Watcher`. Its coroutines run in their event loop; whatever touches the
    session runs as `jobs` in the session's thread.
    """

    def __init__(self, session: Session, goal: str, jobs: Jobs, log: RawLog) -> None:
        self.goal = goal
        self.log = log
        self.track = Track()
        self.session, self._jobs = session, jobs
        self._latest: Capture | None = session.last
        self._seen_at = time.monotonic()
        self._open_calls = 0
        self._said = ""
        self._calls_ended = asyncio.Event()
        self._automation = Automation()
        self._own_step = False  # whether the program has begun a step, and has done nothing in it

    # Reports of recorders, in their event loop

    async def command(self, command: Command) -> _Passage:
        """Hold an act until the screen before it is captured; see `Watcher`."""
        if command.refused or not (command.acts or command.looks or command.automation):
            return _Passage(command.refused)
        arrived = time.monotonic()
        if command.acts:
            await self._last_call_ends()
            act = await self._jobs.ask(lambda: self._act(command, arrived))
            if act is None:
                return _Passage(_OVER)
            act.passed = time.monotonic()
            return _Passage(watch=self, act=act)
        if command.automation:
            await self._jobs.ask(lambda: self._automate(arrived, dumps=command.looks))
        dumps = command.looks and command.automation
        return _Passage(watch=self, looks=command.looks, dumps=dumps)

    async def call_begins(self) -> str:
        """Note that a model is asked; see `Watcher`."""
        if self.session.ending is not None:
            return _OVER
        self._open_calls += 1
        self.log.mark("call")
        self._jobs.add(self._call)
        return ""

    def call_ended(self, words: str) -> None:
        """Note what a model replied; see `Watcher`."""
        self._open_calls -= 1
        self._said = words or self._said
        self._calls_ended.set()

    def called(self, words: str) -> str:
        """Note a model call that the program reports; return why the episode is over."""
        self._said = words or self._said
        self.log.mark("call")
        self._jobs.add(self._call)
        return _OVER if self.session.ending is not None else ""

    async def step(self, phase: Literal["begin", "end"]) -> str:
        """Begin or end a step of the program's own; see `Watcher`."""
        self.log.mark(phase)
        arrived = time.monotonic()
        return await self._jobs.ask(lambda: self._step(phase, arrived))

    async def _last_call_ends(self) -> None:
        """Wait briefly for a call that is just being answered: its line belongs to the act."""
        if self._open_calls:
            self._calls_ended.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._calls_ended.wait(), _LAST_CALL_SECONDS)

    async def look(self) -> Observation:
        """Observe the screen as it is now; this is not a step."""
        return await self._jobs.ask(self._observe)

    async def decide(
        self, action: Action, by: Callable[[System], str] | None = None
    ) -> Observation | None:
        """Have the session do an action as a step; return None if the episode is over.

        `by` does it in the device's place, and returns why it failed.
        """
        does = None if by is None else partial(by, system_of(self.session.device))
        return await self._jobs.ask(lambda: self._decide(Reply(action, self._said), does))

    async def system(self, ask: Callable[[System], T]) -> T:
        """Ask the phone's system."""
        return await self._jobs.ask(lambda: ask(system_of(self.session.device)))

    # Jobs, in the session's thread

    def finish(self, report: Finish | Impossible) -> None:
        """End the episode with the program's report."""
        self._decide(Reply(report, self._said), None)

    def end(self, termination: Termination, why: str = "") -> None:
        """End the episode, unless the program's acts so far have met the goal and end it."""
        was_over = self.session.ending is not None
        self.close_steps()
        if was_over or self.session.ending is None:
            self.session.end(termination, why)

    def work(self, seconds: float) -> bool:
        """Do the next job, if there is one within `seconds`; return whether there was."""
        return self._jobs.do_next(seconds)

    def drain(self) -> None:
        """Do the remaining jobs."""
        while self.work(0):
            pass

    def _act(self, command: Command, arrived: float) -> WatchedAct | None:
        """Note an act that is about to be done; return None if it must not be."""
        if self.session.ending is not None:
            return None
        carries_on = self.track.carries_on(command, arrived)
        before = None if carries_on else self._seen()
        if not carries_on and self.session.steps + self.track.steps("act") > self._limit:
            self.end(Termination.STEP_LIMIT)
            return None
        act = WatchedAct(command, before, arrived, self.session.take_calls(), self._said)
        self._said = ""
        self.track.add(act)
        if self.session.stops_on_success:
            self._add(self.track.take(None))  # the steps that are final now that this act follows
            if self.session.ending is not None:
                return None
        self.track.hold(arrived)
        self._latest, self._own_step = None, False
        if command.looks:
            self.track.mark("look")
        return act

    def _look(self) -> None:
        """Note that the program looks; capture the screen, unless the program asks models later."""
        if self.session.ending is None:
            self.track.mark("look")
            if not self.track.asks_models:
                self._write()

    def _call(self) -> None:
        if self.session.ending is None:
            self.track.mark("call")
            self._write()

    def _step(self, phase: Literal["begin", "end"], arrived: float) -> str:
        if self.session.ending is not None:
            return _OVER
        if phase == "begin":
            self._write()
            if self.session.ending is not None:
                return _OVER
            if self.session.steps + self.track.steps("begin", "act", "end") > self._limit:
                self.end(Termination.STEP_LIMIT)
                return _OVER
            self._own_step = True
        elif self._own_step:
            self.track.add(WatchedAct(_UNSEEN, self._seen(), arrived, self.session.take_calls()))
            self._own_step, self._latest = False, None
        self.track.mark(phase)
        self.track.hold(arrived)
        return ""

    def _observe(self) -> Observation:
        self.close_steps()
        if self.session.ending is None and time.monotonic() - self._seen_at > _FRESH_SECONDS:
            self._decide(Reply([], self._said, counts=False), _nothing)
        return self.session.observation

    def _decide(self, reply: Reply, by: Callable[[], str] | None) -> Observation | None:
        """Have the session do an action, as a step of its own."""
        self.close_steps()
        thinking, decided = self.track.thinking(), time.monotonic()
        self._said = ""
        try:
            observation = self.session.decide(reply, thinking, by)
        except EpisodeOver:
            return None
        finally:
            self.track.hold(decided)
            self.track.turn()
        self._latest, self._seen_at = self.session.last, time.monotonic()
        return observation

    def _automate(self, arrived: float, *, dumps: bool) -> None:
        """Let the program use Android's UiAutomation."""
        if dumps:
            self._automation.dump_begins()
        else:
            self._automation.server_starts()
        self.track.hold(arrived)

    @property
    def _limit(self) -> int:
        return self.session.limits.steps

    def _seen(self) -> Capture:
        """Return the capture since the last act; take one if there is none."""
        if self._latest is None or self._seen_at < self.track.changed:
            self._latest = self._capture()
        return self._latest

    def _capture(self) -> Capture:
        self._automation.wait_until_free()
        capture = self.session.look()
        self._seen_at = time.monotonic()
        return capture

    def _write(self) -> None:
        """Record the steps that are final by now."""
        self._add(self.track.take(self._seen() if self.track.pending() else None))

    def close_steps(self) -> None:
        """Record all steps: nothing that follows belongs to them."""
        if self.session.ending is None and self.track.pending():
            self._add(self.track.take(self._seen(), ends=True))

    def _add(self, steps: Iterable[tuple[DoneStep, Capture]]) -> None:
        """Record steps, as long as none of them ends the episode."""
        for step, after in steps:
            self.session.add(step, after)
            if self.session.ending is not None:
                return

    def ended(self, passage: _Passage, error: str) -> None:
        """Note that a command has ended."""
        if passage.dumps:
            self._automation.dump_ended()
        if passage.act is not None:
            passage.act.ended, passage.act.error = time.monotonic(), error
        if passage.looks:
            self._jobs.add(self._look)


def _nothing() -> str:
    """Do nothing, in place of a phone that would wait."""
    return ""


@dataclass(slots=True)
class _Passage:
    """A command on its way (see `Passage`), whose end is reported to `watch` once."""

    refused: str = ""
    watch: Watch | None = None
    act: WatchedAct | None = None
    looks: bool = False
    dumps: bool = False  # by UiAutomation: the next capture waits for it

    def done(self, error: str = "") -> None:
        """Note the end of the command."""
        watch, self.watch = self.watch, None
        if watch is not None:
            watch.ended(self, error)


class Automation:
    """The program's use of UiAutomation; any thread may report it, or wait for its end."""

    def __init__(self) -> None:
        self._dumps = 0
        self._changed = threading.Condition()
        self._quiet_until = 0.0

    def dump_begins(self) -> None:
        """Note that the program dumps a view hierarchy."""
        with self._changed:
            self._dumps += 1

    def dump_ended(self) -> None:
        """Note that the dump has ended."""
        with self._changed:
            self._dumps -= 1
            self._changed.notify_all()

    def server_starts(self) -> None:
        """Note that the program starts a server: it gets time to seize UiAutomation."""
        self._quiet_until = time.monotonic() + _SERVER_SECONDS

    def wait_until_free(self) -> None:
        """Wait, but not forever, until a capture takes nothing from the program."""
        time.sleep(max(0.0, self._quiet_until - time.monotonic()))
        with self._changed:
            self._changed.wait_for(lambda: not self._dumps, _DUMP_SECONDS)
