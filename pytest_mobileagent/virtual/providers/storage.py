"""The base of the packages that store providers' data, and the simplest of them: the settings."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app.app import App
from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError, Rows, Table
from pytest_mobileagent.virtual.content.settings import NAMESPACES

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.provider import Uri, Values
    from pytest_mobileagent.virtual.content.data import Database

FILES = resources.files(__package__)


class Storage(App):
    """A package of the system image; each of its databases has a schema of the same name."""

    version_name, version_code = "14", 34
    system = True

    def install(self) -> None:
        """Create empty databases."""
        for name in {kind.database_name: None for kind in self.providers if kind.database_name}:
            file = FILES / "schemas" / name.replace(".db", ".sql")
            self.database(name).script(file.read_text("utf-8"))


def tables_of(provider: str) -> dict[str, Table]:
    """Return the tables of a provider by path."""
    return {path: Table(**row) for path, row in _meanings()[provider].items()}


@cache
def _meanings() -> dict[str, dict[str, Any]]:
    return tomllib.loads((FILES / "tables.toml").read_text("utf-8"))


_COLUMNS = ("_id", "name", "value")


class Settings(Provider):
    """The settings of the phone, as rows of name and value."""

    authorities = ("settings",)
    tables = tables_of("settings")

    @property
    def db(self) -> Database:
        """A database that is never saved: the queried settings are copied to it."""
        return self.app.database("settings.db")

    def table(self, uri: Uri) -> tuple[Table, tuple[str, ...]]:
        """Return the table for a URI, after copying the settings of its namespace."""
        if not uri.path or uri.path[0] not in NAMESPACES:
            raise ProviderError("IllegalArgumentException", f"Bad root path: {uri}")
        kept = self.phone.settings.list(uri.path[0]).items()
        rows = [(number, name, value) for number, (name, value) in enumerate(kept, 1)]
        self.db.table_of(uri.path[0], "_id INTEGER, name TEXT, value TEXT", rows)
        return super().table(uri)

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Return settings."""
        if unknown := [column for column in ask.projection if column not in _COLUMNS]:
            raise ProviderError("IllegalArgumentException", f"Invalid column: {unknown[0]}")
        return super().query(uri, ask)

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Set a setting, whether or not it exists."""
        table, _ = self.table(uri)
        if name := values.get("name"):
            self._put(table.source, str(name), str(values.get("value")))
        return f"content://settings/{table.source}/{name}" if name else None

    def update(self, uri: Uri, values: Values, ask: Ask) -> int:
        """Set the matching settings."""
        names = self._names(uri, ask)
        for name in names:
            self._put(uri.path[0], name, str(values.get("value")))
        return len(names)

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Delete the matching settings."""
        return sum(self.phone.settings.delete(uri.path[0], name) for name in self._names(uri, ask))

    def _names(self, uri: Uri, ask: Ask) -> list[str]:
        table, found = self.table(uri)
        meant = replace(ask.within(table.where, found), projection=("name",))
        return [str(name) for (name,) in self.select(table.source, meant).values]

    def _put(self, namespace: str, name: str, value: str) -> None:
        try:
            self.phone.settings.put(namespace, name, value)
        except ValueError as error:
            raise ProviderError("IllegalArgumentException", str(error)) from None


class SettingsStorage(Storage):
    """Serves the settings."""

    package, label = "com.android.providers.settings", "Settings Storage"
    providers = (Settings,)
