"""The sqlite3 shell: runs statements and dot commands, and prints what they return."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, decode
from pytest_mobileagent.virtual.shell.sqlite.database import (
    Database,
    StatementError,
    statements,
)
from pytest_mobileagent.virtual.shell.sqlite.formats import (
    Style,
    identifier,
    literal,
    modes,
    printed,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_TERMINAL = 80
_NAMES = (
    "SELECT name FROM sqlite_schema WHERE type IN ({kinds}) AND name NOT LIKE 'sqlite\\_%' "
    "ESCAPE '\\' AND name LIKE ? ORDER BY 1"
)


class BadUsageError(Exception):
    """A dot command was called in a way that it does not understand."""


class QuitError(Exception):
    """.quit."""


class SqliteShell:
    """A conversation with one database."""

    def __init__(self, ctx: Context, database: Database, style: Style) -> None:
        self.bail = False
        self.errors = 0
        self._ctx = ctx
        self._database = database
        self._style = style
        self._goal: str | None = None  # the file that .output names
        self._once = False

    async def argument(self, text: str) -> int:
        """Run an argument of the command line: a dot command, or statements."""
        if text.startswith("."):
            return await self._dot(text)
        for sql in statements(text):
            try:
                await self._run(sql)
            except StatementError as error:
                await self._ctx.err(f"Error: {error.phase}, {error}\n")
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
                await self._ctx.err(f"{kind} error near line {line}: {error}\n")
                self.errors += 1
                return

    async def _run(self, sql: str) -> None:
        try:
            result = self._database.execute(sql)
        except StatementError as error:
            await self._print(printed(error.result.names, error.result.rows, self._style))
            raise
        await self._print(printed(result.names, result.rows, self._style))

    async def _print(self, text: str) -> None:
        if self._goal is None:
            await self._ctx.out(text)
        elif text:
            await self._ctx.writer(self._goal, append=True).write(
                text.encode(errors="surrogateescape")
            )
            if self._once:
                self._goal = None

    # Dot commands

    async def _dot(self, line: str) -> int:
        """Run a dot command and return the number of errors."""
        words = _words(line[1:])
        if not words:
            return 0
        name, *args = words
        try:
            await _dot_command(name)(self, args)
        except BadUsageError as error:
            await self._ctx.err(
                f"{error}\n" if str(error).startswith("Usage") else f"Error: {error}\n"
            )
            return 1
        except StatementError as error:
            await self._ctx.err(f"Error: {error}\n")
            return 1
        except sqlite3.Error as error:
            await self._ctx.err(f"Error: {error}\n")
            return 1
        return 0

    async def _tables(self, args: list[str]) -> None:
        rows = self._database.query(_NAMES.format(kinds="'table','view'"), args[0] if args else "%")
        await self._print(_in_columns([str(row[0]) for row in rows]))

    async def _indexes(self, args: list[str]) -> None:
        rows = self._database.query(
            "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name LIKE ? ORDER BY 1",
            args[0] if args else "%",
        )
        await self._print(_in_columns([str(row[0]) for row in rows]))

    async def _schema(self, args: list[str]) -> None:
        pattern = next((word for word in args if not word.startswith("-")), "%")
        rows = self._database.query(
            "SELECT sql, type, name FROM sqlite_schema WHERE lower(tbl_name) LIKE lower(?) "
            "AND sql IS NOT NULL ORDER BY rowid",
            pattern,
        )
        for sql, kind, name in rows:
            end = self._columns_of_view(text_of(name)) if kind == "view" else ""
            await self._print(f"{text_of(sql)}{end};\n")

    def _columns_of_view(self, name: str) -> str:
        columns = self._database.query("SELECT name FROM pragma_table_info(?)", name)
        return f"\n/* {name}({','.join(str(row[0]) for row in columns)}) */"

    async def _dump(self, args: list[str]) -> None:
        await self._print("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
        pattern = args[0] if args else "%"
        tables = self._database.query(
            "SELECT name, sql FROM sqlite_schema WHERE type='table' AND sql IS NOT NULL "
            "AND name LIKE ? AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
            pattern,
        )
        for name, sql in tables:
            await self._print(f"{text_of(sql)};\n")
            table = identifier(str(name))
            for row in self._database.query(f"SELECT * FROM {_quoted(str(name))}"):  # noqa: S608
                await self._print(f"INSERT INTO {table} VALUES({','.join(map(literal, row))});\n")
        others = self._database.query(
            "SELECT sql FROM sqlite_schema WHERE type IN ('index','trigger','view') "
            "AND sql IS NOT NULL AND name LIKE ? ORDER BY rowid",
            pattern,
        )
        for (sql,) in others:
            await self._print(f"{text_of(sql)};\n")
        await self._print("COMMIT;\n")

    async def _databases(self, _args: list[str]) -> None:
        name = self._ctx.path(self._database.name) if self._database.name else '""'
        await self._print(f"main: {name} {self._database.mode}\n")

    async def _mode(self, args: list[str]) -> None:
        if not args:
            await self._print(f"current output mode: {self._style.mode}\n")
            return
        known = [name for name in modes() if name.startswith(args[0])]
        if not known:
            msg = (
                "mode should be one of: ascii box column csv html insert json line list "
                "markdown qbox quote table tabs tcl"
            )
            raise BadUsageError(msg)
        self._style.become(known[0])
        if known[0] == "column" and self._style.header is None:
            self._style.header = True
        self._style.table = args[1] if args[1:] else "table"

    async def _headers(self, args: list[str]) -> None:
        self._style.header = _switch(args, "headers")

    async def _bail(self, args: list[str]) -> None:
        self.bail = _switch(args, "bail")

    async def _separator(self, args: list[str]) -> None:
        if not 1 <= len(args) <= 2:
            msg = "Usage: .separator COL ?ROW?"
            raise BadUsageError(msg)
        self._style.column = args[0]
        self._style.row = args[1] if args[1:] else self._style.row

    async def _nullvalue(self, args: list[str]) -> None:
        if len(args) != 1:
            msg = "Usage: .nullvalue STRING"
            raise BadUsageError(msg)
        self._style.null = args[0]

    async def _width(self, args: list[str]) -> None:
        self._style.widths = [int(word) for word in args if word.lstrip("-").isdecimal()]

    async def _say(self, args: list[str]) -> None:
        await self._print(" ".join(args) + "\n")

    async def _read(self, args: list[str]) -> None:
        if len(args) != 1:
            msg = "Usage: .read FILE"
            raise BadUsageError(msg)
        try:
            text = decode(await self._ctx.read(args[0]))
        except OSError:
            msg = f'cannot open "{args[0]}"'
            raise BadUsageError(msg) from None
        lines = iter(text.splitlines(keepends=True))

        async def next_line() -> str:
            return next(lines, "")

        await self.lines(next_line)

    async def _output(self, args: list[str]) -> None:
        self._goal = args[0] if args and args[0] != "stdout" else None
        self._once = False
        if self._goal:
            await self._ctx.save(self._goal, b"")

    async def _output_once(self, args: list[str]) -> None:
        await self._output(args)
        self._once = True

    async def _import(self, args: list[str]) -> None:
        words = [word for word in args if not word.startswith("-")]
        if len(words) != 2:
            msg = "Usage: .import FILE TABLE"
            raise BadUsageError(msg)
        delimiter = "," if "-csv" in args or "--csv" in args else self._style.column
        text = decode(await self._ctx.read(words[0]))
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
        table = _quoted(words[1])
        if not self._database.query("SELECT 1 FROM sqlite_schema WHERE name = ?", words[1]):
            columns = ", ".join(f"{_quoted(name)} TEXT" for name in rows.pop(0))
            self._database.execute(f"CREATE TABLE {table}({columns})")
        for row in rows:
            self._database.execute(f"INSERT INTO {table} VALUES({','.join(map(literal, row))})")

    async def _quit(self, _args: list[str]) -> None:
        raise QuitError

    async def _nothing(self, _args: list[str]) -> None:
        """Accept what makes no difference here."""


# ruff: noqa: SLF001 - the table belongs to the class above
_DOT_COMMANDS: dict[str, Callable[[SqliteShell, list[str]], Awaitable[None]]] = {
    "bail": SqliteShell._bail,
    "databases": SqliteShell._databases,
    "dump": SqliteShell._dump,
    "exit": SqliteShell._quit,
    "headers": SqliteShell._headers,
    "import": SqliteShell._import,
    "indexes": SqliteShell._indexes,
    "indices": SqliteShell._indexes,
    "mode": SqliteShell._mode,
    "nullvalue": SqliteShell._nullvalue,
    "once": SqliteShell._output_once,
    "output": SqliteShell._output,
    "print": SqliteShell._say,
    "quit": SqliteShell._quit,
    "read": SqliteShell._read,
    "schema": SqliteShell._schema,
    "separator": SqliteShell._separator,
    "tables": SqliteShell._tables,
    "timeout": SqliteShell._nothing,
    "width": SqliteShell._width,
}


def _dot_command(name: str) -> Callable[[SqliteShell, list[str]], Awaitable[None]]:
    """Return the dot command that is called, or abbreviated as, `name`."""
    known = [each for each in _DOT_COMMANDS if each.startswith(name)]
    if not known:
        msg = f'unknown command or invalid arguments:  "{name}". Enter ".help" for help'
        raise BadUsageError(msg)
    return _DOT_COMMANDS[name if name in known else known[0]]


def _words(line: str) -> list[str]:
    """Split a dot command; between double quotes backslashes mean something."""
    found = re.findall(r"'([^']*)'|\"((?:[^\"\\\\]|\\\\.)*)\"|(\S+)", line)
    return [single or _unescaped(double) or plain for single, double, plain in found]


def _unescaped(text: str) -> str:
    return re.sub(
        r"\\(.)", lambda match: {"n": "\n", "t": "\t", "r": "\r"}.get(match[1], match[1]), text
    )


def _switch(args: list[str], name: str) -> bool:
    if len(args) != 1:
        msg = f"Usage: .{name} on|off"
        raise BadUsageError(msg)
    return args[0].lower() in {"on", "yes", "1", "true"}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _in_columns(names: list[str]) -> str:
    """Arrange names as .tables does."""
    if not names:
        return ""
    width = max(map(len, names))
    columns = max(1, _TERMINAL // (width + 2))
    height = -(-len(names) // columns)
    return "".join(
        "  ".join(name.ljust(width) for name in names[row::height]) + "\n" for row in range(height)
    )
