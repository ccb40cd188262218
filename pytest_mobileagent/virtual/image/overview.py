"""The overview: cards of the recent tasks, each with the screen as the user left it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    Card,
    Column,
    Frame,
    HScroll,
    Icon,
    Image,
    Row,
    Text,
    View,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.image.grid import Grid
    from pytest_mobileagent.virtual.sdk.app import Activity
    from pytest_mobileagent.virtual.system.activities.record import Task

INK = "#ffffff"
FALLBACK = Icon("android", "#3ddc84")


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
    name = Text(app.name, margin=8, max_lines=1)
    return Card(
        [Row([Image(app.icon or FALLBACK, size=32), name]), picture],
        id="snapshot",
        key=f"task{task.number}",
        desc=app.name,
        width=width + 16,
        margin=12,
        padding=8,
        on_click=partial(_switch, launcher, task.number),
    )


def _switch(launcher: Activity, task: int) -> None:
    launcher.set(view="home")
    launcher.phone.activities.to_front(task)


def _clear(launcher: Activity) -> None:
    for task in launcher.phone.activities.recent():
        launcher.phone.activities.remove_task(task.number)
    launcher.set(view="home")
