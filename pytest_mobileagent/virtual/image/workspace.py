"""The home screen's items, in Launcher3's database, and its dimensions and hotseat."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, NEW_TASK, RESET_TASK, full
from pytest_mobileagent.virtual.ui import MATCH, Column, Frame, Image, Row, Space, View

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.virtual.app.app import App as AnyApp
    from pytest_mobileagent.virtual.content.data import Database
    from pytest_mobileagent.virtual.sdk.app import Activity, App
    from pytest_mobileagent.virtual.ui.metrics import Metrics
    from pytest_mobileagent.virtual.ui.views import Edges

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
SCHEMA: Final = (Path(__file__).parent / "schemas/favorites.sql").read_text("utf-8")
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
    component = full(found[1]) if found else ""
    place = [int(row[name] or 0) for name in ("container", "screen", "cellX", "cellY")]
    return Item(row["_id"], row["title"] or "", component, *place)


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
    others = [app for app in apps if app.on_home and app not in seat]
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
    how = f"action={MAIN};category={LAUNCHER};launchFlags={NEW_TASK | RESET_TASK:#x}"
    return f"#Intent;{how};component={component};end"


SIDES = 12  # dp on either side of the pages
SEARCH = 68  # dp of the search bar
LARGEST, SMALLEST = 56, 24  # dp, icon sizes
LEGIBLE = 28  # dp, smallest icon that has a label
BESIDE = 88  # dp, width of the hotseat in landscape, where it is beside the pages
TABLET = 600  # dp, from which shorter side a display is a tablet


@dataclass(frozen=True, slots=True)
class Grid:
    """The dimensions, in dp, of the home screen on a display."""

    width: float
    height: float
    font_scale: float

    @classmethod
    def of(cls, metrics: Metrics) -> Grid:
        """Return the grid for a display."""
        density = metrics.density
        return cls(metrics.width_px / density, metrics.height_px / density, metrics.font_scale)

    @property
    def columns(self) -> int:
        """The number of columns in the list of all apps."""
        return COLUMNS if min(self.width, self.height) < TABLET else COLUMNS + 1

    @property
    def wide(self) -> bool:
        """Whether the hotseat is placed beside the pages: on a phone in landscape."""
        return self.width > self.height < TABLET

    @property
    def top(self) -> int:
        """The height, in dp, above the pages, which includes the status bar."""
        return 28 if self.wide else 40

    @property
    def dots(self) -> int:
        """The height of the row of page indicator dots."""
        return 16 if self.wide else 24

    @property
    def bottom(self) -> int:
        """The height below everything else."""
        return 24 if self.wide else 32

    @property
    def cell(self) -> tuple[float, float]:
        """The width and height of a cell on a page."""
        width, height = self.width - 2 * SIDES, self.height - self.top - self.dots - self.bottom
        if self.wide:
            return (width - BESIDE) / COLUMNS, height / ROWS
        return width / COLUMNS, max(height - self.seat - SEARCH, 0) / ROWS

    @property
    def seat(self) -> float:
        """The height of a cell in the hotseat."""
        if self.wide:
            return (self.height - self.top - self.bottom) / (COLUMNS + 1)
        return min(LARGEST + 20, self.height / 8)

    def place(self, at: int) -> tuple[float, float, Edges]:
        """Return the width, height and margin of the hotseat cell at index `at`."""
        if self.wide:
            return BESIDE, self.seat, (0, at * self.seat, 0, 0)
        return self.cell[0], self.seat, (at * self.cell[0], 0, 0, 0)

    @property
    def label(self) -> float:
        """The height of the label under an icon, or 0 if there is no room for one."""
        label = 10 + 16 * self.font_scale
        return label if self.cell[1] >= LEGIBLE + label else 0

    @property
    def icon(self) -> float:
        """The size of an icon, which leaves room for the label."""
        width, height = self.cell
        return max(SMALLEST, min(LARGEST, width - 10, height - 4 - (self.label or 6)))


def at_hand(launcher: Activity, seats: Sequence[View], grid: Grid) -> View:
    """Arrange the favourite apps and the search bar, under the pages or beside them."""
    search, t = partial(launcher.set, view="apps", search=""), launcher.t
    icons = [
        Image(icon, id=name, desc=t(desc), on_click=search, margin=(6, 0))
        for icon, name, desc in (
            ("search", "g_icon", "Google app"),
            ("mic", "mic_icon", "Voice search"),
            ("camera", "lens_icon", "Google Lens"),
        )
    ]
    bar = Row([icons[0], Space(height=0), *icons[1:]], height=SEARCH - 16, corner=26)
    bar.padding, bar.margin = (10, 0), (0, 8)
    glass = Image("search", id="g_icon", desc=t("Google app"), align="center")
    button = Frame([glass], width=48, height=48, corner=24, align="center")
    field = button if grid.wide else bar
    field.id, field.desc = "search_container_hotseat", t("Google search")
    field.on_click, field.background = search, "surface_container"
    if not grid.wide:
        return Column([Frame(seats, height=grid.seat), field], id="hotseat", padding=(SIDES, 0))
    column = [Frame(seats, height=MATCH, weight=1), Frame([field], height=grid.seat)]
    return Column(column, id="hotseat", width=BESIDE, height=MATCH, padding=(0, grid.top, 0, 0))
