"""The hotseat: the favourite apps and the search bar, which every page of the home screen shows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.image.grid import BESIDE, SEARCH, SIDES
from pytest_mobileagent.virtual.ui import MATCH, Column, Frame, Image, Row, Space, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.image.grid import Grid
    from pytest_mobileagent.virtual.sdk.app import Activity


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
    button = Frame(
        [Image("search", id="g_icon", desc=t("Google app"), align="center")],
        width=48, height=48, corner=24, align="center",
    )  # fmt: skip
    field = button if grid.wide else bar
    field.id, field.desc = "search_container_hotseat", t("Google search")
    field.on_click, field.background = search, "surface_container"
    if not grid.wide:
        return Column([Frame(seats, height=grid.seat), field], id="hotseat", padding=(SIDES, 0))
    column = [Frame(seats, height=MATCH, weight=1), Frame([field], height=grid.seat)]
    return Column(column, id="hotseat", width=BESIDE, height=MATCH, padding=(0, grid.top, 0, 0))
