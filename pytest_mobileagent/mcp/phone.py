"""The phone that the MCP tools control, an episode's or the user's own, and repeated tool calls."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from pytest_mobileagent.action.action import Ask, Open, Raw, check, ends_episode
from pytest_mobileagent.episode.observation import Observation
from pytest_mobileagent.errors import NoEdgeError, NoShellError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine
    from typing import Any

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.episode.observation import DeviceInfo
    from pytest_mobileagent.program.session_watcher import SessionWatcher
    from pytest_mobileagent.screen.sight import Sight


# `am` and `pm` may exit with status 0 although they have failed, which only their output shows.
_FAILED = re.compile(r"^(Error|Failure)\b", re.MULTILINE)
_LONGEST_NOTICE = 1000  # characters
_LAUNCHABLE = (
    "cmd package query-activities --components"
    " -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
)


class WatchedPhone(Protocol):
    """The phone that the MCP tools control; in an episode, their actions are recorded as steps.

    `info` describes the device. `goal` is the task's goal; empty if there is no episode. `sees`
    says what the client may see of each screen (see `screen.sight`).
    """

    info: DeviceInfo
    goal: str
    sees: Sight

    @property
    def steps(self) -> int:
        """The number of steps so far, by any means."""

    @property
    def steps_left(self) -> int | None:
        """How many steps may follow; None if there is no limit."""

    async def observe(self) -> Observation:
        """Observe the current screen, which is not a step."""

    async def act(self, action: Action) -> Observation | None:
        """Perform an action, and return the next observation; None if the episode is over."""

    async def run(self, name: str, script: str) -> Observation | None:
        """Run a shell script for something that no action covers, recorded as `Raw(name)`."""

    async def packages(self) -> Collection[str]:
        """Return the packages of the apps that can be launched."""


class SessionPhone:
    """The phone of a watched episode (see `WatchedPhone`)."""

    def __init__(self, watcher: SessionWatcher) -> None:
        self.info = watcher.session.device.info
        self.goal = watcher.goal
        self.sees = watcher.session.plan.sees
        self._watcher = watcher

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._watcher.session.steps

    @property
    def steps_left(self) -> int | None:
        """How many steps may follow."""
        session = self._watcher.session
        return max(0, session.limits.steps - session.steps)

    async def observe(self) -> Observation:
        """Observe the current screen."""
        return await self._watcher.look()

    async def act(self, action: Action) -> Observation | None:
        """Perform an action."""
        return await self._watcher.decide(action)

    async def run(self, name: str, script: str) -> Observation | None:
        """Run a script as an action; if it fails, its output becomes the notice."""
        return await self._watcher.decide(Raw(name), partial(run_script, script=script))

    async def packages(self) -> Collection[str]:
        """Return the packages of the apps that can be launched."""
        return await self._watcher.system(launchable)


class OwnPhone:
    """The user's own phone: nothing is recorded, and there is no step limit."""

    def __init__(self, device: Device) -> None:
        self.info = device.info
        self.goal = ""
        self.sees: Sight = "both"
        self.steps = 0
        self.steps_left = None
        self._device = device

    async def observe(self) -> Observation:
        """Observe the current screen."""
        return await asyncio.to_thread(self._observe)

    async def act(self, action: Action) -> Observation:
        """Perform an action; questions and reports have no effect."""
        self.steps += 1
        return await asyncio.to_thread(self._act, action)

    async def run(self, name: str, script: str) -> Observation:
        """Run a shell script; if it fails, its output becomes the notice."""
        self.steps += 1
        return await asyncio.to_thread(self._run, script)

    async def packages(self) -> Collection[str]:
        """Return the packages of the apps that can be launched."""
        system = self._device.system
        return () if system is None else await asyncio.to_thread(launchable, system)

    def _observe(self, notice: str = "") -> Observation:
        seen = self._device.observe()
        notices = filter(None, (notice, seen.lost, seen.screen.notice))
        return Observation(seen.screen, notice="; ".join(notices))

    def _act(self, action: Action) -> Observation:
        if not (ends_episode(action) or isinstance(action, Ask)):
            if notice := self._flaw(action):
                return self._observe(notice)
            try:
                self._device.perform(action)
            except NoEdgeError as error:
                return self._observe(str(error))
        return self._observe()

    def _flaw(self, action: Action) -> str:
        system = self._device.system
        if isinstance(action, Open) and system and action.app not in system.packages():
            return f"no app with the package {action.app} is installed"
        try:
            check(action, self._device.observe().screen.size)
        except ValueError as error:
            return str(error)
        return ""

    def _run(self, script: str) -> Observation:
        system = self._device.system
        if system is None:
            return self._observe("this phone cannot run shell scripts")
        return self._observe(run_script(system, script)[:_LONGEST_NOTICE])


def launchable(system: System) -> Collection[str]:
    """Return the packages of the apps that can be launched; of all, if the phone cannot say.

    Raises:
        DeviceError: if the phone does not answer.
    """
    installed = system.packages()
    try:
        components = system.shell(_LAUNCHABLE)
    except NoShellError:
        return installed
    named = re.findall(r"^\s*([\w.]+)/", components, re.MULTILINE)
    return {package for package in named if package in installed} or installed


def run_script(system: System, script: str) -> str:
    """Run a script; return its output if it failed, or a message if there is no shell; else "".

    Raises:
        DeviceError: if the phone does not answer.
    """
    marker = secrets.token_hex(8)
    try:
        written = system.shell(f"( {script}\n) 2>&1; echo {marker} $?")
    except NoShellError as error:
        return str(error)
    text, _, status = written.rpartition(marker)
    if status.strip() == "0" and not _FAILED.search(text):
        return ""
    return text.strip() or "it failed"


T = TypeVar("T")
_SECONDS = 30.0
_MOST_CALLS = 200  # that are remembered, of all clients together


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller: a session's id, or the name that a client without sessions gives itself."""

    name: str
    has_session: bool


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A call: the id of its request, and a string that identifies the tool and its arguments."""

    caller: Caller
    id: str
    content: str


@dataclass(slots=True)
class _Known(Generic[T]):
    call: ClientCall
    task: asyncio.Task[T]
    lost: bool = False  # whether the reply did not reach the client
    left: bool = False  # whether the client has sent another request since the reply
    ended: float = field(default=float("inf"))

    def is_repeated_by(self, call: ClientCall, now: float) -> bool:
        if (self.call.caller, self.call.content) != (call.caller, call.content):
            return False
        if self.lost and not self.left:
            return True
        if self.call.id != call.id:
            return False
        return call.caller.has_session or (not self.left and now - self.ended <= _SECONDS)


class RepeatedCalls(Generic[T]):
    """Recognises repeated calls, so that each is performed once. `clock` returns seconds.

    Clients repeat a call if its reply was lost. The call is not performed again; the repeat gets
    the result of the first one.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: list[_Known[T]] = []

    def note_request(self, caller: Caller, call: ClientCall | None = None) -> None:
        """Record a client's request, which shows that it has the results of its ended calls.

        This does not apply to a call that the request, `call`, repeats.
        """
        now = self._clock()
        for known in self._calls:
            repeated = call is not None and known.is_repeated_by(call, now)
            if known.call.caller == caller and known.task.done() and not repeated:
                known.left = True

    async def once(self, call: ClientCall, do: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Perform a call unless it is a repeat; cancelling the wait does not cancel the call."""
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
        """Cancel the calls that are still running."""
        tasks = [known.task for known in self._calls if not known.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end(self, known: _Known[T], task: asyncio.Task[T]) -> None:
        known.ended = self._clock()
        if not task.cancelled():
            task.exception()  # mark it as retrieved, in case nothing awaits the task any more
