"""The base of the packages that store providers' data."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from pytest_mobileagent.virtual.app.app import App
from pytest_mobileagent.virtual.app.provider import Table

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
