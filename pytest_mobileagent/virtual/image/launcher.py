"""The launcher's package: its activity, and the database in which it keeps its icons."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.image import workspace
from pytest_mobileagent.virtual.image.home import NexusLauncherActivity
from pytest_mobileagent.virtual.sdk.app import App

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.image.workspace import Item


class Launcher(App):
    """The launcher's package."""

    package = "com.google.android.apps.nexuslauncher"
    label = "Pixel Launcher"
    version_name = "14"
    version_code = 34
    system = True
    activities = (NexusLauncherActivity,)

    def load(self) -> list[Item]:
        """Read what lies on the home screen, as the launcher does when its process starts.

        A database that is missing or broken is made anew, with the layout of a new phone.
        """
        database = self.database("launcher.db")
        try:
            items = workspace.read(database)
        except sqlite3.Error as error:
            self.log("LauncherProvider", f"Database is broken, made anew: {error}", "E")
            self.phone.files.write(database.path, b"", uid=self.uid)
            database.script(workspace.SCHEMA)
            items = []
        if not items:
            items = workspace.first_layout(self.phone.packages.launchable())
            workspace.write(database, items)
        return items

    def install(self) -> None:
        """Make the database."""
        self.database("launcher.db").script(workspace.SCHEMA)
