"""What every page of the home screen has: some apps at hand, and the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.image.grid import BESIDE, SEARCH, SIDES, TOP
from pytest_mobileagent.virtual.ui import MATCH, Column, Frame, Image, Row, Space, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.virtual.image.grid import Grid

    Act = Callable[[], object]
    Words = Callable[[str], str]


def at_hand(seats: Sequence[View], grid: Grid, search: Act, t: Words) -> View:
    """Put the apps and the search under the pages, or beside them."""
    if not grid.wide:
        bar = _search_bar(search, t)
        return Column([Frame(seats, height=grid.seat), bar], id="hotseat", padding=(SIDES, 0))
    column = Frame(seats, height=MATCH, weight=1)
    button = Frame([_search_button(search, t)], height=grid.seat)
    return Column(
        [column, button], id="hotseat", width=BESIDE, height=MATCH, padding=(0, TOP, 0, 0)
    )


def _search_bar(search: Act, t: Words) -> View:
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
    return _searching(bar, search, t)


def _search_button(search: Act, t: Words) -> View:
    icon = Image("search", id="g_icon", desc=t("Google app"), align="center")
    return _searching(Frame([icon], width=48, height=48, corner=24, align="center"), search, t)


def _searching(view: View, search: Act, t: Words) -> View:
    view.id, view.desc = "search_container_hotseat", t("Google search")
    view.on_click, view.background = search, "surface_container"
    return view
