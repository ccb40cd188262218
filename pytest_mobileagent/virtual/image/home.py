"""The launcher: home screen, all apps and the overview of recent tasks, modelled on a Pixel's."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import HOME, Intent, launch
from pytest_mobileagent.virtual.image import workspace
from pytest_mobileagent.virtual.image.workspace import (
    COLUMNS,
    DESKTOP,
    HOTSEAT,
    LARGEST,
    ROWS,
    SIDES,
    Grid,
    Item,
    at_hand,
)
from pytest_mobileagent.virtual.sdk.app import Activity, App
from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    Card,
    Column,
    Frame,
    HScroll,
    Icon,
    Image,
    Input,
    List,
    Row,
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.app import app as base
    from pytest_mobileagent.virtual.system.interfaces import Task
INK = "#ffffff"
FALLBACK = Icon("android", "#3ddc84")
ALL_APPS = "android.intent.action.ALL_APPS"
SETTINGS = "com.android.settings"
DETAILS = "android.settings.APPLICATION_DETAILS_SETTINGS"


class NexusLauncherActivity(Activity):
    """The launcher's only activity; `state["view"]` is home, apps or overview."""

    name = ".NexusLauncherActivity"
    main = (HOME,)
    actions = (ALL_APPS,)
    fullscreen = True

    @property
    def bar_ink(self) -> str:  # type: ignore[override]
        """The colour of the bar icons: white over the wallpaper."""
        return "on_surface" if self.state["view"] == "apps" else INK

    def on_create(self) -> None:
        """Start at the home screen."""
        items = [asdict(item) for item in workspace.load(self.app)]
        self.state = {"view": "home", "page": 0, "search": "", "items": items}

    def on_intent(self, intent: Intent) -> None:
        """Return to the home screen for HOME, or open all apps for ALL_APPS."""
        if HOME in intent.categories:
            self.set(view="home", search="")
        elif intent.action == ALL_APPS:
            self.set(view="apps", search="")

    def on_back(self) -> bool:
        """Return from all apps or the overview to the home screen; the launcher never finishes."""
        self.set(view="home", search="")
        return True

    def on_swipe(self, direction: str) -> None:
        """Open all apps on a swipe up, close them on a swipe down, and turn pages sideways."""
        view, page = str(self.state["view"]), int(self.state["page"])
        if view == "home" and direction == "up":
            self.set(view="apps", search="")
        elif view == "apps" and direction == "down":
            self.set(view="home")
        elif view == "home" and direction in ("left", "right"):
            page += 1 if direction == "left" else -1
            self.set(page=min(max(page, 0), len(self._screens(self._items())) - 1))

    def content(self) -> View:
        """Build the view that is shown over the wallpaper."""
        views = {"home": self._home, "apps": self._all_apps}
        views["overview"] = partial(overview, self, self.grid)
        scrim = View(id="scrim_view", width=MATCH, height=MATCH)
        layer = Frame([scrim, views[str(self.state["view"])]()], id="drag_layer", height=MATCH)
        return Frame([layer], id="launcher", height=MATCH)

    # Home screen

    def _home(self) -> View:
        grid, items = self.grid, self._items()
        screens = self._screens(items)
        page = min(int(self.state["page"]), len(screens) - 1)
        shown = [item for item in items if item.container == DESKTOP]
        icons = [self._placed(item, grid) for item in shown if item.screen == screens[page]]
        at_a_glance = [self._smartspace()] if page == 0 else []
        workspace = Frame([*at_a_glance, *icons], id="workspace", height=MATCH, weight=1)
        workspace.padding = (SIDES, grid.top, SIDES, 0)
        dots = Row([self._dot(at, chosen=at == page) for at in range(len(screens))])
        dots.id, dots.gravity, dots.height = "page_indicator", "center", grid.dots
        dots.desc = self.t("Page {page} of {pages}", page=page + 1, pages=len(screens))
        seats = [self._seat(item, grid) for item in items if item.container == HOTSEAT]
        hotseat = at_hand(self, seats, grid)
        if grid.wide:
            pages = Column([workspace, dots], height=MATCH, weight=1)
            return Row([pages, hotseat], height=MATCH, padding=(0, 0, 0, grid.bottom))
        return Column([workspace, dots, hotseat], height=MATCH, padding=(0, 0, 0, grid.bottom))

    @property
    def grid(self) -> Grid:
        """The dimensions of the grid on this display."""
        return Grid.of(self.phone.display.metrics)

    def _items(self) -> list[Item]:
        """Return the icons whose apps are installed."""
        items = [Item(**each) for each in self.state["items"]]
        return [item for item in items if self.phone.packages.find(item.component)]

    @staticmethod
    def _screens(items: Sequence[Item]) -> list[int]:
        return sorted({0, *(item.screen for item in items if item.container == DESKTOP)})

    def _smartspace(self) -> View:
        today = self.locale.date(self.phone.clock.now(), "EEE, MMM d")
        date = Text(today, id="date", size=22, color=INK, shadow=True, max_lines=1)
        card = Column([date], id="base_template_card_with_date", padding=(12, 0))
        pager = Frame([card], id="smartspace_card_pager", desc=self.t("At a glance"))
        return Frame([pager], id="bc_smartspace_view", height=self.grid.cell[1])

    def _placed(self, item: Item, grid: Grid) -> View:
        width, height = grid.cell
        icon = self._icon(self.phone.packages.app(item.package), grid.icon, item.component)
        icon.width, icon.height = width - 1, height - 1  # fits however pixels are rounded
        icon.key = f"item{item.number}"
        if not grid.label:
            icon.color, icon.size = "transparent", 1
        icon.margin = (min(item.x, COLUMNS - 1) * width, min(item.y, ROWS - 1) * height, 0, 0)
        return icon

    def _icon(self, app: base.App, size: float, component: str = "", *, ink: str = INK) -> Text:
        icon = Text(app.name, desc=app.name, size=12, color=ink, shadow=ink == INK, max_lines=1)
        icon.icon, icon.icon_size, icon.icon_top = app.icon or FALLBACK, size, True
        icon.gravity, icon.width, icon.padding = "center", MATCH, (3, 2)
        icon.on_click = partial(self._open, app.package, component)
        if SETTINGS in self.phone.packages:
            details = Intent(DETAILS, data=f"package:{app.package}")
            icon.menu = [(self.t("App info"), partial(self.start, details))]
        return icon

    def _open(self, package: str, component: str = "") -> None:
        self.set(view="home", search="")
        if component:
            self.phone.activities.start(launch(component), uid=self.app.uid)
        else:
            self.phone.activities.launch(package, uid=self.app.uid)

    @staticmethod
    def _dot(at: int, *, chosen: bool) -> View:
        color = INK if chosen else "#80ffffff"
        return View(key=f"dot{at}", width=6, height=6, corner=3, margin=4, background=color)

    def _seat(self, item: Item, grid: Grid) -> View:
        size = min(LARGEST if grid.wide else grid.icon, grid.seat - 8)
        seat = self._icon(self.phone.packages.app(item.package), size, item.component)
        seat.color, seat.size, seat.key = "transparent", 1, f"item{item.number}"
        seat.width, seat.height, seat.margin = grid.place(min(item.screen, COLUMNS - 1))
        return seat

    # All apps

    def _all_apps(self) -> View:
        text, launchable = str(self.state["search"]), self.phone.packages.launchable()
        apps = [app for app in launchable if text.casefold() in app.name.casefold()]
        search = Input(text, id="input", key="search", icon="search", action="search", corner=28)
        search.hint, search.style = self.t("Search web and more"), "filled"
        search.on_change = lambda typed: self.set(search=typed)
        search.on_submit = lambda _: self._open(apps[0].package) if apps else None
        size = LARGEST if self.grid.wide else self.grid.icon
        icons = [self._icon(app, size, ink="on_surface") for app in apps]
        for icon in icons:
            icon.id, icon.padding = "icon", (3, 10)
        field = Frame([search], id="search_container_all_apps", padding=(16, 8))
        drawer = List(icons, columns=self.grid.columns, cell=110, id="apps_list_view")
        drawer.padding = (12, 8)
        view = Column([field, drawer], id="apps_view", height=MATCH, background="surface")
        view.padding = (0, 40, 0, 24)
        return view


class Launcher(App):
    """The launcher's package: its activity, and the database that stores its icons."""

    package, label = "com.google.android.apps.nexuslauncher", "Pixel Launcher"
    version_name, version_code = "14", 34
    system = True
    activities = (NexusLauncherActivity,)

    def install(self) -> None:
        """Create the database."""
        self.database(workspace.DATABASE).script(workspace.SCHEMA)


def overview(launcher: Activity, grid: Grid) -> View:
    """Build the cards, side by side, and the button that clears them all."""
    tasks, t = launcher.phone.activities.recent(), launcher.t
    if not tasks:
        empty = Text(t("No recent items"), id="empty_message", color=INK, size=20, align="center")
        return Frame([empty], id="overview_panel", height=MATCH, on_click=launcher.on_back)
    cards = Row([_card(launcher, grid, task) for task in tasks], padding=(48, 0))
    panel = HScroll(cards, id="overview_panel", height=MATCH, weight=1)
    clear = Button(t("Clear all"), id="clear_all_button", style="tonal")
    clear.on_click = partial(_clear, launcher)
    actions = Row([clear], id="overview_actions_view", gravity="center", height=80, min_height=56)
    above, below = (32, 24) if grid.wide else (96, 48)
    return Column([panel, actions], height=MATCH, padding=(0, above, 0, below))


def _card(launcher: Activity, grid: Grid, task: Task) -> View:
    app = launcher.phone.packages.app(task.package)
    height = max(120, min(520, grid.height - (230 if grid.wide else 330)))
    width = height * grid.width / grid.height
    seen = Image(launcher.phone.sight.thumbnail(task), width=width, height=height)
    picture = Frame([seen], width=width, height=height, corner=16)
    title = Row([Image(app.icon or FALLBACK, size=32), Text(app.name, margin=8, max_lines=1)])
    card = Card([title, picture], id="snapshot", key=f"task{task.number}", desc=app.name)
    card.width, card.margin, card.padding = width + 16, 12, 8
    card.on_click = partial(_switch, launcher, task.number)
    return card


def _switch(launcher: Activity, task: int) -> None:
    launcher.set(view="home")
    launcher.phone.activities.to_front(task)


def _clear(launcher: Activity) -> None:
    for task in launcher.phone.activities.recent():
        launcher.phone.activities.remove_task(task.number)
    launcher.set(view="home")
