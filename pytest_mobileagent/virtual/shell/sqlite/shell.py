"""The sqlite3 shell: runs statements and dot commands, and prints what they return."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.sqlite.database import (
    Database,
    StatementError,
    statements,
)
from pytest_mobileagent.virtual.shell.sqlite.dot import BadUsageError, dot_command
from pytest_mobileagent.virtual.shell.sqlite.formats import (
    Style,
    printed,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.shell.commands import Context


class SqliteShell:
    """A conversation with one database."""

    def __init__(self, ctx: Context, database: Database, style: Style) -> None:
        self.bail = False
        self.errors = 0
        self.ctx = ctx
        self.database = database
        self.style = style
        self.goal: str | None = None  # the file that .output names
        self.once = False

    async def argument(self, text: str) -> int:
        """Run an argument of the command line: a dot command, or statements."""
        if text.startswith("."):
            return await self._dot(text)
        for sql in statements(text):
            try:
                await self._run(sql)
            except StatementError as error:
                await self.ctx.err(f"Error: {error.phase}, {error}\n")
                return error.code
        return 0

    async def lines(self, read: Callable[[], Awaitable[str]]) -> int:
        """Run what is read line by line, each statement as soon as it is complete."""
        number, start, pending = 0, 1, ""
        while line := await read():
            number += 1
            if not pending.strip():
                start = number
                if line.startswith("."):
                    self.errors += await self._dot(line)
                    if self.bail and self.errors:
                        break
                    continue
            pending += line
            if sqlite3.complete_statement(pending):
                await self._from_input(pending, start)
                pending = ""
                if self.bail and self.errors:
                    break
        if pending.strip():
            await self._from_input(pending, start)
        return int(self.errors > 0)

    async def _from_input(self, text: str, line: int) -> None:
        for sql in statements(text):
            try:
                await self._run(sql)
            except StatementError as error:
                kind = "Parse" if error.phase == "in prepare" else "Runtime"
                await self.ctx.err(f"{kind} error near line {line}: {error}\n")
                self.errors += 1
                return

    async def _run(self, sql: str) -> None:
        try:
            result = self.database.execute(sql)
        except StatementError as error:
            await self.print(printed(error.result.names, error.result.rows, self.style))
            raise
        await self.print(printed(result.names, result.rows, self.style))

    async def print(self, text: str) -> None:
        """Print to stdout, or to the file that .output names."""
        if self.goal is None:
            await self.ctx.out(text)
        elif text:
            await self.ctx.writer(self.goal, append=True).write(
                text.encode(errors="surrogateescape")
            )
            if self.once:
                self.goal = None

    # Dot commands

    async def _dot(self, line: str) -> int:
        """Run a dot command and return the number of errors."""
        words = _words(line[1:])
        if not words:
            return 0
        name, *args = words
        try:
            await dot_command(name)(self, args)
        except BadUsageError as error:
            await self.ctx.err(
                f"{error}\n" if str(error).startswith("Usage") else f"Error: {error}\n"
            )
            return 1
        except StatementError as error:
            await self.ctx.err(f"Error: {error}\n")
            return 1
        except sqlite3.Error as error:
            await self.ctx.err(f"Error: {error}\n")
            return 1
        return 0


def _words(line: str) -> list[str]:
    """Split a dot command; between double quotes backslashes mean something."""
    found = re.findall(r"'([^']*)'|\"((?:[^\"\\\\]|\\\\.)*)\"|(\S+)", line)
    return [single or _unescaped(double) or plain for single, double, plain in found]


def _unescaped(text: str) -> str:
    return re.sub(
        r"\\(.)", lambda match: {"n": "\n", "t": "\t", "r": "\r"}.get(match[1], match[1]), text
    )
