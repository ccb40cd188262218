"""The emulator console: a text protocol of command lines, each answered with OK or KO."""

from __future__ import annotations

import asyncio
import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.wire.console.token import read_token

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Action = Callable[[str], str | None]  # takes what follows the command, gives what to print

LONGEST_LINE = 4096
_READY = "Android Console: type 'help' for a list of commands\n"
_HTTP = re.compile(r"[A-Z]+ \S+ HTTP/\d")


class Refusal(Exception):  # noqa: N818 - an answer, not an error of ours
    """A command is answered with KO; what was printed before it comes along."""

    def __init__(self, reason: str, printed: str = "") -> None:
        super().__init__(reason)
        self.printed = printed


class Hangup(Exception):  # noqa: N818 - an answer, not an error of ours
    """The console closes the connection after some last words."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the console, or a group of them."""

    names: str  # alternatives are separated by |
    abstract: str
    action: Action | None = None
    parts: tuple[Command, ...] = ()
    safe: bool = False  # allowed before authentication

    def called(self, word: str) -> bool:
        """Tell whether `word` names this command."""
        return word in self.names.split("|")

    def help(self, prefix: str = "") -> str:
        """Describe the command and what belongs to it."""
        if not self.parts:
            return f"{self.abstract}\n"
        rows = (f"   {prefix} {part.names:<15}  {part.abstract}\n" for part in self.parts)
        return f"{self.abstract}\n\navailable sub-commands:\n{''.join(rows)}\n"


class Console:
    """Serves the console to whoever knows the token."""

    def __init__(self, commands: Sequence[Command], token_file: Path) -> None:
        self._commands = commands
        self._token_file = token_file

    async def attach(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it leaves."""

        def say(text: str) -> None:
            writer.write(text.replace("\n", "\r\n").encode(errors="replace"))

        try:
            dialog = _Dialog(self._commands, self._token_file)
            say(dialog.greeting())
            while True:
                say(dialog.answer(await reader.readuntil()))
                await writer.drain()
        except Hangup as last:
            say(str(last))
        except (EOFError, ConnectionError, asyncio.LimitOverrunError):
            pass  # the client has gone, or its line has no end
        except OSError as error:
            print(f"ERROR: Unable to access '{self._token_file}': {error}", file=sys.stderr)
        finally:
            writer.close()


class _Dialog:
    """The talk with one client: what it may do, and what it gets for an answer."""

    def __init__(self, commands: Sequence[Command], token_file: Path) -> None:
        self._token_file = token_file
        self._open = not read_token(token_file)
        own = (
            Command("help|h|?", "print a list of commands", self._help, safe=True),
            Command("help-verbose", "print a list of commands with descriptions",
                    self._help_verbose, safe=True),
            Command("auth", "user authentication for the emulator console", self._auth, safe=True),
            Command("quit|exit", "quit control session", self._quit, safe=True),
        )  # fmt: skip
        self._all = (*own[:2], *commands, *own[2:])

    def greeting(self) -> str:
        if self._open:
            return f"{_READY}OK\n"
        return (
            "Android Console: Authentication required\n"
            "Android Console: type 'auth <auth_token>' to authenticate\n"
            "Android Console: you can find your <auth_token> in \n"
            f"'{self._token_file}'\nOK\n"
        )

    def answer(self, line: bytes) -> str:
        """Answer one line."""
        try:
            text = line.decode().replace("\r", "").rstrip("\n")
        except UnicodeDecodeError:
            raise Hangup("KO: Forbidden binary request. Aborting\n") from None
        if _HTTP.match(text):
            raise Hangup("KO: Forbidden HTTP request. Aborting\n")
        try:
            return f"{self._run(text)}OK\n"
        except Refusal as refusal:
            return f"{refusal.printed}KO: {refusal}\n"
        except Hangup:
            raise
        except Exception as error:  # noqa: BLE001 - one that breaks must not take the others along
            print(f"console command {text!r} failed: {error!r}", file=sys.stderr)
            return f"KO: {error}\n"

    def _run(self, text: str) -> str:
        word, _, rest = text.partition(" ")
        command = self._find(word, self._commands())
        if command is None:
            raise Refusal("unknown command, try 'help'")
        while command.action is None:
            word, _, rest = rest.lstrip(" ").partition(" ")
            if not word:
                raise Refusal("missing sub-command", printed=command.help())
            part = self._find(word, command.parts)
            if part is None:
                raise Refusal(" bad sub-command", printed=command.help())
            command = part
        return command.action(rest.strip(" ")) or ""

    def _find(self, word: str, commands: Sequence[Command]) -> Command | None:
        return next((command for command in commands if command.called(word)), None)

    def _commands(self) -> Sequence[Command]:
        if self._open:
            return [command for command in self._all if command.names != "auth"]
        return [
            replace(command, parts=tuple(part for part in command.parts if part.safe))
            for command in self._all
            if command.safe
        ]

    def _help(self, path: str) -> str:
        rows = "".join(f"    {command.names}\n" for command in self._commands())
        listing = (
            f"Android console commands:\n{rows}\nTry 'help-verbose' for more description\n"
            "Try 'help <command>' for command-specific help\n"
        )
        if not path:
            return listing
        commands = self._commands()
        for word in path.split():
            command = self._find(word, commands)
            if command is None:
                raise Refusal("unknown command", printed=f"{listing}\n")
            commands = command.parts
        return command.help(path) if command else ""

    def _help_verbose(self, _: str) -> str:
        rows = "".join(f"    {c.names:<15}  {c.abstract}\n" for c in self._commands())
        return (
            f"Android console command help:\n\n{rows}\n"
            "try 'help <command>' for command-specific help\n"
        )

    def _auth(self, token: str) -> str:
        if not token:
            raise Refusal("missing authentication token")
        try:
            expected = read_token(self._token_file)
        except OSError:
            raise Refusal("unable to read ~/.emulator_console_auth_token") from None
        if token != expected:
            raise Refusal("authentication token does not match ~/.emulator_console_auth_token")
        self._open = True
        return _READY

    def _quit(self, _: str) -> str:
        raise Hangup
