"""sqlite3's dot commands."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import decode
from pytest_mobileagent.virtual.shell.sqlite.formats import identifier, literal, modes, text_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.shell.sqlite.shell import SqliteShell

_TERMINAL = 80
_NAMES = (
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name LIKE ? ORDER BY 1"
)


class BadUsageError(Exception):
    """A dot command was called in a way that it does not understand."""


class QuitError(Exception):
    """.quit."""


def dot_command(name: str) -> Callable[[SqliteShell, list[str]], Awaitable[None]]:
    """Return the dot command that is called, or abbreviated as, `name`."""
    known = [each for each in _DOT_COMMANDS if each.startswith(name)]
    if not known:
        msg = f'unknown command or invalid arguments:  "{name}". Enter ".help" for help'
        raise BadUsageError(msg)
    return _DOT_COMMANDS[name if name in known else known[0]]


async def _tables(shell: SqliteShell, args: list[str]) -> None:
    rows = shell.database.query(_NAMES, args[0] if args else "%")
    await shell.print(_in_columns([str(row[0]) for row in rows]))


async def _indexes(shell: SqliteShell, args: list[str]) -> None:
    rows = shell.database.query(
        "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name LIKE ? ORDER BY 1",
        args[0] if args else "%",
    )
    await shell.print(_in_columns([str(row[0]) for row in rows]))


async def _schema(shell: SqliteShell, args: list[str]) -> None:
    pattern = next((word for word in args if not word.startswith("-")), "%")
    rows = shell.database.query(
        "SELECT sql, type, name FROM sqlite_schema WHERE lower(tbl_name) LIKE lower(?) "
        "AND sql IS NOT NULL ORDER BY rowid",
        pattern,
    )
    for sql, kind, name in rows:
        end = _columns_of_view(shell, text_of(name)) if kind == "view" else ""
        await shell.print(f"{text_of(sql)}{end};\n")


def _columns_of_view(shell: SqliteShell, name: str) -> str:
    columns = shell.database.query("SELECT name FROM pragma_table_info(?)", name)
    return f"\n/* {name}({','.join(str(row[0]) for row in columns)}) */"


async def _dump(shell: SqliteShell, args: list[str]) -> None:
    await shell.print("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
    pattern = args[0] if args else "%"
    tables = shell.database.query(
        "SELECT name, sql FROM sqlite_schema WHERE type='table' AND sql IS NOT NULL "
        "AND name LIKE ? AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
        pattern,
    )
    for name, sql in tables:
        await shell.print(f"{text_of(sql)};\n")
        table = identifier(str(name))
        for row in shell.database.query(f"SELECT * FROM {_quoted(str(name))}"):  # noqa: S608
            await shell.print(f"INSERT INTO {table} VALUES({','.join(map(literal, row))});\n")
    others = shell.database.query(
        "SELECT sql FROM sqlite_schema WHERE type IN ('index','trigger','view') "
        "AND sql IS NOT NULL AND name LIKE ? ORDER BY rowid",
        pattern,
    )
    for (sql,) in others:
        await shell.print(f"{text_of(sql)};\n")
    await shell.print("COMMIT;\n")


async def _databases(shell: SqliteShell, _args: list[str]) -> None:
    name = shell.ctx.path(shell.database.name) if shell.database.name else '""'
    await shell.print(f"main: {name} {shell.database.mode}\n")


async def _mode(shell: SqliteShell, args: list[str]) -> None:
    if not args:
        await shell.print(f"current output mode: {shell.style.mode}\n")
        return
    known = [name for name in modes() if name.startswith(args[0])]
    if not known:
        msg = (
            "mode should be one of: ascii box column csv html insert json line list "
            "markdown qbox quote table tabs tcl"
        )
        raise BadUsageError(msg)
    shell.style.become(known[0])
    if known[0] == "column" and shell.style.header is None:
        shell.style.header = True
    shell.style.table = args[1] if args[1:] else "table"


async def _headers(shell: SqliteShell, args: list[str]) -> None:
    shell.style.header = _switch(args, "headers")


async def _bail(shell: SqliteShell, args: list[str]) -> None:
    shell.bail = _switch(args, "bail")


async def _separator(shell: SqliteShell, args: list[str]) -> None:
    if not 1 <= len(args) <= 2:
        msg = "Usage: .separator COL ?ROW?"
        raise BadUsageError(msg)
    shell.style.column = args[0]
    shell.style.row = args[1] if args[1:] else shell.style.row


async def _nullvalue(shell: SqliteShell, args: list[str]) -> None:
    if len(args) != 1:
        msg = "Usage: .nullvalue STRING"
        raise BadUsageError(msg)
    shell.style.null = args[0]


async def _width(shell: SqliteShell, args: list[str]) -> None:
    shell.style.widths = [int(word) for word in args if word.lstrip("-").isdecimal()]


async def _say(shell: SqliteShell, args: list[str]) -> None:
    await shell.print(" ".join(args) + "\n")


async def _read(shell: SqliteShell, args: list[str]) -> None:
    if len(args) != 1:
        msg = "Usage: .read FILE"
        raise BadUsageError(msg)
    try:
        text = decode(await shell.ctx.read(args[0]))
    except OSError:
        msg = f'cannot open "{args[0]}"'
        raise BadUsageError(msg) from None
    lines = iter(text.splitlines(keepends=True))

    async def next_line() -> str:
        return next(lines, "")

    await shell.lines(next_line)


async def _output(shell: SqliteShell, args: list[str]) -> None:
    shell.goal = args[0] if args and args[0] != "stdout" else None
    shell.once = False
    if shell.goal:
        await shell.ctx.save(shell.goal, b"")


async def _output_once(shell: SqliteShell, args: list[str]) -> None:
    await _output(shell, args)
    shell.once = True


async def _import(shell: SqliteShell, args: list[str]) -> None:
    words = [word for word in args if not word.startswith("-")]
    if len(words) != 2:
        msg = "Usage: .import FILE TABLE"
        raise BadUsageError(msg)
    delimiter = "," if "-csv" in args or "--csv" in args else shell.style.column
    text = decode(await shell.ctx.read(words[0]))
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    table = _quoted(words[1])
    if not shell.database.query("SELECT 1 FROM sqlite_schema WHERE name = ?", words[1]):
        columns = ", ".join(f"{_quoted(name)} TEXT" for name in rows.pop(0))
        shell.database.execute(f"CREATE TABLE {table}({columns})")
    for row in rows:
        shell.database.execute(f"INSERT INTO {table} VALUES({','.join(map(literal, row))})")


async def _quit(_shell: SqliteShell, _args: list[str]) -> None:
    raise QuitError


async def _nothing(_shell: SqliteShell, _args: list[str]) -> None:
    """Accept what makes no difference here."""


_DOT_COMMANDS: dict[str, Callable[[SqliteShell, list[str]], Awaitable[None]]] = {
    "bail": _bail,
    "databases": _databases,
    "dump": _dump,
    "exit": _quit,
    "headers": _headers,
    "import": _import,
    "indexes": _indexes,
    "indices": _indexes,
    "mode": _mode,
    "nullvalue": _nullvalue,
    "once": _output_once,
    "output": _output,
    "print": _say,
    "quit": _quit,
    "read": _read,
    "schema": _schema,
    "separator": _separator,
    "tables": _tables,
    "timeout": _nothing,
    "width": _width,
}


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
