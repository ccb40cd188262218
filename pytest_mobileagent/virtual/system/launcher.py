"""The launcher's package: its activity, and the database in which it keeps its icons."""

from __future__ import annotations

from pytest_mobileagent.virtual.app import App
from pytest_mobileagent.virtual.intent import LAUNCHER, MAIN, NEW_TASK, RESET_TASK
from pytest_mobileagent.virtual.system.home import COLUMNS, NexusLauncherActivity


class Launcher(App):
    """The launcher's package."""

    package = "com.google.android.apps.nexuslauncher"
    label = "Pixel Launcher"
    version_name = "14"
    version_code = 34
    system = True
    activities = (NexusLauncherActivity,)

    def install(self) -> None:
        """Write the database in which a launcher keeps its icons."""
        database = self.database("launcher.db")
        database.script(FAVORITES)
        for at, app in enumerate(self.phone.packages.launchable()):
            database.execute(
                "insert into favorites (_id, title, intent, container, screen, cellX, cellY,"
                " spanX, spanY, itemType) values (?, ?, ?, ?, 0, ?, ?, 1, 1, 0)",
                at + 1,
                app.label,
                _uri(app.activities[0].component(app.package)),
                DESKTOP,
                at % COLUMNS,
                at // COLUMNS,
            )


def _uri(component: str) -> str:
    """Write the intent of an icon as launchers keep it."""
    flags = NEW_TASK | RESET_TASK
    return (
        f"#Intent;action={MAIN};category={LAUNCHER};launchFlags={flags:#x};"
        f"component={component};end"
    )


DESKTOP = -100  # the container that is the home screen
FAVORITES = """
CREATE TABLE favorites (_id INTEGER PRIMARY KEY, title TEXT, intent TEXT, container INTEGER,
    screen INTEGER, cellX INTEGER, cellY INTEGER, spanX INTEGER, spanY INTEGER, itemType INTEGER,
    appWidgetId INTEGER NOT NULL DEFAULT -1, iconPackage TEXT, iconResource TEXT, icon BLOB,
    appWidgetProvider TEXT, modified INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0, profileId INTEGER DEFAULT 0,
    rank INTEGER NOT NULL DEFAULT 0, options INTEGER NOT NULL DEFAULT 0);
PRAGMA user_version = 28;
"""
