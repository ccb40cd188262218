"""The registry of the console's commands, the decorator that adds one, and their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


class Refusal(Exception):
    """A command is answered with KO; the error includes what was printed before it."""

    def __init__(self, reason: str, printed: str = "") -> None:
        super().__init__(reason)
        self.printed = printed


class Hangup(Exception):
    """The console closes the connection after a final message."""


@dataclass(slots=True)
class Emulator:
    """What commands operate on: the phone, and a function that stops it.

    `peers` are the emulators of this process by serial, this one included.
    """

    phone: Phone
    stop: Callable[[], None]
    read_only: bool = False
    peers: Mapping[str, Emulator] = field(default_factory=dict)


# A command receives the rest of the line after its words, and returns the text to print.
Action: TypeAlias = Callable[[Emulator, str], str | None]


@dataclass(slots=True)
class Command:
    """A command of the console, or a group of them."""

    names: str  # alternatives are separated by |
    abstract: str = ""
    action: Action | None = None
    safe: bool = False  # allowed before authentication
    parts: list[Command] = field(default_factory=list)

    def part(self, word: str) -> Command | None:
        """Return the subcommand that `word` names, or None."""
        return next((part for part in self.parts if word in part.names.split("|")), None)

    def help(self, prefix: str = "") -> str:
        """Return the description of the command and its subcommands."""
        if not self.parts:
            return f"{self.abstract}\n"
        rows = (f"   {prefix} {part.names:<15}  {part.abstract}\n" for part in self.parts)
        return f"{self.abstract}\n\navailable sub-commands:\n{''.join(rows)}\n"


ROOT = Command("")


def group(path: str, abstract: str, *, safe: bool = False) -> None:
    """Describe a group of commands."""
    each = _find(path)
    each.abstract, each.safe = abstract, safe


def command(path: str, abstract: str, *, safe: bool = False) -> Callable[[Action], Action]:
    """Register a function as the command that consists of these words."""

    def register(action: Action) -> Action:
        each = _find(path)
        each.abstract, each.action, each.safe = abstract, action, safe
        return action

    return register


def _find(path: str) -> Command:
    """Return the command with these words, creating it if it does not exist."""
    found = ROOT
    for word in path.split():
        part = found.part(word)
        if part is None:
            part = Command(word)
            found.parts.append(part)
        found = part
    return found
