"""What lies on the home screen: the rows of the launcher's database, as Launcher3 has them."""

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

DESKTOP: Final = -100  # the containers; any other is the number of a folder, which is not shown
HOTSEAT: Final = -101
APPLICATION: Final = 0  # an item type; with shortcuts, 1, all that are shown
COLUMNS: Final = 5
ROWS: Final = 5  # of a page; the first row of the first page is not for icons
AT_HAND: Final = (  # what a phone keeps in the hotseat, if it is installed
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
    """An icon, and its place."""

    number: int
    title: str
    component: str
    container: int
    screen: int
    x: int
    y: int

    @property
    def package(self) -> str:
        """The app that it starts."""
        return self.component.partition("/")[0]


def load(launcher: App) -> list[Item]:
    """Read what lies on the home screen, as the launcher does when its process starts.

    A database that is missing or broken is made anew, with the layout of a new phone.
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
    """Lay out a new phone: some apps at hand, the others at the bottom of the first page."""
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
    """Write the intent of an icon as launchers keep it."""
    flags = NEW_TASK | RESET_TASK
    return (
        f"#Intent;action={MAIN};category={LAUNCHER};launchFlags={flags:#x};"
        f"component={component};end"
    )
