"""The items on the home screen: rows of the launcher's database, in Launcher3's format."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, NEW_TASK, RESET_TASK, full

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.virtual.app.app import App as AnyApp
    from pytest_mobileagent.virtual.content.data import Database
    from pytest_mobileagent.virtual.sdk.app import App

DESKTOP: Final = -100  # the containers; any other number is a folder, which is not shown
HOTSEAT: Final = -101
APPLICATION: Final = 0  # an item type; only these and shortcuts (1) are shown
COLUMNS: Final = 5
ROWS: Final = 5  # per page; the first row of the first page has no icons
AT_HAND: Final = (  # the apps in the hotseat, if they are installed
    *("com.google.android.dialer", "com.android.dialer"),
    *("com.google.android.apps.messaging", "com.android.messaging"),
    *("com.android.chrome", "com.android.camera2"),
    *("com.google.android.deskclock", "com.android.deskclock", "com.android.settings"),
)
SCHEMA: Final = Path(__file__).with_name("favorites.sql").read_text("utf-8")
DATABASE: Final = "launcher.db"
QUERY: Final = (
    "SELECT _id, title, intent, container, screen, cellX, cellY FROM favorites"
    " WHERE itemType IN (0, 1) ORDER BY container, screen, cellY, cellX, rank, _id"
)
_COMPONENT: Final = re.compile(r"component=([^;]+);")


@dataclass(frozen=True, slots=True)
class Item:
    """An icon and its position."""

    number: int
    title: str
    component: str
    container: int
    screen: int
    x: int
    y: int

    @property
    def package(self) -> str:
        """The package of the app that the icon starts."""
        return self.component.partition("/")[0]


def load(launcher: App) -> list[Item]:
    """Read the items on the home screen, as the launcher does when its process starts.

    A database that is missing or broken is recreated, with the layout of a new phone.
    """
    database = launcher.database(DATABASE)
    try:
        items = [_item(row) for row in database.query(QUERY)]
    except sqlite3.Error as error:
        launcher.log("LauncherProvider", f"Database is broken, made anew: {error}", "E")
        launcher.phone.files.write(database.path, b"", uid=launcher.uid)
        database.script(SCHEMA)
        items = []
    if not items:
        items = _first_layout(launcher.phone.packages.launchable())
        _write(database, items)
    return items


def _item(row: dict[str, Any]) -> Item:
    found = _COMPONENT.search(row["intent"] or "")
    container, screen, x, y = (
        int(row[name] or 0) for name in ("container", "screen", "cellX", "cellY")
    )
    component = full(found[1]) if found else ""
    return Item(row["_id"], row["title"] or "", component, container, screen, x, y)


def _write(database: Database, items: Iterable[Item]) -> None:
    with database.batch():
        for item in items:
            database.execute(
                "INSERT INTO favorites (_id, title, intent, container, screen, cellX, cellY,"
                " spanX, spanY, itemType) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, ?)",
                *(item.number, item.title, uri(item.component), item.container),
                *(item.screen, item.x, item.y, APPLICATION),
            )


def _first_layout(apps: Sequence[AnyApp]) -> list[Item]:
    """Return the layout of a new phone: hotseat apps first, the rest at the first page's bottom."""
    by_name = {app.package: app for app in apps}
    seat = [by_name[name] for name in AT_HAND if name in by_name][:COLUMNS]
    places = [(app, HOTSEAT, at, at, 0) for at, app in enumerate(seat)]
    others = [app for app in apps if app not in seat]
    rows = min(ROWS - 1, -(-len(others) // COLUMNS))
    for at, app in enumerate(others, (ROWS - rows) * COLUMNS):
        screen, place = divmod(at, COLUMNS * ROWS)
        places.append((app, DESKTOP, screen, place % COLUMNS, place // COLUMNS))
    return [
        Item(number, app.label, app.activities[0].component(app.package), container, screen, x, y)
        for number, (app, container, screen, x, y) in enumerate(places, 1)
    ]


def uri(component: str) -> str:
    """Return an icon's intent as the URI that launchers store."""
    flags = NEW_TASK | RESET_TASK
    return (
        f"#Intent;action={MAIN};category={LAUNCHER};launchFlags={flags:#x};"
        f"component={component};end"
    )
