"""The state shared by an episode's tools: the phone, the picture's frame, whether it is over."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.mcp.pictures import frame_of, picture_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Collection, Coroutine

    from pytest_mobileagent.action.action import Action, Finish, Impossible
    from pytest_mobileagent.dialect.dialect import Frame
    from pytest_mobileagent.episode.record import Observation
    from pytest_mobileagent.mcp.phone import WatchedPhone
    from pytest_mobileagent.screen.screen import Screen


T = TypeVar("T")
_OVER = "No tool does anything any more: stop here."


class Control:
    """Drives a phone for the tools; one call at a time.

    With `show`, the result of every act carries a picture of the screen after it.
    """

    def __init__(self, phone: WatchedPhone, *, show: bool = False) -> None:
        self.phone = phone
        self.lock = asyncio.Lock()
        self._show = show
        self._frame: Frame | None = None
        self._over = ""
        self._reported = ""

    async def look(self) -> Screen:
        """Look at the screen; coordinates refer to its picture from now on.

        Raises:
            ToolError: the episode is over, or the phone does not answer.
        """
        self._check_open()
        seen = await _answered(self.phone.observe())
        self._see(seen.screen)
        return seen.screen

    async def packages(self) -> Collection[str]:
        """Return the packages of the phone's apps.

        Raises:
            ToolError: as with `look`.
        """
        self._check_open()
        return await _answered(self.phone.packages())

    async def frame(self) -> Frame:
        """Return the frame that coordinates refer to, looking first if there was no look yet.

        Raises:
            ToolError: as with `look`.
        """
        if self._frame is None:
            await self.look()
        assert self._frame is not None
        return self._frame

    async def pixel(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of the screen for a point of the picture.

        Raises:
            ToolError: it lies outside, or as with `look`.
        """
        self._check_open()
        frame = await self.frame()
        wide, high = frame.shown or frame.size
        if not (0 <= x < wide and 0 <= y < high):
            msg = (
                f"({x:g}, {y:g}) is outside of the screen. Coordinates are in pixels of the "
                f"picture that mobile_take_screenshot gives, which is {wide}x{high}: x from 0 to "
                f"{wide - 1}, y from 0 to {high - 1}. Nothing was done."
            )
            raise ToolError(msg)
        return frame.pixel(x, y)

    async def act(self, action: Action, done: str) -> Result:
        """Do an action, and return a sentence that confirms it, with the count of steps.

        Raises:
            ToolError: it could not be done, or the episode is over.
        """
        seen, count = await self._step(self.phone.act(action))
        return await self._told(f"{done} {count}", seen)

    async def run(self, name: str, script: str, done: str) -> Result:
        """Run a shell script on the phone for something that no action covers (see `act`).

        Raises:
            ToolError: as with `act`.
        """
        seen, count = await self._step(self.phone.run(name, script))
        return await self._told(f"{done} {count}", seen)

    async def ask(self, action: Action) -> Result:
        """Ask the user, and return the reply.

        Raises:
            ToolError: as with `act`.
        """
        seen, count = await self._step(self.phone.act(action))
        reply = seen.reply or "The user does not answer."
        return Result(f"The user replies: {reply} {count}")

    async def report(self, report: Finish | Impossible, done: str) -> Result:
        """Report that the agent is done. The first report counts, even if others follow.

        Raises:
            ToolError: the episode was over before, or the report cannot be taken.
        """
        if self._reported:
            return Result(self._reported)
        self._check_open()
        seen = await _answered(self.phone.act(report))
        if seen is not None and seen.notice:
            raise ToolError(seen.notice)
        if seen is None:
            self._reported = done
            self._over = f"You have reported already, and the episode is over. {_OVER}"
        return Result(done)

    async def _step(self, deed: Coroutine[Any, Any, Observation | None]) -> tuple[Observation, str]:
        """Perform a step; return what is seen afterwards, and the count of steps in words."""
        if self._over:
            deed.close()
            raise ToolError(self._over)
        spent = self.phone.steps_left == 0
        seen = await _answered(deed)
        if seen is None:
            why = "The step limit is reached" if spent else "The episode has ended"
            self._over = f"{why}: the episode is over. {_OVER}"
            raise ToolError(self._over)
        left = self.phone.steps_left
        rest = "" if left is None else f", {left} step{'' if left == 1 else 's'} left"
        count = f"(step {self.phone.steps}{rest})"
        count += self._see(seen.screen)
        if seen.notice:
            msg = f"This could not be done: {seen.notice} {count}"
            raise ToolError(msg)
        return seen, count

    async def _told(self, text: str, seen: Observation) -> Result:
        if not self._show:
            return Result(text)
        return Result(text, await asyncio.to_thread(picture_of, seen.screen))

    def _see(self, screen: Screen) -> str:
        """Make the screen's frame that of coordinates; say so if it has changed."""
        before, self._frame = self._frame, frame_of(screen.size)
        if before is None or before.size == screen.size:
            return ""
        wide, high = self._frame.shown or self._frame.size
        return f" The screen has turned: coordinates are in a picture of {wide}x{high} now."

    def _check_open(self) -> None:
        if self._over:
            raise ToolError(self._over)


async def _answered(question: Awaitable[T]) -> T:
    """Wait for the phone.

    Raises:
        ToolError: it does not answer.
    """
    try:
        return await question
    except MobileAgentError as error:
        msg = f"The phone does not do what it should: {error}"
        raise ToolError(msg) from error


class ToolError(Exception):
    """A call that failed; the text says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a call: a text, and a picture (the bytes of a JPEG file) if there is one."""

    text: str
    picture: bytes = b""
