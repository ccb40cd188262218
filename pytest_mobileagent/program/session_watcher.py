"""Watches a program's episode: turns the reports of its recorders into steps."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from pytest_mobileagent.action import Raw
from pytest_mobileagent.agent.agent import Reply
from pytest_mobileagent.agent.phone import EpisodeOver
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.program.commands import Command
from pytest_mobileagent.program.track import Track, WatchedAct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.action import Action, Finish, Impossible
    from pytest_mobileagent.device.device import Capture, System
    from pytest_mobileagent.episode import Step
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.program.track import Jobs, RawLog
    from pytest_mobileagent.run.session import Session

T = TypeVar("T")

_OVER = "the episode is over"
_LAST_CALL_SECONDS = 0.2  # from the last byte of a reply to its line in calls.jsonl
_FRESH_SECONDS = 1.0  # for which an MCP client gets the last observation again
_UNSEEN = Command("a step of the program's own, in which no act was seen", (Raw("unseen"),))
_DUMP_SECONDS = 15.0  # the longest that a capture waits for the end of a dump by the program
_SERVER_SECONDS = 1.0  # that an automation server needs to connect


class SessionWatcher:
    """The link between a program's recorders and the session (see `Watcher`).

    Coroutines run in the recorders' event loop, and `jobs`, which use the session, in its thread.
    """

    def __init__(self, session: Session, goal: str, jobs: Jobs, log: RawLog) -> None:
        self.goal, self.log = goal, log
        self.track = Track()
        self.session, self._jobs = session, jobs
        self._latest: Capture | None = session.last
        self._seen_at = time.monotonic()
        self._open_calls = 0
        self._reply = ""  # the last reply of a model since the last act
        self._calls_ended = asyncio.Event()
        self._automation = Automation()
        self._own_step = False  # whether the program has begun a step without any act so far

    # Reports of recorders, in their event loop

    async def command(self, command: Command) -> _Passage:
        """Delay an act until the screen before it has been captured (see `Watcher`)."""
        if command.refused and command.ends:
            self._jobs.add(lambda: self.end(Termination.AGENT_ERROR, command.refused))
        if command.refused or not (command.acts or command.looks or command.automation):
            return _Passage(command.refused)
        arrived = time.monotonic()
        if command.acts:
            await self._last_call_ends()
            act = await self._jobs.ask(lambda: self._act(command, arrived))
            if act is None:
                return _Passage(_OVER)
            act.passed = time.monotonic()
            return _Passage(watcher=self, act=act)
        if command.automation:
            await self._jobs.ask(lambda: self._automate(arrived, dumps=command.looks))
        dumps = command.looks and command.automation
        return _Passage(watcher=self, looks=command.looks, dumps=dumps)

    async def call_begins(self) -> str:
        """Record that a model is called (see `Watcher`)."""
        if self.session.ending is not None:
            return _OVER
        self._open_calls += 1
        self.log.mark("call")
        self._jobs.add(self._call)
        return ""

    def call_ended(self, words: str) -> None:
        """Record a model's reply (see `Watcher`)."""
        self._open_calls -= 1
        self._reply = words or self._reply
        self._calls_ended.set()

    def called(self, words: str) -> str:
        """Record a model call that the program reports; return why the episode is over, or ""."""
        self._reply = words or self._reply
        self.log.mark("call")
        self._jobs.add(self._call)
        return _OVER if self.session.ending is not None else ""

    async def step(self, phase: Literal["begin", "end"]) -> str:
        """Begin or end a step that the program itself marks (see `Watcher`)."""
        self.log.mark(phase)
        return await self._jobs.ask(partial(self._step, phase, time.monotonic()))

    async def _last_call_ends(self) -> None:
        """Wait briefly for a call that is just being answered, as its line belongs to the act."""
        if self._open_calls:
            self._calls_ended.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._calls_ended.wait(), _LAST_CALL_SECONDS)

    async def look(self) -> Observation:
        """Observe the current screen, which is not a step."""
        return await self._jobs.ask(self._observe)

    async def decide(
        self, action: Action, by: Callable[[System], str] | None = None
    ) -> Observation | None:
        """Make the session perform an action as a step; return None if the episode is over.

        If given, `by` performs it in place of the device, and returns why it failed, or "".
        """
        does = None if by is None else partial(by, system_of(self.session.device))
        return await self._jobs.ask(lambda: self._decide(Reply(action, self._reply), does))

    async def system(self, ask: Callable[[System], T]) -> T:
        """Return the result of a function of the phone's system."""
        return await self._jobs.ask(lambda: ask(system_of(self.session.device)))

    # Jobs, in the session's thread

    def finish(self, report: Finish | Impossible) -> None:
        """End the episode with the program's report."""
        self._decide(Reply(report, self._reply), None)

    def end(self, termination: Termination, why: str = "") -> None:
        """End the episode, unless it ends because the program's acts so far have met the goal."""
        was_over = self.session.ending is not None
        self.close_steps()
        if was_over or self.session.ending is None:
            self.session.end(termination, why)

    def work(self, seconds: float) -> bool:
        """Run the next job, waiting up to `seconds` for one; return whether there was a job."""
        return self._jobs.do_next(seconds)

    def drain(self) -> None:
        """Run the remaining jobs."""
        while self.work(0):
            pass

    def _act(self, command: Command, arrived: float) -> WatchedAct | None:
        """Record an act that is about to be performed; return None if it must not be."""
        if self.session.ending is not None:
            return None
        continues = self.track.continues(command, arrived)
        before = None if continues else self._seen()
        left = self.session.limits.steps - self.session.steps
        if not continues and self.track.steps("act") > left:
            self.end(Termination.STEP_LIMIT)
            return None
        act = WatchedAct(command, before, arrived, self.session.calls.take(), self._reply)
        self._reply = ""
        self.track.add(act)
        if self.session.plan.is_done is not None:
            self._add(self.track.take(None))  # the steps that are final now that this act follows
            if self.session.ending is not None:
                return None
        self.track.pause(arrived)
        self._latest, self._own_step = None, False
        if command.looks:
            self.track.mark("look")
        return act

    def _look(self) -> None:
        """Record that the program looks at the screen; record steps unless it calls models."""
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
            left = self.session.limits.steps - self.session.steps
            if self.track.steps("begin", "act", "end") > left:
                self.end(Termination.STEP_LIMIT)
                return _OVER
            self._own_step = True
        elif self._own_step:
            self.track.add(WatchedAct(_UNSEEN, self._seen(), arrived, self.session.calls.take()))
            self._own_step, self._latest = False, None
        self.track.mark(phase)
        self.track.pause(arrived)
        return ""

    def _observe(self) -> Observation:
        self.close_steps()
        if self.session.ending is None and time.monotonic() - self._seen_at > _FRESH_SECONDS:
            arrived = time.monotonic()
            self._automation.wait_until_free()
            self.session.look_again()
            self._latest, self._seen_at = self.session.last, time.monotonic()
            self.track.pause(arrived)
        return self.session.observation

    def _decide(self, reply: Reply, by: Callable[[], str] | None) -> Observation | None:
        """Make the session perform an action as a separate step."""
        self.close_steps()
        thinking, decided = self.track.thinking(), time.monotonic()
        self._reply = ""
        try:
            observation = self.session.decide(reply, thinking, by)
        except EpisodeOver:
            return None
        finally:
            self.track.pause(decided)
            self.track.begin_step()
        self._latest, self._seen_at = self.session.last, time.monotonic()
        return observation

    def _automate(self, arrived: float, *, dumps: bool) -> None:
        """Record that the program is about to use Android's UiAutomation."""
        if dumps:
            self._automation.dump_begins()
        else:
            self._automation.server_starts()
        self.track.pause(arrived)

    def _seen(self) -> Capture:
        """Return a capture from after the last act, which is taken if necessary."""
        if self._latest is None or self._seen_at < self.track.changed:
            self._latest = self._capture()
        return self._latest

    def _capture(self) -> Capture:
        self._automation.wait_until_free()
        capture = self.session.look()
        self._seen_at = time.monotonic()
        return capture

    def _write(self) -> None:
        """Record the steps that are final now."""
        self._add(self.track.take(self._seen() if self.track.pending() else None))

    def close_steps(self) -> None:
        """Record all steps, because nothing that follows belongs to them."""
        if self.session.ending is None and self.track.pending():
            self._add(self.track.take(self._seen(), ends=True))

    def _add(self, steps: Iterable[tuple[Step, Capture]]) -> None:
        """Record steps until one of them ends the episode."""
        for step, after in steps:
            self.session.add(step, after)
            if self.session.ending is not None:
                return

    def ended(self, passage: _Passage, error: str) -> None:
        """Record that a command has ended."""
        if passage.dumps:
            self._automation.dump_ended()
        if passage.act is not None:
            passage.act.ended, passage.act.error = time.monotonic(), error
        if passage.looks:
            self._jobs.add(self._look)


@dataclass(slots=True)
class _Passage:
    """A command on its way to the phone (see `Passage`), whose end is reported once."""

    refused: str = ""
    watcher: SessionWatcher | None = None
    act: WatchedAct | None = None
    looks: bool = False
    dumps: bool = False  # whether it uses UiAutomation, so that the next capture waits for it

    def done(self, error: str = "") -> None:
        """Record the end of the command."""
        watcher, self.watcher = self.watcher, None
        if watcher is not None:
            watcher.ended(self, error)


class Automation:
    """Tracks the program's use of UiAutomation; it may be called by any thread."""

    def __init__(self) -> None:
        self._dumps = 0
        self._changed = threading.Condition()
        self._quiet_until = 0.0

    def dump_begins(self) -> None:
        """Record that the program dumps a view hierarchy."""
        with self._changed:
            self._dumps += 1

    def dump_ended(self) -> None:
        """Record that the dump has ended."""
        with self._changed:
            self._dumps -= 1
            self._changed.notify_all()

    def server_starts(self) -> None:
        """Record that the program starts a server, which gets time to connect to UiAutomation."""
        self._quiet_until = time.monotonic() + _SERVER_SECONDS

    def wait_until_free(self) -> None:
        """Wait, but not for ever, until a capture would not take UiAutomation from the program."""
        time.sleep(max(0.0, self._quiet_until - time.monotonic()))
        with self._changed:
            self._changed.wait_for(lambda: not self._dumps, _DUMP_SECONDS)
