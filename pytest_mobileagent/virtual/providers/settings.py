"""The settings and user dictionary providers."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.virtual.app.provider import (
    Ask,
    Provider,
    ProviderError,
    Rows,
    Table,
    sql_error,
)
from pytest_mobileagent.virtual.content.settings import NAMESPACES
from pytest_mobileagent.virtual.providers.storage import Storage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.virtual.app.provider import Values
    from pytest_mobileagent.virtual.content.uri import Uri

_COLUMNS = ("_id", "name", "value")


class Settings(Provider):
    """The settings of the phone, as rows of name and value."""

    authorities = ("settings",)

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Give settings."""
        namespace, ask = self._named(uri, ask)
        columns = ask.projection or _COLUMNS
        if unknown := [column for column in columns if column not in _COLUMNS]:
            raise ProviderError("IllegalArgumentException", f"Invalid column: {unknown[0]}")
        return Rows(columns, self._ask(namespace, ", ".join(columns), ask))

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Set one, whether or not it was there."""
        namespace, _ = self._named(uri, Ask())
        if name := values.get("name"):
            self._put(namespace, str(name), str(values.get("value")))
        return f"content://settings/{namespace}/{name}" if name else None

    def update(self, uri: Uri, values: Values, ask: Ask) -> int:
        """Set those that are meant."""
        namespace, ask = self._named(uri, ask)
        names = [str(row[0]) for row in self._ask(namespace, "name", ask)]
        for name in names:
            self._put(namespace, name, str(values.get("value")))
        return len(names)

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Remove those that are meant."""
        namespace, ask = self._named(uri, ask)
        names = [str(row[0]) for row in self._ask(namespace, "name", ask)]
        return sum(self.phone.settings.delete(namespace, name) for name in names)

    def call(self, method: str, arg: str | None, extras: Values) -> Values | None:
        """Get, put or delete one setting, or list them all."""
        verb, _, namespace = method.partition("_")
        if namespace not in NAMESPACES:
            return None
        match verb:
            case "GET":
                return {"value": self.phone.settings.get(namespace, arg or "")}
            case "PUT":
                self._put(namespace, arg or "", str(extras.get("value")))
            case "DELETE":
                gone = self.phone.settings.delete(namespace, arg or "")
                return {"result_rows_deleted": int(gone)}
            case "LIST":
                kept = self.phone.settings.list(namespace).items()
                return {"result_settings_list": [f"{key}={value}" for key, value in kept]}
        return None

    def type_of(self, uri: Uri) -> str | None:
        """Tell one setting from a table of them."""
        kind = "item" if len(uri.path) > 1 else "dir"
        return f"vnd.android.cursor.{kind}/{uri.path[0]}" if uri.path else None

    def _named(self, uri: Uri, ask: Ask) -> tuple[str, Ask]:
        if not uri.path or uri.path[0] not in NAMESPACES:
            raise ProviderError("IllegalArgumentException", f"Bad root path: {uri}")
        return uri.path[0], ask.within("name = ?", uri.path[1:]) if len(uri.path) > 1 else ask

    def _put(self, namespace: str, name: str, value: str) -> None:
        try:
            self.phone.settings.put(namespace, name, value)
        except ValueError as error:
            raise ProviderError("IllegalArgumentException", str(error)) from None

    def _ask(self, namespace: str, columns: str, ask: Ask) -> list[tuple[object, ...]]:
        """Let SQLite decide which rows are meant."""
        sql = f"SELECT {columns} FROM {namespace}"
        sql += f" WHERE ({ask.where})" if ask.where else ""
        sql += f" ORDER BY {ask.sort}" if ask.sort else ""
        kept = self.phone.settings.list(namespace).items()
        rows = [(number, name, value) for number, (name, value) in enumerate(kept, 1)]
        database = sqlite3.connect(":memory:")
        try:
            database.execute(f"CREATE TABLE {namespace} (_id INTEGER, name TEXT, value TEXT)")
            database.executemany(f"INSERT INTO {namespace} VALUES (?, ?, ?)", rows)
            return database.execute(sql, ask.args).fetchall()
        except sqlite3.Error as error:
            raise sql_error(error, sql) from None
        finally:
            database.close()


class Words(Provider):
    """Words that were added to the dictionary."""

    authorities = ("user_dictionary",)
    database_name = "user_dict.db"
    tables: ClassVar[Mapping[str, Table]] = {
        "words": Table(
            "words",
            type="vnd.android.cursor.dir/vnd.google.userword",
            sort="frequency DESC",
            defaults={"frequency": 1, "appid": 0},
        ),
        "words/#": Table("words", "_id = ?", type="vnd.android.cursor.item/vnd.google.userword"),
    }


class SettingsStorage(Storage):
    """Serves settings."""

    package, label = "com.android.providers.settings", "Settings Storage"
    providers = (Settings,)


class UserDictionary(Storage):
    """Keeps words."""

    package, label = "com.android.providers.userdictionary", "User Dictionary"
    providers = (Words,)
