"""A device as MCP's tools drive it where there is no episode: for a person who tries it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Ask, Open, ends_episode
from pytest_mobileagent.action.valid import check
from pytest_mobileagent.agent.program.mcp.scripts import run_script
from pytest_mobileagent.episode.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.device.device import Device

_LONGEST_NOTICE = 1000  # characters


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
