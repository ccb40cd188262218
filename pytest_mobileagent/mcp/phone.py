"""The phone as MCP's tools drive it: the one of an episode, or a device of a person's own."""

from __future__ import annotations

import asyncio
import re
import secrets
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.action.action import Ask, Open, Raw, ends_episode
from pytest_mobileagent.action.valid import check
from pytest_mobileagent.episode.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.episode.device_info import DeviceInfo
    from pytest_mobileagent.program.runner.watch import Watch

# `am` and `pm` may end with status 0 when they fail, and only say so.
_FAILED = re.compile(r"^(Error|Failure)\b", re.MULTILINE)
_LONGEST_NOTICE = 1000  # characters


class WatchedPhone(Protocol):
    """The phone as MCP's tools drive it; what is done is recorded, and counted as steps.

    `info` is what is known of it, `goal` the task in words; empty where there is no episode.
    """

    info: DeviceInfo
    goal: str

    @property
    def steps(self) -> int:
        """How many steps have been made, by whatever means."""

    @property
    def steps_left(self) -> int | None:
        """How many steps may follow; None where there is no limit."""

    async def observe(self) -> Observation:
        """Look at the screen as it is now. It is no step."""

    async def act(self, action: Action) -> Observation | None:
        """Do an action, and return what is seen then; None when the episode is over."""

    async def run(self, name: str, script: str) -> Observation | None:
        """Run a shell script that does what no action says, recorded as `Raw(name)`."""

    async def packages(self) -> Collection[str]:
        """Return the packages of all apps that the phone has."""


class SessionPhone:
    """A `WatchedPhone`, for as long as the episode that is watched over."""

    def __init__(self, watch: Watch) -> None:
        self.info = watch.session.device.info
        self.goal = watch.goal
        self._watch = watch

    @property
    def steps(self) -> int:
        """How many steps have been made."""
        return self._watch.session.steps

    @property
    def steps_left(self) -> int | None:
        """How many steps may follow."""
        session = self._watch.session
        return max(0, session.limits.steps - session.steps)

    async def observe(self) -> Observation:
        """Look at the screen as it is now."""
        return await self._watch.look()

    async def act(self, action: Action) -> Observation | None:
        """Do an action."""
        return await self._watch.decide(action)

    async def run(self, name: str, script: str) -> Observation | None:
        """Run a script as an action; the notice is what one that fails wrote."""
        return await self._watch.decide(Raw(name), partial(run_script, script=script))

    async def packages(self) -> Collection[str]:
        """Return the packages of all apps that the phone has."""
        return await self._watch.system(lambda system: system.packages())


class OwnPhone:
    """A phone that is watched by nobody: nothing is recorded, and there is no limit."""

    def __init__(self, device: Device) -> None:
        self.info = device.info
        self.goal = ""
        self.steps = 0
        self.steps_left = None
        self._device = device

    async def observe(self) -> Observation:
        """Look at the screen as it is now."""
        return await asyncio.to_thread(self._observe)

    async def act(self, action: Action) -> Observation:
        """Do an action; a question has no user here, and a report ends nothing."""
        self.steps += 1
        return await asyncio.to_thread(self._act, action)

    async def run(self, name: str, script: str) -> Observation:  # noqa: ARG002 - nothing is recorded
        """Run a shell script; if it fails, what it wrote is the notice."""
        self.steps += 1
        return await asyncio.to_thread(self._run, script)

    async def packages(self) -> Collection[str]:
        """Return the packages of all apps."""
        system = self._device.system
        return () if system is None else await asyncio.to_thread(system.packages)

    def _observe(self, notice: str = "") -> Observation:
        return Observation(self._device.observe().screen, notice=notice)

    def _act(self, action: Action) -> Observation:
        if not (ends_episode(action) or isinstance(action, Ask)):
            if notice := self._flaw(action):
                return self._observe(notice)
            self._device.perform(action)
        return self._observe()

    def _flaw(self, action: Action) -> str:
        system = self._device.system
        if isinstance(action, Open) and system and action.app not in system.packages():
            return f"no app of the package {action.app} is installed"
        try:
            check(action, self._device.observe().screen.size)
        except ValueError as error:
            return str(error)
        return ""

    def _run(self, script: str) -> Observation:
        system = self._device.system
        if system is None:
            return self._observe("this phone runs no shell scripts")
        return self._observe(run_script(system, script)[:_LONGEST_NOTICE])


def run_script(system: System, script: str) -> str:
    """Run a script, and return what it wrote if it failed; empty if it did not.

    Raises:
        DeviceError: the phone does not answer.
    """
    marker = secrets.token_hex(8)
    written = system.shell(f"( {script}\n) 2>&1; echo {marker} $?")
    text, _, status = written.rpartition(marker)
    if status.strip() == "0" and not _FAILED.search(text):
        return ""
    return text.strip() or "it failed"
