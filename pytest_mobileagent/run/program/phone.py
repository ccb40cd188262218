"""The phone as a program drives it by MCP: what is done there are steps of the session."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Raw
from pytest_mobileagent.agent.program.mcp.scripts import run_script

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.observation import Observation
    from pytest_mobileagent.run.program.watch import Watch


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
