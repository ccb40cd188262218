"""What all packages that keep providers' data have in common."""

from __future__ import annotations

from importlib import resources

from pytest_mobileagent.virtual.app.app import App


class Storage(App):
    """A package of the system image; each of its databases has a schema of the same name."""

    version_name, version_code = "14", 34
    system = True

    def install(self) -> None:
        """Make empty databases."""
        for name in {kind.database_name: None for kind in self.providers if kind.database_name}:
            file = resources.files(__package__) / "schemas" / name.replace(".db", ".sql")
            self.database(name).script(file.read_text("utf-8"))
