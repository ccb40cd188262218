"""What the recorders of a program's adb, models and MCP report to an episode's watcher.

All of it is said in the recorders' event loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_mobileagent.action.action import Action


@dataclass(frozen=True, slots=True)
class Pointer:
    """A part of a gesture that comes piece by piece: a finger at the pixel (x, y)."""

    phase: Literal["down", "move", "up", "cancel"]
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Erase:
    """The delete key, pressed `count` times in the focused field."""

    count: int = 1


@dataclass(frozen=True, slots=True)
class Clear:
    """The focused field, emptied."""


@dataclass(frozen=True, slots=True)
class ElementTap:
    """A tap on an element that only an automation server on the phone knows, by its URL's path.

    Where the element is, `adb.elements` asks before the tap is passed on; `words` say it otherwise.
    """

    path: str
    words: str


# What a program does through the screen; `commands.merging` makes actions of it.
Act = Action | Pointer | Erase | Clear | ElementTap


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a program asks of the phone: a service of adb, or a request over a socket.

    - `text`: it in its own words, as the raw record keeps it; what carries no words is named.
    - `acts`: what it does through the screen, in order. `looks`: whether it shows the screen (after
      that). A command with neither is only recorded.
    - `automation`: whether Android's UiAutomation serves it, which one at a time can have.
    - `destructive`: what it destroys, in words ("uninstalls com.example"); empty if nothing.
    - `refused`: why it is not passed on; empty if it may be. What the harness needs cannot be taken
      away.
    """

    text: str
    acts: tuple[Act, ...] = ()
    looks: bool = False
    automation: bool = False
    destructive: str = ""
    refused: str = ""


class Passage(Protocol):
    """A command on its way to the phone."""

    refused: str  # why it must not be passed on; empty if it may

    def done(self, error: str = "") -> None:
        """Say that it has ended, and how it failed, if that is known."""


class Watcher(Protocol):
    """The watcher over an episode while a program plays it."""

    async def command(self, command: Command) -> Passage:
        """Ask before a command is passed on: an act waits until the screen before it is seen."""

    async def call_begins(self) -> str:
        """Say that a model is about to be asked; return why it must not be, empty if it may."""

    def call_ended(self, said: str) -> None:
        """Say what a model replied; its line is in the episode's calls.jsonl by now."""

    async def step(self, phase: Literal["begin", "end"]) -> str:
        """Say that the program itself begins or ends a step.

        Return why the episode is over; empty if it is not.
        """
