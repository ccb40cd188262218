"""sqlite3: SQL and dot commands on the phone's database files."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.limits import MEMORY, SECONDS, VALUE
from pytest_mobileagent.virtual.shell.session import decode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from pytest_mobileagent.virtual.kernel.access import UserFiles

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
async def sqlite(ctx: Context, args: list[str]) -> int:
    """Run SQL and dot commands on a database."""
    options = [word.lstrip("-") for word in args if word.startswith("-")]
    words = [word for word in args if not word.startswith("-")]
    if unknown := [each for each in options if each not in _SWITCHES and each not in MODES]:
        text = f"unknown option: -{unknown[0]}"
        await ctx.err(f"sqlite3: Error: {text}\nUse -help for a list of options.\n")
        return 1
    if "version" in options:
        await ctx.out(f"{sqlite3.sqlite_version}\n")
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
            if sqlite3.complete_statement(pending):
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


Row: TypeAlias = Sequence[int | float | str | bytes | None]

_ERROR, _NOT_A_DATABASE = 1, 26
_HOST_PRAGMAS = {"temp_store_directory", "data_store_directory"}
_HOST_PRAGMAS |= {"hard_heap_limit", "soft_heap_limit"}  # shared by all connections of this process
_STEPS = 10_000  # SQLite instructions between two checks of the time
_LONGEST_PATTERN = 500
_NO_MEMORY = 7
_WAL, _ROLLBACK = b"\x02\x02", b"\x01\x01"
_VERSIONS = slice(18, 20)  # the bytes of the header with the read and write version
# White space, semicolons and comments, which are not statements for SQLite.
_NO_STATEMENT = re.compile(r"(?:[ \t\n\f\r;]++|--[^\n]*+|(?>/\*.*?(?:\*/|\Z)))*+", re.DOTALL)
_CSV_QUOTED = re.compile(r"[^!#-&(-+\--~]")


class StatementError(Exception):
    """A statement failed, either while it was prepared or while it ran."""

    def __init__(self, message: str, code: int = _ERROR) -> None:
        super().__init__(message + (f" ({code})" if code > _ERROR else ""))
        self.code = code
        self.prepared = code not in {_ERROR, _NOT_A_DATABASE}


class Database:
    """A connection to a file of the phone; committed changes are in the file immediately."""

    def __init__(self, files: UserFiles, name: str, *, readonly: bool = False) -> None:
        self.name = name
        self._files = files
        self._in_memory = name in {"", ":memory:"}
        self._readonly = readonly or (not self._in_memory and not files.may(name, "w"))
        self._bytes = b""
        self._deadline = inf
        self._connection = self._connect(b"")
        self._serialized = _serialize(self._connection)

    async def execute(self, sql: str, *values: object) -> tuple[list[str], list[Row]]:
        """Run a statement; return the names of the columns, and the rows."""
        self._refresh()
        self._deadline = time.monotonic() + SECONDS
        # The thread keeps the event loop free; SQLite regularly checks whether it should continue.
        work = asyncio.get_running_loop().run_in_executor(None, self._execute, sql, values)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._deadline = 0.0
            await asyncio.wait([work])
            if not work.cancelled():
                work.exception()  # retrieved, although nothing needs it any more
            raise
        except sqlite3.Warning as warning:  # several statements where one was expected
            raise StatementError(str(warning)) from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", _ERROR) & 0xFF
            raise StatementError(str(error), code) from None
        finally:
            self._save()

    def _execute(self, sql: str, values: tuple[object, ...]) -> tuple[list[str], list[Row]]:
        cursor = self._connection.execute(sql, values)
        rows: list[Row] = []
        size = 0
        for row in cursor:
            rows.append(row)
            size += 64 + sum(len(each) for each in row if isinstance(each, str | bytes))
            if size > MEMORY:
                raise StatementError("out of memory", _NO_MEMORY)
        return [column[0] for column in cursor.description or ()], rows

    def close(self) -> None:
        """Close the connection, and discard uncommitted changes."""
        self._connection.close()

    def _connect(self, data: bytes) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _LONGEST_PATTERN)
        connection.execute(f"PRAGMA hard_heap_limit={2 * MEMORY}")
        connection.set_progress_handler(lambda: int(time.monotonic() > self._deadline), _STEPS)
        connection.text_factory = decode
        if data:
            if data[_VERSIONS] == _WAL:  # in-memory databases have no write-ahead log
                data = data[:18] + _ROLLBACK + data[20:]
            connection.deserialize(data)
        connection.execute("PRAGMA temp_store=MEMORY")
        if self._readonly:
            connection.execute("PRAGMA query_only=1")
        connection.set_authorizer(_authorize)
        return connection

    def _refresh(self) -> None:
        """Load the file if it has not been loaded, or if something else has changed it."""
        if self._in_memory or self._connection.in_transaction or not self._files.exists(self.name):
            return
        data = self._files.read(self.name)
        if data != self._bytes:
            self._connection.close()
            self._bytes = data
            self._connection = self._connect(data)
            self._serialized = _serialize(self._connection)

    def _save(self) -> None:
        if self._in_memory or self._readonly or self._connection.in_transaction:
            return
        data = _serialize(self._connection)
        if data and data != self._serialized:
            self._files.write(self.name, data)
            self._bytes = self._serialized = data


def _serialize(connection: sqlite3.Connection) -> bytes:
    """Return a database in the format of a file; empty if that is not possible.

    A database that was never written to has a page with some versions of SQLite, and none with
    others.
    """
    try:
        return connection.serialize()
    except sqlite3.Error:
        return b""


def statements(sql: str) -> Iterator[str]:
    """Yield the statements in `sql`; the last one may lack its semicolon.

    Text that is not a statement is left out: since Python 3.12, executing it raises the previous
    statement's error again.
    """
    return (text.strip() for text in _pieces(sql) if not _NO_STATEMENT.fullmatch(text))


def _pieces(sql: str) -> Iterator[str]:
    """Yield `sql` in pieces that each end where a statement may end."""
    pending = ""
    for piece in re.split(r"(?<=;)", sql):
        pending += piece
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    yield pending


def _authorize(action: int, first: str | None, _second: str | None, *_: str | None) -> int:
    """Protect the host's files: deny ATTACH, and pragmas that affect the host."""
    if action == sqlite3.SQLITE_ATTACH and first:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _HOST_PRAGMAS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def printed(mode: str, names: Sequence[str], rows: Sequence[Row], *, header: bool) -> str:
    """Return the rows of a query in the format of a mode, with column names if `header`."""
    return MODES[mode](names, rows, header) if rows else ""


def _text(value: object) -> str:
    """Return a value as sqlite3_column_text does, and an empty string for NULL."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return decode(value.partition(b"\0")[0])
    if not isinstance(value, float):
        return str(value)
    mantissa, exponent, power = f"{value or 0.0:.15g}".partition("e")
    if mantissa.lstrip("-") == "inf":
        return mantissa.title()
    return mantissa + (".0" if "." not in mantissa else "") + exponent + power


def _list(names: Sequence[str], rows: Sequence[Row], header: bool) -> str:
    table = [names, *rows] if header else rows
    return "".join("|".join(map(_text, row)) + "\n" for row in table)


def _csv(names: Sequence[str], rows: Sequence[Row], header: bool) -> str:
    def cell(value: object) -> str:
        text = _text(value)
        if value is None or (text and not _CSV_QUOTED.search(text)):
            return text
        return '"' + text.replace('"', '""') + '"'

    table = [names, *rows] if header else rows
    return "".join(",".join(map(cell, row)) + "\n" for row in table)


def _json(names: Sequence[str], rows: Sequence[Row], _header: bool) -> str:
    def shown(value: object) -> str:
        if isinstance(value, float):
            return _text(value)
        text = decode(value) if isinstance(value, bytes) else value
        return json.dumps(text, ensure_ascii=False)

    objects = (
        ",".join(f"{shown(name)}:{shown(value)}" for name, value in zip(names, row, strict=True))
        for row in rows
    )
    return "[{" + "},\n{".join(objects) + "}]\n"


MODES: dict[str, Callable[[Sequence[str], Sequence[Row], bool], str]] = {
    "csv": _csv,
    "json": _json,
    "list": _list,
}
