"""Content providers, an app's data addressed by URIs, and what they and apps need of a phone."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.virtual.content.data import Database

    Values = dict[str, Any]
    from pathlib import Path

    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem


@dataclass(frozen=True, slots=True)
class Uri:
    """A URI, with the decoded segments of its path."""

    text: str
    authority: str
    path: tuple[str, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)

    def match(self, pattern: str) -> tuple[str, ...] | None:
        """Match a path pattern such as `data/#`; return the values of # (a number) and *."""
        wanted = pattern.split("/") if pattern else []
        if len(wanted) != len(self.path):
            return None
        found = []
        for part, want in zip(self.path, wanted, strict=True):
            if want == "*" or (want == "#" and part.isdecimal()):
                found.append(part)
            elif part != want:
                return None
        return tuple(found)

    def __str__(self) -> str:
        return self.text


def parse_uri(text: str) -> Uri:
    """Parse a URI."""
    parts = urlsplit(text)
    path = tuple(unquote(part) for part in parts.path.split("/") if part)
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    authority = parts.netloc.rpartition("@")[2]  # a user id may precede an @; there is one user
    return Uri(text, authority, path, parameters)


class ProviderError(Exception):
    """An exception that a provider throws to its caller; `kind` is its Java class."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind if "." in kind else f"java.lang.{kind}"


@dataclass(frozen=True, slots=True)
class Ask:
    """The columns and rows that a query asks for; `args` replace the question marks in `where`."""

    projection: tuple[str, ...] = ()  # all columns if empty
    where: str = ""
    args: tuple[Any, ...] = ()
    sort: str = ""

    def within(self, condition: str, args: Sequence[Any]) -> Ask:
        """Return the query with an added condition, whose arguments come first."""
        if not condition:
            return self
        both = f"({condition}) AND ({self.where})" if self.where else condition
        return replace(self, where=both, args=(*args, *self.args))


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a query."""

    columns: tuple[str, ...]
    values: Sequence[Sequence[Any]]

    def dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.values]


@dataclass(frozen=True, slots=True)
class Table:
    """The table behind a path; `#` and `*` in the path are the arguments of `where`."""

    source: str  # the table or view to read
    where: str = ""
    into: str = ""  # the table to write, if it is a different one
    type: str = ""
    sort: str = ""
    columns: tuple[str, ...] = ()  # the columns that may be queried; empty for all
    defaults: Mapping[str, Any] = field(default_factory=dict)  # values for new rows


class Owner(Protocol):
    """The app that a provider belongs to."""

    phone: Context

    def database(self, name: str) -> Database:
        """Return a database of the app."""


class Provider:
    """Serves its authorities; a provider that only exposes tables just has to list them."""

    authorities: ClassVar[Sequence[str]] = ()
    database_name: ClassVar[str] = ""
    tables: ClassVar[Mapping[str, Table]] = {}  # by path

    def __init__(self, app: Owner) -> None:
        self.app = app
        self.phone = app.phone

    @property
    def db(self) -> Database:
        """The database."""
        return self.app.database(self.database_name)

    def table(self, uri: Uri) -> tuple[Table, tuple[str, ...]]:
        """Return the table that a URI refers to, and the values for its path's placeholders."""
        for pattern, table in self.tables.items():
            if (found := uri.match(pattern)) is not None:
                return table, found
        raise ProviderError("IllegalArgumentException", f"Unknown URL {uri}")

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Return the rows that match; None stands for a null cursor."""
        table, found = self.table(uri)
        ask = ask.within(table.where, found)
        return self.select(table.source, ask, sort=table.sort, allowed=table.columns)

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Add a row and return its URI."""
        table, _ = self.table(uri)
        number = self.add(table.into or table.source, {**table.defaults, **values})
        return f"{uri}/{number}"

    def update(self, uri: Uri, values: Values, ask: Ask) -> int:
        """Change the matching rows and return their number."""
        table, found = self.table(uri)
        changes = ", ".join(f"{_name(column)} = ?" for column in values)
        condition, args = self._meant(table, ask.within(table.where, found))
        sql = f"UPDATE {table.into or table.source} SET {changes} WHERE {condition}"
        return self.run(sql, *values.values(), *args)

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Delete the matching rows and return their number."""
        table, found = self.table(uri)
        condition, args = self._meant(table, ask.within(table.where, found))
        return self.run(f"DELETE FROM {table.into or table.source} WHERE {condition}", *args)

    def call(self, method: str, arg: str | None, extras: Values) -> Values | None:
        """Run a provider-specific method; return None if there is no method of this name."""
        return None

    def type_of(self, uri: Uri) -> str | None:
        """Return the MIME type for a URI, or None if it is unknown."""
        try:
            return self.table(uri)[0].type or None
        except ProviderError:
            return None

    # Building blocks for providers that do more than expose tables.

    def select(self, source: str, ask: Ask, *, sort: str = "", allowed: Sequence[str] = ()) -> Rows:
        """Query a table or view of the database."""
        for column in ask.projection if allowed else ():
            if column not in allowed and column not in ("_count", "count(*)", "*"):
                raise ProviderError("IllegalArgumentException", f"Invalid column {column}")
        columns = ", ".join(ask.projection or allowed) or "*"
        sql = f"SELECT {columns} FROM {source}"
        sql += f" WHERE ({ask.where})" if ask.where else ""
        order = ask.sort or sort
        sql += f" ORDER BY {order}" if order else ""
        try:
            return Rows(*self.db.table(sql, *ask.args))
        except sqlite3.Error as error:
            raise sql_error(error, sql) from None

    def add(self, table: str, values: Values) -> int:
        """Insert a row into a table of the database and return its id."""
        names = ", ".join(map(_name, values))
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        try:
            return self.db.execute(sql, *values.values())
        except sqlite3.Error as error:
            raise sql_error(error, sql) from None

    def change(self, table: str, number: int, values: Values, by: str = "_id") -> int:
        """Change the rows whose column `by` equals `number`, and return how many changed."""
        changes = ", ".join(f"{_name(column)} = ?" for column in values)
        return self.run(f"UPDATE {table} SET {changes} WHERE {by} = ?", *values.values(), number)

    def run(self, sql: str, *args: Any) -> int:
        """Run a statement that changes rows, and return how many changed."""
        try:
            return self.db.change(sql, *args)
        except sqlite3.Error as error:
            raise sql_error(error, sql) from None

    def ids(self, source: str, ask: Ask, column: str = "_id") -> list[int]:
        """Return the ids of the matching rows."""
        found = self.select(source, replace(ask, projection=(column,), sort=""))
        return sorted({row[0] for row in found.values})

    def _meant(self, table: Table, ask: Ask) -> tuple[str, tuple[Any, ...]]:
        """Return a condition, with its arguments, for the rows of the table that is written to."""
        if not table.into:
            return ask.where or "1", ask.args
        numbers = self.ids(table.source, ask)
        return f"_id IN ({', '.join('?' * len(numbers))})", tuple(numbers)


def sql_error(error: sqlite3.Error, sql: str) -> ProviderError:
    """Convert an SQLite error to the exception that Android throws."""
    code = getattr(error, "sqlite_errorcode", 1) or 1
    name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
    words = f"{error} (code {code} {name}[{code}])"
    if isinstance(error, sqlite3.IntegrityError):
        return ProviderError("android.database.sqlite.SQLiteConstraintException", words)
    words += f": , while compiling: {sql}"
    return ProviderError("android.database.sqlite.SQLiteException", words)


def _name(column: str) -> str:
    """Return a column's name; raise a syntax error if it cannot be the name of a column."""
    if not column.replace("_", "a").isalnum():
        message = f'near "{column}": syntax error (code 1 SQLITE_ERROR[1])'
        raise ProviderError("android.database.sqlite.SQLiteException", message)
    return column


class AccessibilityService(Protocol):
    """An app's service that receives accessibility events; created when the service is bound."""

    def start(self) -> None:
        """Start the service, which has just been enabled."""

    def stop(self) -> None:
        """Stop immediately: the service has been disabled, or its app is gone."""


class Locales(Protocol):
    """The languages of apps, and the translations of their texts."""

    def of(self, package: str, /) -> Locale:
        """Return the language of an app."""

    def text(self, package: str, folder: Path, english: str, /) -> str:
        """Return the translation of an app's English text, from the strings in its folder."""


class Context(Protocol):
    """The services available to apps and their providers."""

    clock: Clock
    files: FileSystem
    settings: Settings

    @property
    def locales(self) -> Locales:
        """The languages of apps."""
