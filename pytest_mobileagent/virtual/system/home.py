"""The launcher: home screen, all apps and the overview of recent tasks, like a Pixel's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app import Activity
from pytest_mobileagent.virtual.intent import HOME, Intent
from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    Card,
    Column,
    Frame,
    Grid,
    HScroll,
    Icon,
    Image,
    Input,
    List,
    Row,
    Space,
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.app import App

COLUMNS = 5
ROWS = 4  # of icons on a home screen page
WIDTH = 77  # dp of a place in the hotseat
INK = "#ffffff"
FALLBACK = Icon("android", "#3ddc84")
HOTSEAT = (  # what a phone keeps at hand, if it is installed
    "com.google.android.dialer",
    "com.android.dialer",
    "com.google.android.apps.messaging",
    "com.android.messaging",
    "com.android.chrome",
    "com.android.camera2",
    "com.google.android.deskclock",
    "com.android.deskclock",
    "com.android.settings",
)


class NexusLauncherActivity(Activity):
    """The one activity of the launcher; `state["view"]` is home, apps or overview."""

    name = ".NexusLauncherActivity"
    main = (HOME,)
    fullscreen = True

    @property
    def bar_ink(self) -> str:  # type: ignore[override]
        """White over the wallpaper."""
        return "on_surface" if self.state["view"] == "apps" else INK

    def on_create(self) -> None:
        """Start at the home screen."""
        self.state = {"view": "home", "page": 0, "search": ""}

    def on_intent(self, intent: Intent) -> None:
        """Come home, whatever was shown."""
        if HOME in intent.categories:
            self.set(view="home", search="")

    def on_back(self) -> bool:
        """Go from all apps or the overview back home, where the way ends."""
        self.set(view="home", search="")
        return True

    def on_swipe(self, direction: str) -> None:
        """Open all apps upwards, and close them downwards; turn pages sideways."""
        view, page = str(self.state["view"]), int(self.state["page"])
        if view == "home" and direction == "up":
            self.set(view="apps", search="")
        elif view == "apps" and direction == "down":
            self.set(view="home")
        elif view == "home" and direction in ("left", "right"):
            page += 1 if direction == "left" else -1
            self.set(page=min(max(page, 0), len(self._pages()) - 1))

    def content(self) -> View:
        """Build what is shown over the wallpaper."""
        views = {"home": self._home, "apps": self._all_apps, "overview": self._overview}
        shown = views[str(self.state["view"])]()
        layer = Frame(
            [View(id="scrim_view", width=MATCH, height=MATCH), shown],
            id="drag_layer",
            height=MATCH,
        )
        return Frame([layer], id="launcher", height=MATCH)

    # Home.

    def _home(self) -> View:
        pages = self._pages()
        page = min(int(self.state["page"]), len(pages) - 1)
        icons = [self._icon(app) for app in pages[page]]
        at_a_glance = [self._smartspace()] if page == 0 else []
        workspace = Column(
            [*at_a_glance, Space(), Grid(icons, COLUMNS), Space(height=16)],
            id="workspace",
            height=MATCH,
            weight=1,
            padding=(12, 40, 12, 0),
        )
        dots = Row(
            [self._dot(at, chosen=at == page) for at in range(len(pages))],
            id="page_indicator",
            gravity="center",
            height=24,
            desc=f"Page {page + 1} of {len(pages)}",
        )
        return Column([workspace, dots, self._hotseat()], height=MATCH, padding=(0, 0, 0, 32))

    def _pages(self) -> list[list[App]]:
        seat = [app.package for app in self._at_hand()]
        others = [app for app in self.phone.packages.launchable() if app.package not in seat]
        size = COLUMNS * ROWS
        return [others[at : at + size] for at in range(0, len(others), size)] or [[]]

    def _at_hand(self) -> list[App]:
        apps = {app.package: app for app in self.phone.packages.launchable()}
        return [apps[name] for name in HOTSEAT if name in apps][:COLUMNS]

    def _smartspace(self) -> View:
        now = self.phone.clock.now()
        date = Text(f"{now:%a}, {now:%b} {now.day}", id="date", size=22, color=INK)
        card = Column([date], id="base_template_card_with_date", padding=(12, 0))
        pager = Frame([card], id="smartspace_card_pager", desc="At a glance")
        return Frame([pager], id="bc_smartspace_view", height=64)

    def _icon(self, app: App, *, id: str = "", ink: str = INK) -> View:
        return Text(
            app.label,
            id=id,
            desc=app.label,
            icon=app.icon or FALLBACK,
            icon_top=True,
            icon_size=56,
            size=12,
            color=ink,
            max_lines=1,
            gravity="center_horizontal",
            width=MATCH,
            padding=(4, 10),
            on_click=partial(self._open, app.package),
        )

    def _open(self, package: str) -> None:
        self.set(view="home", search="")
        self.phone.activities.launch(package, uid=self.app.uid)

    @staticmethod
    def _dot(at: int, *, chosen: bool) -> View:
        color = INK if chosen else "#80ffffff"
        return View(key=f"dot{at}", width=6, height=6, corner=3, margin=4, background=color)

    def _hotseat(self) -> View:
        seats = [self._icon(app, ink="transparent") for app in self._at_hand()]
        for seat in seats:
            seat.width = WIDTH
        search = Row(
            [
                Image("search", id="g_icon", desc="Google app", on_click=self._search),
                Space(height=0),
                Image("mic", id="mic_icon", desc="Voice search", on_click=self._search),
                Image("camera", id="lens_icon", desc="Google Lens", on_click=self._search),
            ],
            id="search_container_hotseat",
            desc="Google search",
            on_click=self._search,
            height=52,
            corner=26,
            padding=(16, 0),
            margin=(12, 8),
            background="surface_container",
        )
        return Column([Row(seats, gravity="center"), search], id="hotseat", padding=(12, 0))

    def _search(self) -> None:
        self.set(view="apps", search="")

    # All apps.

    def _all_apps(self) -> View:
        wanted = str(self.state["search"]).casefold()
        apps = [app for app in self.phone.packages.launchable() if wanted in app.label.casefold()]
        search = Input(
            str(self.state["search"]),
            id="input",
            key="search",
            hint="Search web and more",
            icon="search",
            action="search",
            style="filled",
            on_change=lambda text: self.set(search=text),
            on_submit=lambda _: self._open_first(apps),
        )
        icons = [self._icon(app, id="icon", ink="on_surface") for app in apps]
        drawer: Sequence[View] = [
            Frame([search], id="search_container_all_apps", padding=(16, 8)),
            List(icons, columns=COLUMNS, id="apps_list_view", padding=(12, 8)),
        ]
        return Column(
            drawer, id="apps_view", height=MATCH, padding=(0, 40, 0, 24), background="surface"
        )

    def _open_first(self, apps: Sequence[App]) -> None:
        if apps:
            self._open(apps[0].package)

    # Overview.

    def _overview(self) -> View:
        tasks = self.phone.activities.recent()
        if not tasks:
            empty = Text("No recent items", id="empty_message", color=INK, size=20, align="center")
            return Frame([empty], id="overview_panel", height=MATCH, on_click=self.on_back)
        cards = [self._task(task.number, task.package) for task in tasks]
        panel = HScroll(Row(cards, padding=(48, 0)), id="overview_panel", height=MATCH, weight=1)
        actions = Row(
            [Button("Clear all", id="clear_all_button", on_click=self._clear, style="tonal")],
            id="overview_actions_view",
            gravity="center",
            height=80,
        )
        return Column([panel, actions], height=MATCH, padding=(0, 96, 0, 48))

    def _task(self, number: int, package: str) -> View:
        app = self.phone.packages.app(package)
        picture = Frame(
            [Image(app.icon or FALLBACK, size=96, align="center")],
            height=MATCH,
            background="surface",
            corner=24,
        )
        return Card(
            [Row([Image(app.icon or FALLBACK, size=32), Text(app.label, margin=8)]), picture],
            id="snapshot",
            key=f"task{number}",
            desc=app.label,
            width=280,
            height=520,
            margin=12,
            padding=8,
            on_click=partial(self._switch, number),
        )

    def _switch(self, task: int) -> None:
        self.set(view="home")
        self.phone.activities.to_front(task)

    def _clear(self) -> None:
        for task in self.phone.activities.recent():
            self.phone.activities.remove_task(task.number)
        self.set(view="home")
