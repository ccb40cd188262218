"""A program's requests to its phone, parsed as commands, and the watcher that they are reported to.

The modules here parse requests: each is an act, a look at the screen, or neither. Recorders (of
adb, models and MCP) report to the watcher in their own event loop.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import parse_qsl

from pytest_mobileagent.action import Action, Raw

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Pointer:
    """One event of a gesture that arrives in several events: a finger at the pixel (x, y)."""

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
    """A tap on an element that an automation server on the phone knows by the path of a URL.

    `adb.recorded_adb` looks up the element's position before the tap is passed on; if it is
    unknown, the text `words` describes the tap.
    """

    path: str
    words: str


# Anything that a program does through the screen; `commands.steps` turns acts into actions.
Act = Action | Pointer | Erase | Clear | ElementTap


def opaque(_: object, raw: str) -> tuple[Act, ...]:
    """Read a request whose effect is unknown: its text is the act."""
    return (Raw(raw),)


def fixed(act: Act) -> Callable[[object, str], tuple[Act, ...]]:
    """Return a reader of requests that always do the same, whatever their arguments."""
    return lambda _, __: (act,)


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; `upgrades` says whether other data than HTTP follows it."""

    method: str
    target: str
    body: bytes = b""
    upgrades: bool = False

    @property
    def path(self) -> str:
        """The path of the target, without the query."""
        return self.target.partition("?")[0]

    @property
    def values(self) -> Any:
        """The values in its body: JSON, or a form together with the query."""
        text = self.body.decode("utf-8", "replace").strip()
        query = dict(parse_qsl(self.target.partition("?")[2]))
        try:
            return json.loads(text) if text else query
        except (ValueError, RecursionError):
            return dict(parse_qsl(text)) | query


@dataclass(frozen=True, slots=True)
class FileRead:
    """The reading of a file of the phone, as by `adb pull`."""

    path: str


@dataclass(frozen=True, slots=True)
class Command:
    """One request of a program to the phone: an adb service, or a request over a socket.

    - `text`: the text of the request in the raw record; a name if the request is binary.
    - `acts`: what it does through the screen, in order. `looks`: whether it returns the screen
      afterwards. A command with neither is only recorded.
    - `automation`: whether it uses Android's UiAutomation, which serves one client at a time.
    - `refused`: why it is not passed on, because it would break what the harness needs, or show
      what the program must not see; empty if it may be passed on. `ends`: whether the refusal ends
      the episode, because a channel cannot be controlled.
    - `request`: the request over a socket as it was parsed, or the file that is read.
    - `answer`: what is answered in the phone's place; empty if the phone answers.
    """

    text: str
    acts: tuple[Act, ...] = ()
    looks: bool = False
    automation: bool = False
    refused: str = ""
    ends: bool = False
    request: Request | FileRead | None = None
    answer: bytes = b""


class Passage(Protocol):
    """A command on its way to the phone."""

    refused: str  # why it must not be passed on; empty if it may be

    def done(self, error: str = "") -> None:
        """Report that the command has ended, and how it failed, if that is known."""


class CallWatcher(Protocol):
    """Permits the model calls of an episode, and is notified of replies."""

    async def call_begins(self) -> str:
        """Report that a model is about to be called; return why it must not be, or ""."""

    def call_ended(self, words: str) -> None:
        """Report a model's reply; its line is already in the episode's calls.jsonl."""


class Watcher(CallWatcher, Protocol):
    """Permits everything that a program does in an episode, and records it."""

    async def command(self, command: Command) -> Passage:
        """Ask to pass a command on; an act waits until the screen before it has been captured."""

    async def step(self, phase: Literal["begin", "end"]) -> str:
        """Report that the program itself begins or ends a step.

        Return why the episode is over; empty if it goes on.
        """
