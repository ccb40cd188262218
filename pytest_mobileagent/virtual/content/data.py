"""What an app keeps: SQLite databases and preferences, as real bytes in the phone's file system."""

from __future__ import annotations

import sqlite3
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import FileSystem

SECONDS = 1.0  # that a statement may take: conditions on providers' rows come from outside
STEPS = 10_000  # of SQLite, after which the clock is looked at
Value = bool | int | float | str | list[str]


class Database:
    """One SQLite file of an app; what is written is on disk when the call returns."""

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
        """Rows as dictionaries."""
        names, rows = self.table(sql, *args)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def table(self, sql: str, *args: Any) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Give the names of the columns and the rows."""
        cursor = self._open().execute(sql, args)
        return tuple(column[0] for column in cursor.description), cursor.fetchall()

    def table_of(self, name: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Make a temporary table, which is no part of the file, with these rows."""
        connection = self._open()
        connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
        connection.execute(f"CREATE TEMP TABLE {name} ({columns})")
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"INSERT INTO temp.{name} VALUES ({marks})", rows)  # noqa: S608

    def execute(self, sql: str, *args: Any) -> int:
        """Run one statement that writes; the row id that it made, or 0."""
        row = self._open().execute(sql, args).lastrowid
        self._keep()
        return row or 0

    def change(self, sql: str, *args: Any) -> int:
        """Run one statement that writes; how many rows it changed."""
        count = self._open().execute(sql, args).rowcount
        if count:
            self._keep()
        return count

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Write the file once for all that is done inside, or nothing of it if that fails."""
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
        """Give a connection to the file as it is now: the shell may have changed it meanwhile."""
        self._deadline[0] = time.thread_time() + SECONDS
        if self._batch and self._connection:
            return self._connection
        data = self._files.read(self.path) if self._files.exists(self.path) else b""
        if self._connection is None or data != self._bytes:
            self.close()
            # Python warns of a connection that nobody has closed; whichever thread collects it may.
            self._connection = sqlite3.connect(
                ":memory:", isolation_level=None, check_same_thread=False
            )
            self._closer = weakref.finalize(self, self._connection.close)
            deadline = self._deadline
            self._connection.set_progress_handler(
                lambda: int(time.thread_time() > deadline[0]), STEPS
            )
            if data:
                self._connection.deserialize(data)
            else:
                self._connection.executescript(
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
        """Let go of the connection; the next use opens it again."""
        if self._closer is not None:
            self._closer()
        self._closer, self._connection = None, None


class Preferences(Mapping[str, Value]):
    """One shared_prefs file of an app: a mapping whose changes are written at once."""

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
        """Every preference."""
        if not self._files.exists(self.path):
            return {}
        return parse_preferences(self._files.read(self.path))

    def put(self, key: str, value: Value | None) -> None:
        """Set one preference; None removes it."""
        self.put_all({key: value})

    def put_all(self, values: Mapping[str, Value | None]) -> None:
        """Set several preferences with one write."""
        merged = {**self.all(), **values}
        kept = {key: value for key, value in merged.items() if value is not None}
        write_owned(self._files, self.path, format_preferences(kept), self._uid)


def format_preferences(values: Mapping[str, Value]) -> bytes:
    """Write preferences as Android's XmlUtils does: in the order of the HashMap that holds them."""
    lines = ["<?xml version='1.0' encoding='utf-8' standalone='yes' ?>"]
    if not values:
        return "\n".join([*lines, "<map />", ""]).encode()
    body = [f"    {_element(name, value)}" for name, value in _hashed(values)]
    return "\n".join([*lines, "<map>", *body, "</map>", ""]).encode()


def _hashed(values: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """Put entries in the order in which a java.util.HashMap gives them: by the bits of hash codes.

    The table has the next power of two, 16 at least, that it fills to three quarters at most;
    entries of one bucket stay in the order in which they came. Checks of benchmarks rely on it.
    """
    room = 16
    while len(values) > room * 3 // 4:
        room *= 2
    return sorted(values.items(), key=lambda entry: _spread(entry[0]) % room)


def _spread(key: str) -> int:
    """Hash a string as Java does, the upper half of the 32 bits mixed into the lower one."""
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
    """Read preferences; a file that is no XML counts as empty, as in Android."""
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
    """Write a file that belongs to an app, with its folders."""
    folder = str(PurePosixPath(path).parent)
    if not files.exists(folder):
        files.mkdir(folder, mode=0o771, parents=True, uid=uid, gid=uid)
    files.write(path, data, mode=mode, uid=uid, gid=uid)
