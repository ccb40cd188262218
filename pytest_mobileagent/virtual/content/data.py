"""An app's stored data: SQLite databases and preferences, as real files of the phone."""

from __future__ import annotations

import sqlite3
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem

SECONDS = 1.0  # limit for a statement, because conditions on providers' rows come from outside
STEPS = 10_000  # SQLite instructions between two checks of the time
Value = bool | int | float | str | list[str]


class Database:
    """An app's SQLite file; changes are in the file when a call returns."""

    def __init__(self, files: FileSystem, path: str, uid: int) -> None:
        self.path = path
        self._files = files
        self._uid = uid
        self._bytes: bytes | None = None
        self._connection: sqlite3.Connection | None = None
        self._closer: weakref.finalize[..., Database] | None = None
        self._batch = False
        self._deadline = [0.0]

    def query(self, sql: str, *args: Any) -> list[dict[str, Any]]:
        """Return rows as dictionaries."""
        names, rows = self.table(sql, *args)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def first(self, sql: str, *args: Any) -> dict[str, Any] | None:
        """Return the first row as a dictionary, or None if there is none."""
        return next(iter(self.query(sql, *args)), None)

    def table(self, sql: str, *args: Any) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return the names of the columns and the rows."""
        cursor = self._open().execute(sql, args)
        return tuple(column[0] for column in cursor.description), cursor.fetchall()

    def table_of(self, name: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Create a temporary table, which is not part of the file, with these rows."""
        connection = self._open()
        connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
        connection.execute(f"CREATE TEMP TABLE {name} ({columns})")
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"INSERT INTO temp.{name} VALUES ({marks})", rows)  # noqa: S608

    def execute(self, sql: str, *args: Any) -> int:
        """Run a statement that writes; return the id of the inserted row, or 0."""
        row = self._open().execute(sql, args).lastrowid
        self._keep()
        return row or 0

    def insert(self, table: str, *values: Any, **row: Any) -> int:
        """Insert or replace a row of values for all columns, or for named ones; return its id."""
        names, given = f"({', '.join(row)})" if row else "", [*values, *row.values()]
        marks = ", ".join("?" * len(given))
        return self.execute(f"INSERT OR REPLACE INTO {table} {names} VALUES ({marks})", *given)  # noqa: S608

    def update(self, table: str, where: str, args: Sequence[Any] = (), **row: Any) -> None:
        """Change columns of the rows for which a condition is true."""
        names = ", ".join(f"{name} = ?" for name in row)
        if row:
            sql = f"UPDATE {table} SET {names} WHERE {where}"  # noqa: S608
            self.execute(sql, *row.values(), *args)

    def change(self, sql: str, *args: Any) -> int:
        """Run a statement that writes; return the number of changed rows."""
        count = self._open().execute(sql, args).rowcount
        if count:
            self._keep()
        return count

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Write the file once, at the end of the context, or not at all if the context fails."""
        if self._batch:
            yield
            return
        self._open().execute("BEGIN")
        self._batch = True
        try:
            yield
        except BaseException:
            self._open().execute("ROLLBACK")
            raise
        else:
            self._open().execute("COMMIT")
        finally:
            self._batch = False
        self._keep()

    def script(self, sql: str) -> None:
        """Run several statements."""
        self._open().executescript(sql)
        self._keep()

    def _open(self) -> sqlite3.Connection:
        """Return a connection to the current file, which the shell may have changed meanwhile."""
        self._deadline[0] = time.thread_time() + SECONDS
        if self._batch and self._connection:
            return self._connection
        data = self._files.read(self.path) if self._files.exists(self.path) else b""
        if self._connection is None or data != self._bytes:
            self.close()
            # Python warns about unclosed connections; any thread may collect this one.
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._connection, self._closer = connection, weakref.finalize(self, connection.close)
            deadline = self._deadline
            connection.set_progress_handler(lambda: int(time.thread_time() > deadline[0]), STEPS)
            if data:
                connection.deserialize(data)
            else:
                connection.executescript(
                    "CREATE TABLE android_metadata (locale TEXT);"
                    "INSERT INTO android_metadata VALUES ('en_US');"
                )
            self._bytes = data
        return self._connection

    def _keep(self) -> None:
        assert self._connection is not None
        if self._batch:
            return
        self._bytes = self._connection.serialize()
        write_owned(self._files, self.path, self._bytes, self._uid)
        journal = f"{self.path}-journal"
        if not self._files.exists(journal):
            write_owned(self._files, journal, b"", self._uid, mode=0o600)

    def close(self) -> None:
        """Close the connection; the next access opens it again."""
        if self._closer is not None:
            self._closer()
        self._closer, self._connection = None, None


class Preferences(Mapping[str, Value]):
    """A shared_prefs file of an app: a mapping whose changes are written immediately."""

    def __init__(self, files: FileSystem, path: str, uid: int) -> None:
        self.path = path
        self._files = files
        self._uid = uid

    def __getitem__(self, key: str) -> Value:
        return self.all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self.all())

    def all(self) -> dict[str, Value]:
        """Return all preferences."""
        if not self._files.exists(self.path):
            return {}
        return parse_preferences(self._files.read(self.path))

    def put(self, key: str, value: Value | None) -> None:
        """Set a preference; None removes it."""
        self.put_all({key: value})

    def put_all(self, values: Mapping[str, Value | None]) -> None:
        """Set several preferences with a single write."""
        merged = {**self.all(), **values}
        kept = {key: value for key, value in merged.items() if value is not None}
        write_owned(self._files, self.path, format_preferences(kept), self._uid)


def format_preferences(values: Mapping[str, Value]) -> bytes:
    """Format preferences as Android's XmlUtils does, in the iteration order of the HashMap."""
    lines = ["<?xml version='1.0' encoding='utf-8' standalone='yes' ?>"]
    if not values:
        return "\n".join([*lines, "<map />", ""]).encode()
    body = [f"    {_element(name, value)}" for name, value in _hashed(values)]
    return "\n".join([*lines, "<map>", *body, "</map>", ""]).encode()


def _hashed(values: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """Sort entries in the iteration order of a java.util.HashMap: by the bits of their hash codes.

    The table size is the smallest power of two, at least 16, of which the entries fill at most
    three quarters. Entries of a bucket keep their order of insertion. Checks of benchmarks rely on
    it.
    """
    room = 16
    while len(values) > room * 3 // 4:
        room *= 2
    return sorted(values.items(), key=lambda entry: _spread(entry[0]) % room)


def _spread(key: str) -> int:
    """Return Java's hash of a string, with the upper 16 bits mixed into the lower ones."""
    code, units = 0, key.encode("utf-16-le")
    for at in range(0, len(units), 2):
        code = (31 * code + int.from_bytes(units[at : at + 2], "little")) & 0xFFFFFFFF
    return code ^ code >> 16


def _element(name: str, value: Value) -> str:
    attribute = f"name={quoteattr(name)}"
    match value:
        case bool():
            return f'<boolean {attribute} value="{str(value).lower()}" />'
        case int():
            kind = "int" if -(2**31) <= value < 2**31 else "long"
            return f'<{kind} {attribute} value="{value}" />'
        case float():
            return f'<float {attribute} value="{value}" />'
        case str():
            return f"<string {attribute}>{escape(value)}</string>"
    strings = "".join(f"\n        <string>{escape(item)}</string>" for item in value)
    return f"<set {attribute}>{strings}\n    </set>"


def parse_preferences(data: bytes) -> dict[str, Value]:
    """Parse preferences; a file that is not XML counts as empty, as in Android."""
    try:
        root = ET.fromstring(data)  # noqa: S314 - expat itself bounds entity expansion
        return {element.get("name", ""): _value(element) for element in root}
    except (ET.ParseError, ValueError):
        return {}


def _value(element: ET.Element) -> Value:
    text = element.get("value", "")
    match element.tag:
        case "boolean":
            return text == "true"
        case "int" | "long":
            return int(text)
        case "float":
            return float(text)
        case "set":
            return [item.text or "" for item in element]
    return element.text or ""


def write_owned(files: FileSystem, path: str, data: bytes, uid: int, *, mode: int = 0o660) -> None:
    """Write a file that belongs to an app, and create its folders."""
    folder = str(PurePosixPath(path).parent)
    if not files.exists(folder):
        files.mkdir(folder, mode=0o771, parents=True, uid=uid, gid=uid)
    files.write(path, data, mode=mode, uid=uid, gid=uid)
