"""A database file of the phone, opened as sqlite3 would, and the ways to print its rows."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.shell.streams import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.virtual.shell.userfiles import UserFiles

_SEPARATORS = {"csv": (",", "\r\n"), "tabs": ("\t", "\n")}
_CSV_QUOTED = re.compile(r"[^!#-&(-~]")


@dataclass(slots=True)
class Style:
    """How rows are printed now."""

    mode: str = "list"
    header: bool | None = None  # None: as the mode likes it
    column: str = "|"
    row: str = "\n"

    def become(self, mode: str) -> None:
        """Change the mode, with its separators."""
        self.mode = mode
        self.column, self.row = _SEPARATORS.get(mode, ("|", "\n"))

    def printed(self, names: Sequence[str], rows: Sequence[Row]) -> str:
        """Return the rows of a query as the mode prints them."""
        return MODES[self.mode](names, rows, self) if rows else ""


def _text(value: object) -> str:
    """Return a value as sqlite3_column_text does, and nothing for NULL."""
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


def _lines(rows: Iterable[Iterable[str]], style: Style) -> str:
    return "".join(style.column.join(cells) + style.row for cells in rows)


def _list(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    head = [names] if style.header else []
    return _lines([*head, *([_text(value) for value in row] for row in rows)], style)


def _csv(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    def cell(value: object) -> str:
        text = _text(value)
        if value is None or (text and not _CSV_QUOTED.search(text) and style.column not in text):
            return text
        return '"' + text.replace('"', '""') + '"'

    return _lines([map(cell, row) for row in ([names] if style.header else []) + list(rows)], style)


def _json(names: Sequence[str], rows: Sequence[Row], _style: Style) -> str:
    def member(name: str, value: object) -> str:
        text = decode(value) if isinstance(value, bytes) else value
        shown = _text(text) if isinstance(text, float) else json.dumps(text, ensure_ascii=False)
        return f"{json.dumps(name, ensure_ascii=False)}:{shown}"

    objects = ("{" + ",".join(map(member, names, row)) + "}" for row in rows)
    return "[" + ",\n".join(objects) + "]\n"


def _column(names: Sequence[str], rows: Sequence[Row], style: Style) -> str:
    cells = [[_text(value) for value in row] for row in rows]
    table = [list(names), *cells] if style.header else cells
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    if style.header:
        table.insert(1, ["-" * width for width in widths])
    return "".join("  ".join(map(str.ljust, row, widths)) + "\n" for row in table)


MODES: dict[str, Callable[[Sequence[str], Sequence[Row], Style], str]] = {
    "list": _list,
    "csv": _csv,
    "tabs": _list,
    "json": _json,
    "column": _column,
}


Row: TypeAlias = Sequence[int | float | str | bytes | None]

_NOT_A_DATABASE = 26
_HOST_PRAGMAS = {"temp_store_directory", "data_store_directory"}
_WAL, _ROLLBACK = b"\x02\x02", b"\x01\x01"
_VERSIONS = slice(18, 20)  # of the header: how the file may be read and written


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement returned."""

    names: list[str]
    rows: list[Row]


class StatementError(Exception):
    """A statement failed, when it was prepared or while it ran; `rows` had come before."""

    def __init__(self, phase: str, message: str, code: int, result: Result) -> None:
        super().__init__(message + (f" ({code})" if code > 1 else ""))
        self.phase = phase
        self.code = code
        self.result = result


class Database:
    """One connection to a file of the phone; what is committed is in the file at once."""

    def __init__(self, files: UserFiles, name: str, *, readonly: bool = False) -> None:
        self.name = name
        self._files = files
        self._in_memory = name in {"", ":memory:"}
        self._readonly = readonly or (not self._in_memory and not files.may(name, "w"))
        self._bytes = b""
        self._connection = self._connect(b"")
        self._refresh()

    def execute(self, sql: str) -> Result:
        """Run one statement."""
        self._refresh()
        result = Result([], [])
        try:
            cursor = self._connection.execute(sql)
            result.names[:] = [column[0] for column in cursor.description or ()]
            for row in cursor:
                result.rows.append(row)
        except sqlite3.Error as error:
            raise self._failure(error, sql, result) from None
        except sqlite3.Warning as warning:  # several statements, where one was expected
            raise StatementError("in prepare", str(warning), 1, result) from None
        finally:
            self._save()
        return result

    def query(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query of our own."""
        self._refresh()
        return self._connection.execute(sql, values).fetchall()

    def close(self) -> None:
        """Close the connection, and forget what was not committed."""
        self._connection.close()

    def _connect(self, data: bytes) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.text_factory = decode
        if data:
            if data[_VERSIONS] == _WAL:  # memory knows no write-ahead log
                data = data[:18] + _ROLLBACK + data[20:]
            connection.deserialize(data)
        connection.execute("PRAGMA temp_store=MEMORY")
        if self._readonly:
            connection.execute("PRAGMA query_only=1")
        connection.set_authorizer(_authorize)
        return connection

    def _refresh(self) -> None:
        """Read the file again if somebody else has written it."""
        if self._in_memory or self._connection.in_transaction or not self._files.exists(self.name):
            return
        data = self._files.read(self.name)
        if data != self._bytes:
            self._connection.close()
            self._bytes = data
            self._connection = self._connect(data)

    def _save(self) -> None:
        if self._in_memory or self._readonly or self._connection.in_transaction:
            return
        try:
            data = self._connection.serialize()
        except sqlite3.Error:  # not a database
            return
        if data and data != self._bytes:
            self._files.write(self.name, data)
            self._bytes = data

    def _failure(self, error: sqlite3.Error, sql: str, result: Result) -> StatementError:
        code = getattr(error, "sqlite_errorcode", 1) & 0xFF
        stepped = code not in {1, _NOT_A_DATABASE} or (code == 1 and self._prepares(sql))
        return StatementError("stepping" if stepped else "in prepare", str(error), code, result)

    def _prepares(self, sql: str) -> bool:
        try:
            self._connection.execute(f"EXPLAIN {sql}").close()
        except (sqlite3.Error, sqlite3.Warning):
            return False
        return True


def statements(sql: str) -> Iterator[str]:
    """Yield the statements in `sql`, the last of which may lack its semicolon."""
    pending = ""
    for piece in re.split(r"(?<=;)", sql):
        pending += piece
        if sqlite3.complete_statement(pending):
            if _says_something(pending):
                yield pending.strip()
            pending = ""
    if _says_something(pending):
        yield pending.strip()


def _says_something(sql: str) -> bool:
    """Whether there is more than blanks, comments and semicolons."""
    return bool(re.sub(r"--[^\n]*|/\*.*?\*/|[\s;]", "", sql, flags=re.DOTALL))


def _authorize(action: int, first: str | None, _second: str | None, *_: str | None) -> int:
    """Keep statements away from the host's files: no database is attached, none written to."""
    if action == sqlite3.SQLITE_ATTACH and first:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _HOST_PRAGMAS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
