"""The drawer at the side of a screen, which is open while `state["drawer"]` holds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import MATCH, Image, Row, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.sdk.app import Activity


def drawer(activity: Activity, panel: View) -> list[View]:
    """Return a panel at the side, and before it a shade over all else, which closes the drawer."""
    shade = View(width=MATCH, height=MATCH, background="scrim", elevation=7)
    shade.desc = activity.t("Close navigation drawer")
    shade.on_click = partial(activity.set, drawer=False)
    panel.width, panel.height, panel.align, panel.elevation = 300, MATCH, "start", 8
    panel.background, panel.on_click = "surface_container_low", lambda: None
    return [shade, panel]


def item(
    icon: str, label: View, act: Callable[[], object], height: int = 56, chosen: bool = False
) -> View:
    """Return a row of a drawer."""
    row = Row([Image(icon), label], height=height, margin=(12, 0), padding=(16, 0))
    row.corner, row.selected, row.on_click = height // 2, chosen, act
    row.background = "secondary_container" if chosen else ""
    return row
