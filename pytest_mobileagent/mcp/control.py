"""The definition of a tool, independent of the protocol, and how tools control a phone."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.perception.picture import encode, resized

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping

    from pytest_mobileagent.action import Action, Finish, Impossible
    from pytest_mobileagent.episode.observation import DeviceInfo, Observation
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.sight import Sight


T = TypeVar("T")
Run = TypeVar("Run", bound="Callable[..., Awaitable[ToolResult]]")
_OVER = "No tool does anything any more: stop here."


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


class Control:
    """Controls a phone for the tools, one call at a time.

    It keeps track of the frame to which coordinates refer, and of whether the episode is over. With
    `show`, the result of every action includes a picture of the screen after it.
    """

    def __init__(self, phone: WatchedPhone, *, show: bool = False) -> None:
        self.phone = phone
        self.lock = asyncio.Lock()
        self._show = show
        self._frame: Frame | None = None
        self._over = ""
        self._reported = ""

    async def look(self) -> Screen:
        """Observe the screen; from now on, coordinates refer to its picture.

        Raises:
            ToolError: if the episode is over, or the phone does not answer.
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
        """Return the frame to which coordinates refer, after a first look at the screen if needed.

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
            ToolError: if the point lies outside the picture, or as with `look`.
        """
        self._check_open()
        frame = await self.frame()
        wide, high = frame.shown or frame.size
        if not (0 <= x < wide and 0 <= y < high):
            raise ToolError(
                f"({x:g}, {y:g}) is outside the screen. Coordinates are in pixels of the picture "
                f"that mobile_take_screenshot returns, which is {wide}x{high}: x from 0 to "
                f"{wide - 1}, y from 0 to {high - 1}. Nothing was done."
            )
        return frame.pixel(x, y)

    async def act(self, action: Action, done: str) -> ToolResult:
        """Perform an action; the result confirms it with the text `done` and the step count.

        Raises:
            ToolError: if the action could not be performed, or the episode is over.
        """
        return await self._act(self.phone.act(action), done)

    async def run(self, name: str, script: str, done: str) -> ToolResult:
        """Run a shell script for something that no action covers; otherwise like `act`.

        Raises:
            ToolError: as with `act`.
        """
        return await self._act(self.phone.run(name, script), done)

    async def ask(self, action: Action) -> ToolResult:
        """Ask the user a question, and return the reply.

        Raises:
            ToolError: as with `act`.
        """
        seen, count = await self._step(self.phone.act(action))
        reply = seen.reply or "The user does not answer."
        return ToolResult(f"The user replies: {reply} {count}")

    async def report(self, report: Finish | Impossible, done: str) -> ToolResult:
        """Report that the agent is done; later reports are ignored.

        Raises:
            ToolError: if the episode was already over, or the report was refused.
        """
        if self._reported:
            return ToolResult(self._reported)
        self._check_open()
        seen = await _answered(self.phone.act(report))
        if seen is not None and seen.failure:
            raise ToolError(seen.failure)
        if seen is None:
            self._reported = done
            self._over = f"You have already reported, and the episode is over. {_OVER}"
        return ToolResult(done)

    async def _step(self, work: Coroutine[Any, Any, Observation | None]) -> tuple[Observation, str]:
        """Perform a step; return the observation after it, and text with the step count."""
        if self._over:
            work.close()
            raise ToolError(self._over)
        spent = self.phone.steps_left == 0
        seen = await _answered(work)
        if seen is None:
            why = "The step limit is reached" if spent else "The episode has ended"
            self._over = f"{why}: the episode is over. {_OVER}"
            raise ToolError(self._over)
        left = self.phone.steps_left
        rest = "" if left is None else f", {left} step{'' if left == 1 else 's'} left"
        count = f"(step {self.phone.steps}{rest})"
        count += self._see(seen.screen)
        if seen.failure:
            raise ToolError(f"This could not be done: {seen.notice} {count}")
        count += f" Note: {seen.notice}." if seen.notice else ""
        return seen, count

    async def _act(self, work: Coroutine[Any, Any, Observation | None], done: str) -> ToolResult:
        seen, count = await self._step(work)
        picture = await asyncio.to_thread(picture_of, seen.screen) if self._show else b""
        return ToolResult(f"{done} {count}", picture)

    def _see(self, screen: Screen) -> str:
        """Make coordinates refer to a screen; return a notice if the screen has rotated."""
        before, self._frame = self._frame, frame_of(screen.size)
        if before is None or before.size == screen.size:
            return ""
        wide, high = self._frame.shown or self._frame.size
        return f" The screen has rotated: coordinates now refer to a picture of {wide}x{high}."

    def _check_open(self) -> None:
        if self._over:
            raise ToolError(self._over)


async def _answered(question: Awaitable[T]) -> T:
    """Return the phone's answer.

    Raises:
        ToolError: if the phone failed or does not answer.
    """
    try:
        return await question
    except MobileAgentError as error:
        raise ToolError(f"The phone failed: {error}") from error


class ToolError(Exception):
    """A call has failed; the message says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call: text, and a picture (a JPEG file) if there is one."""

    text: str
    picture: bytes = b""


Kind = Literal["number", "string", "boolean"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool.

    `choices` are the strings that are allowed; `least` and `most` bound a number.
    """

    name: str
    kind: Kind
    about: str
    required: bool = True
    choices: tuple[str, ...] = ()
    least: float = -math.inf
    most: float = math.inf

    def schema(self) -> dict[str, Any]:
        """Return the argument's JSON schema."""
        schema: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.least > -math.inf:
            schema["minimum"] = self.least
        if self.most < math.inf:
            schema["maximum"] = self.most
        return schema

    def read(self, value: Any) -> Any:
        """Return an argument converted for the tool; numbers and flags may be strings.

        Raises:
            ToolError: if the value is invalid.
        """
        read: Any = _READERS[self.kind](value)
        if read is None:
            raise ToolError(f"{self.name} must be a {self.kind}, not {value!r:.100}")
        if self.choices and read not in self.choices:
            msg = f"{self.name} must be one of {', '.join(self.choices)}, not {value!r:.100}"
            raise ToolError(msg)
        if self.kind == "number" and not self.least <= read <= self.most:
            msg = f"{self.name} must be from {self.least:g} to {self.most:g}, not {read:g}"
            raise ToolError(msg)
        return read


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


# Each returns None if it cannot convert the value.
_READERS: dict[Kind, Callable[[Any], Any]] = {
    "number": _number,
    "string": lambda value: value if isinstance(value, str) else None,
    "boolean": lambda value: {"true": True, "false": False}.get(str(value).lower()),
}
DEVICE = Parameter("device", "string", "optional: there is only one phone", required=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: `run` takes its arguments by name.

    `looks` says whether it only observes, `destroys` whether it can destroy something.
    """

    name: str
    title: str
    about: str
    run: Callable[..., Awaitable[ToolResult]]
    parameters: tuple[Parameter, ...] = ()
    looks: bool = False
    destroys: bool = False

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of all arguments."""
        return {
            "type": "object",
            "properties": {each.name: each.schema() for each in self.parameters},
            "required": [each.name for each in self.parameters if each.required],
        }

    async def call(self, control: Control, arguments: Mapping[str, Any]) -> ToolResult:
        """Call the tool; arguments that are unknown or null are ignored.

        Raises:
            ToolError: if an argument is missing or invalid, or the call failed.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        if missing := [p.name for p in self.parameters if p.required and p.name not in given]:
            msg = f"{self.name} needs {' and '.join(missing)}: call it again with all arguments"
            raise ToolError(msg)
        read = {p.name: p.read(given[p.name]) for p in self.parameters if p.name in given}
        read.pop(DEVICE.name, None)
        return await self.run(control, **read)


def tool(
    tools: dict[str, Tool],
    *parameters: Parameter,
    about: str = "",
    device: bool = True,
    looks: bool = False,
    destroys: bool = False,
) -> Callable[[Run], Run]:
    """Add the decorated function to `tools`, by its name; its docstring tells models about it.

    `about` replaces the docstring. Unless `device` is False, the tool also takes DEVICE.
    """

    def add(run: Run) -> Run:
        name = run.__name__
        title = name.removeprefix("mobile_").replace("_", " ").title()
        text = about or " ".join((run.__doc__ or "").split())
        taken = (DEVICE, *parameters) if device else parameters
        tools[name] = Tool(name, title, text, run, taken, looks, destroys)
        return run

    return add


LONGEST_SIDE = 1568  # pixels; models scale larger pictures down, and many above 2,000 fail
_MOST_BYTES = 600_000  # clients refuse more than 1 MiB, and base64 makes a picture a third larger
_QUALITIES = (85, 70, 50, 30, 10)


def frame_of(size: tuple[int, int]) -> Frame:
    """Return the frame that maps points of the picture to pixels of a screen of `size`."""
    longest = max(size)
    if longest <= LONGEST_SIDE:
        return Frame(size, size)
    width, height = (max(1, round(side * LONGEST_SIDE / longest)) for side in size)
    return Frame(size, (width, height))


def picture_of(screen: Screen) -> bytes:
    """Return a screen's picture as a JPEG file, in the size that `frame_of` chooses.

    Raises:
        ScreenError: if the screenshot cannot be decoded.
    """
    size = frame_of(screen.image.size).shown
    assert size is not None
    image = resized(screen.image, size)
    for quality in _QUALITIES:
        data = encode(image, "jpeg", quality)
        if len(data) <= _MOST_BYTES:
            break
    return data
