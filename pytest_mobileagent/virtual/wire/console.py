"""The emulator console: a text protocol of command lines, each answered with OK or KO."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import secrets
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.wire import console_commands  # noqa: F401 - it registers them
from pytest_mobileagent.virtual.wire.console_commands import (
    ROOT,
    Command,
    Emulator,
    Hangup,
    Refusal,
)

if TYPE_CHECKING:
    from pathlib import Path


LONGEST_LINE = 4096
_READY = "Android Console: type 'help' for a list of commands\n"
_HTTP = re.compile(r"[A-Z]+ \S+ HTTP/\d")


class Console:
    """The conversation with a client: which commands it may use, and their answers."""

    def __init__(self, emulator: Emulator, token_file: Path) -> None:
        self._emulator = emulator
        self._token_file = token_file
        self._open = False
        auth = "user authentication for the emulator console"
        self._all = [
            Command("help|h|?", "print a list of commands", self._help, safe=True),
            *ROOT.parts,
            Command("auth", auth, self._auth, safe=True),
            Command("quit|exit", "quit control session", self._quit, safe=True),
        ]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the client until it disconnects."""

        def say(text: str) -> None:
            writer.write(text.replace("\n", "\r\n").encode(errors="replace"))

        try:
            say(self._greeting())
            while True:
                say(self._answer(await reader.readuntil()))
                await writer.drain()
        except Hangup as last:
            say(str(last))
        except (EOFError, ConnectionError, asyncio.LimitOverrunError):
            pass  # the client has disconnected, or its line is endless
        except OSError as error:
            print(f"ERROR: Unable to access '{self._token_file}': {error}", file=sys.stderr)
        finally:
            writer.close()

    def _greeting(self) -> str:
        self._open = not read_token(self._token_file)
        if self._open:
            return f"{_READY}OK\n"
        return (
            "Android Console: Authentication required\n"
            "Android Console: type 'auth <auth_token>' to authenticate\n"
            "Android Console: you can find your <auth_token> in \n"
            f"'{self._token_file}'\nOK\n"
        )

    def _answer(self, line: bytes) -> str:
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
        except Exception as error:  # noqa: BLE001 - a failing command must not affect the others
            print(f"console command {text!r} failed: {error!r}", file=sys.stderr)
            return f"KO: {error}\n"

    def _run(self, text: str) -> str:
        word, _, rest = text.partition(" ")
        command = self._root().part(word)
        if command is None:
            raise Refusal("unknown command, try 'help'")
        while command.action is None:
            word, _, rest = rest.lstrip(" ").partition(" ")
            if not word:
                raise Refusal("missing sub-command", printed=command.help())
            if (part := command.part(word)) is None:
                raise Refusal(" bad sub-command", printed=command.help())
            command = part
        return command.action(self._emulator, rest.strip(" ")) or ""

    def _root(self) -> Command:
        """Return the commands that are allowed; there are few before authentication."""
        if self._open:
            return Command("", parts=[each for each in self._all if each.names != "auth"])
        safe = [each for each in self._all if each.safe]
        return Command("", parts=[
            replace(each, parts=[part for part in each.parts if part.safe]) for each in safe
        ])  # fmt: skip

    def _help(self, _: Emulator, path: str) -> str:
        command = self._root()
        rows = "".join(f"    {part.names}\n" for part in command.parts)
        end = "Try 'help <command>' for command-specific help"
        listing = f"Android console commands:\n{rows}\n{end}\n"
        for word in path.split():
            if (part := command.part(word)) is None:
                raise Refusal("unknown command", printed=f"{listing}\n")
            command = part
        return command.help(path) if path else listing

    def _auth(self, _: Emulator, token: str) -> str:
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

    def _quit(self, *_: object) -> str:
        raise Hangup


def token_file(home: Path) -> Path:
    """Return the path in a home folder where `adb emu` looks for the token."""
    return home / ".emulator_console_auth_token"


def create_token(file: Path) -> None:
    """Write a new token, readable only by its owner, unless the file exists.

    The file appears with its content at once: an empty file would mean that no token is needed.
    """
    if file.exists():
        return
    draft = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    draft.touch(0o600)
    draft.write_bytes(base64.b64encode(secrets.token_bytes(12)))
    try:
        os.link(draft, file)
    except FileExistsError:
        pass  # another emulator was faster
    finally:
        draft.unlink()


def read_token(file: Path) -> str:
    """Read the token, which is empty if none is needed; OSError if the file cannot be read."""
    return file.read_text().strip()
