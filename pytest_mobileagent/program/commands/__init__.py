"""A program's requests to its phone as acts and commands, and the watcher that is told of them.

The files here read requests; what they do is an act, a look, or neither. Recorders (of adb, models
and MCP) report to the watcher in their own event loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_mobileagent.action.action import Action


@dataclass(frozen=True, slots=True)
class Pointer:
    """One event of a gesture that arrives in pieces: a finger at the pixel (x, y)."""

    phase: Literal["down", "move", "up", "cancel"]
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Erase:
    """The delete key, pressed `count` times in the focused field."""

    count: int = 1


@dataclass(frozen=True, slots=True)
class Clear:
    """Emptying the focused field."""


@dataclass(frozen=True, slots=True)
class ElementTap:
    """A tap on an element that only an automation server on the phone knows, by its URL's path.

    `adb.raw_log` asks where the element is before the tap is passed on; if nobody knows, `words`
    stand for the tap.
    """

    path: str
    words: str


# What a program does through the screen; `commands.steps` turns it into actions.
Act = Action | Pointer | Erase | Clear | ElementTap


@dataclass(frozen=True, slots=True)
class Command:
    """One request of a program to the phone: a service of adb, or a request over a socket.

    - `text`: the request as the raw record holds it; a name if it is binary.
    - `acts`: what it does through the screen, in order. `looks`: whether it shows the screen
      afterwards. A command with neither is only recorded.
    - `automation`: whether it uses Android's UiAutomation, which serves one client at a time.
    - `destructive`: what it destroys, in words ("uninstalls com.example"); empty if nothing.
    - `refused`: why it is not passed on; empty if it may be. The harness keeps what it needs.
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
        """Report that the command has ended, and how it failed, if that is known."""


class CallWatcher(Protocol):
    """Watches over the model calls of an episode."""

    async def call_begins(self) -> str:
        """Report that a model is about to be asked; return why it must not be, empty if it may."""

    def call_ended(self, words: str) -> None:
        """Report what a model replied; by now, its line is in the episode's calls.jsonl."""


class Watcher(CallWatcher, Protocol):
    """Watches over an episode while a program runs in it."""

    async def command(self, command: Command) -> Passage:
        """Ask to pass a command on; an act waits until the screen before it is captured."""

    async def step(self, phase: Literal["begin", "end"]) -> str:
        """Report that the program itself begins or ends a step.

        Return why the episode is over; empty if it is not.
        """
