"""sqlite3: SQL and dot commands on the phone's database files."""

from __future__ import annotations

import re
import sqlite3 as engine
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.database import (
    MODES,
    Database,
    StatementError,
    printed,
    statements,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_SWITCHES = {"header", "noheader", "batch", "readonly", "version"}
_TERMINAL = 80
_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name LIKE ? ORDER BY 1"
)
_SCHEMA = (
    "SELECT sql, type, name FROM sqlite_schema WHERE tbl_name LIKE ? AND sql IS NOT NULL "
    "ORDER BY rowid"
)


@command("sqlite3")
async def sqlite3(ctx: Context, args: list[str]) -> int:
    """Run SQL and dot commands on a database."""
    options = [word.lstrip("-") for word in args if word.startswith("-")]
    words = [word for word in args if not word.startswith("-")]
    if unknown := [each for each in options if each not in _SWITCHES and each not in MODES]:
        text = f"unknown option: -{unknown[0]}"
        await ctx.err(f"sqlite3: Error: {text}\nUse -help for a list of options.\n")
        return 1
    if "version" in options:
        await ctx.out(f"{engine.sqlite_version}\n")
        return 0
    name, *texts = words or [":memory:"]
    if not _can_open(ctx, name):
        await ctx.err(f'Error: unable to open database "{name}": unable to open database file\n')
        return 1
    database = Database(ctx.files, name, readonly="readonly" in options)
    modes = ["list", *(each for each in options if each in MODES)]
    headers = [each for each in options if each in {"header", "noheader"}]
    shell = _Shell(ctx, database, modes[-1], header=headers[-1:] == ["header"])
    try:
        for text in texts:
            if status := await shell.argument(text):
                return status
        return 0 if texts else await shell.lines()
    except _Quit:
        return 0
    finally:
        database.close()


def _can_open(ctx: Context, name: str) -> bool:
    if name == ":memory:":
        return True
    if ctx.files.exists(name):
        return ctx.files.is_file(name) and ctx.files.may(name, "r")
    folder = ctx.path(name).rpartition("/")[0] or "/"
    return ctx.files.is_dir(folder) and ctx.files.may(folder, "w")


class _Quit(Exception):
    """The command .quit."""


@dataclass(slots=True)
class _Shell:
    """A session with a database."""

    ctx: Context
    database: Database
    mode: str
    header: bool
    errors: int = 0

    async def argument(self, text: str) -> int:
        """Run a command-line argument: a dot command, or statements."""
        if text.startswith("."):
            return await self._dot(text)
        try:
            await self._run(text)
        except StatementError as error:
            phase = "stepping" if error.prepared else "in prepare"
            await self.ctx.err(f"Error: {phase}, {error}\n")
            return error.code
        return 0

    async def lines(self) -> int:
        """Run input line by line, each statement as soon as it is complete."""
        number, start, pending = 0, 1, ""
        while line := await self.ctx.read_line():
            number += 1
            if not pending.strip():
                start = number
                if line.startswith("."):
                    self.errors += await self._dot(line)
                    continue
            pending += line
            if engine.complete_statement(pending):
                await self._from_input(pending, start)
                pending = ""
        await self._from_input(pending, start)
        return int(self.errors > 0)

    async def _from_input(self, text: str, line: int) -> None:
        try:
            await self._run(text)
        except StatementError as error:
            kind = "Runtime" if error.prepared else "Parse"
            await self.ctx.err(f"{kind} error near line {line}: {error}\n")
            self.errors += 1

    async def _run(self, text: str) -> None:
        for sql in statements(text):
            names, rows = await self.database.execute(sql)
            await self.ctx.out(printed(self.mode, names, rows, header=self.header))

    async def _dot(self, line: str) -> int:
        """Run a dot command, which may be abbreviated, and return the number of errors."""
        name, *args = [a or b or c for a, b, c in _DOT_WORD.findall(line[1:])] or [""]
        found = next((each for each in _DOT_COMMANDS if name and each.startswith(name)), None)
        try:
            await self.ctx.out(await _DOT_COMMANDS[found](self, args) if found else _unknown(name))
        except (Failure, StatementError) as error:
            await self.ctx.err(f"Error: {error}\n")
            return 1
        return 0


_DOT_WORD = re.compile(r"'([^']*)'|\"([^\"]*)\"|(\S+)")


async def _tables(shell: _Shell, args: list[str]) -> str:
    _, rows = await shell.database.execute(_TABLES, args[0] if args else "%")
    names = [str(name) for (name,) in rows]
    width = max(map(len, names), default=0)
    height = -(-len(names) // max(1, _TERMINAL // (width + 2)))
    lines = ("  ".join(name.ljust(width) for name in names[at::height]) for at in range(height))
    return "".join(f"{line}\n" for line in lines)


async def _schema(shell: _Shell, args: list[str]) -> str:
    async def columns(kind: object, name: object) -> str:
        if kind != "view":
            return ""
        _, rows = await shell.database.execute("SELECT name FROM pragma_table_info(?)", name)
        return f"\n/* {name}({','.join(str(row[0]) for row in rows)}) */"

    _, rows = await shell.database.execute(_SCHEMA, args[0] if args else "%")
    return "".join([f"{sql!s}{await columns(kind, name)};\n" for sql, kind, name in rows])


def _unknown(name: str) -> NoReturn:
    raise Failure(f'unknown command or invalid arguments:  "{name}". Enter ".help" for help')


async def _quit(_shell: _Shell, _args: list[str]) -> str:
    raise _Quit


_DOT_COMMANDS: dict[str, Callable[[_Shell, list[str]], Awaitable[str]]] = {
    "exit": _quit,
    "quit": _quit,
    "schema": _schema,
    "tables": _tables,
}
