"""What lies on the home screen: the rows of the launcher's database, as Launcher3 has them."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, NEW_TASK, RESET_TASK, full

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.content.data import Database

DESKTOP: Final = -100  # the containers; any other is the number of a folder
HOTSEAT: Final = -101
APPLICATION, SHORTCUT, FOLDER = 0, 1, 2  # item types that are shown; widgets are not
COLUMNS: Final = 5
ROWS: Final = 5  # of a page; the first row of the first page is not for icons
AT_HAND: Final = (  # what a phone keeps in the hotseat, if it is installed
    *("com.google.android.dialer", "com.android.dialer"),
    *("com.google.android.apps.messaging", "com.android.messaging"),
    *("com.android.chrome", "com.android.camera2"),
    *("com.google.android.deskclock", "com.android.deskclock", "com.android.settings"),
)
SCHEMA: Final = Path(__file__).with_name("favorites.sql").read_text("utf-8")
QUERY: Final = (
    "SELECT _id, title, intent, container, screen, cellX, cellY, itemType FROM favorites"
    " WHERE itemType IN (0, 1, 2) ORDER BY container, screen, cellY, cellX, rank, _id"
)
_COMPONENT: Final = re.compile(r"component=([^;]+);")


@dataclass(frozen=True, slots=True)
class Item:
    """An icon or a folder, and its place."""

    number: int
    title: str
    component: str  # empty for a folder
    container: int
    screen: int
    x: int
    y: int
    folder: bool = False

    @property
    def package(self) -> str:
        """The app that it starts."""
        return self.component.partition("/")[0]


def read(database: Database) -> list[Item]:
    """Read the icons; sqlite3.Error if the file is no such database."""
    return [_item(row) for row in database.query(QUERY)]


def _item(row: dict[str, Any]) -> Item:
    found = _COMPONENT.search(row["intent"] or "")
    container, screen, x, y = (
        int(row[name] or 0) for name in ("container", "screen", "cellX", "cellY")
    )
    component = full(found[1]) if found else ""
    folder = row["itemType"] == FOLDER
    return Item(row["_id"], row["title"] or "", component, container, screen, x, y, folder)


def write(database: Database, items: Iterable[Item]) -> None:
    """Add icons; a number of 0 lets the database choose one."""
    with database.batch():
        for item in items:
            database.execute(
                "INSERT INTO favorites (_id, title, intent, container, screen, cellX, cellY,"
                " spanX, spanY, itemType) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, ?)",
                *(item.number or None, item.title, uri(item.component), item.container),
                *(item.screen, item.x, item.y, FOLDER if item.folder else APPLICATION),
            )


def first_layout(apps: Sequence[App]) -> list[Item]:
    """Lay out a new phone: some apps at hand, the others at the bottom of the first page."""
    by_name = {app.package: app for app in apps}
    seat = [by_name[name] for name in AT_HAND if name in by_name][:COLUMNS]
    items = [_icon(app, HOTSEAT, at, at, 0) for at, app in enumerate(seat)]
    others = [app for app in apps if app not in seat]
    space = COLUMNS * (ROWS - 1)
    rows = min(ROWS - 1, -(-len(others) // COLUMNS))
    for at, app in enumerate(others):
        screen, place = (
            (0, at) if at < space else (1 + (at - space) // (COLUMNS * ROWS), at - space)
        )
        top = ROWS - rows if screen == 0 else 0
        place %= COLUMNS * ROWS
        items.append(_icon(app, DESKTOP, screen, place % COLUMNS, top + place // COLUMNS))
    return [replace(item, number=number) for number, item in enumerate(items, 1)]


def _icon(app: App, container: int, screen: int, x: int, y: int) -> Item:
    return Item(0, app.label, component_of(app), container, screen, x, y)


def component_of(app: App) -> str:
    """Give the component that an app's icon starts."""
    return app.activities[0].component(app.package)


def uri(component: str) -> str:
    """Write the intent of an icon as launchers keep it."""
    if not component:
        return ""
    flags = NEW_TASK | RESET_TASK
    return (
        f"#Intent;action={MAIN};category={LAUNCHER};launchFlags={flags:#x};"
        f"component={component};end"
    )


def to_plain(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Give icons as plain data."""
    return [asdict(item) for item in items]


def from_plain(plain: Iterable[dict[str, Any]]) -> list[Item]:
    """Take them back."""
    return [Item(**each) for each in plain]
