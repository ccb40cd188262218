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
    return Row(
        [
            Image("search", id="g_icon", desc=t("Google app"), on_click=search),
            Space(height=0),
            Image("mic", id="mic_icon", desc=t("Voice search"), on_click=search),
            Image("camera", id="lens_icon", desc=t("Google Lens"), on_click=search),
        ],
        id="search_container_hotseat",
        desc=t("Google search"),
        on_click=search,
        height=SEARCH - 16,
        corner=26,
        padding=(16, 0),
        margin=(0, 8),
        background="surface_container",
    )


def _search_button(search: Act, t: Words) -> View:
    icon = Image("search", id="g_icon", desc=t("Google app"), align="center")
    return Frame(
        [icon],
        id="search_container_hotseat",
        desc=t("Google search"),
        on_click=search,
        width=48,
        height=48,
        corner=24,
        align="center",
        background="surface_container",
    )
