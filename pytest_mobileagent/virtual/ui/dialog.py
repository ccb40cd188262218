"""Windows in front of an app: dialogs and drop-down menus."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text
from pytest_mobileagent.virtual.ui.controls import Button
from pytest_mobileagent.virtual.ui.metrics import mirror
from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    WRAP,
    Action,
    Column,
    Edges,
    Frame,
    List,
    Menu,
    Row,
    Scroll,
    Space,
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.metrics import Metrics


LABEL = 16  # sp, text size of an item


@dataclass(eq=False)
class Dialog(Frame):
    """An AlertDialog, centred; the first button is android:id/button1, at the right.

    The system shows the dialog over a scrim, calls the action of a tapped button, and calls
    `on_cancel` on Back or a tap outside. The app decides whether the dialog then closes.
    """

    children: Sequence[View] = field(init=False, default=())
    title: str = ""
    message: str = ""
    content: View | None = None
    _: KW_ONLY
    title_id: str = "alertTitle"
    items: Menu = ()
    buttons: Menu = ()
    on_cancel: Action | None = None
    width: float = 356
    align: str = "center"
    margin: Edges = 24
    background: str = "surface_container_high"
    corner: float = 28
    elevation: float = 6

    def __post_init__(self) -> None:
        """Stack the panels that the dialog needs."""
        panels: list[View] = []
        if self.title:
            title = Text(self.title, id=self.title_id, size=24, max_lines=2)
            panels.append(Column([title], id="topPanel", padding=(24, 0, 24, 16)))
        if self.message:
            message = Text(self.message, id="android:id/message", color="on_surface_variant")
            panels.append(Scroll(Column([message], padding=(24, 0, 24, 16)), id="scrollView"))
        if self.items:
            panels.append(_choices(self.items, "android:id/text1", (24, 14)))
            panels[-1].id = "select_dialog_listview"
        if self.content:
            custom = Frame([self.content], id="custom", padding=(24, 0, 24, 16))
            panels.append(Frame([custom], id="customPanel", height=MATCH))
        if self.buttons:
            panels.append(self._button_panel())
        panel_class = "androidx.appcompat.widget.LinearLayoutCompat"
        # The button panel's touch areas extend into the space below the buttons.
        padding = (0, 24, 0, 0 if self.buttons else 20)
        parent = Column(panels, id="parentPanel", class_name=panel_class, padding=padding)
        self.children = [Frame([parent], id="android:id/content")]

    def _button_panel(self) -> View:
        buttons = [
            Button(label, id=f"android:id/button{i}", on_click=act, style="text", padding=(12, 10))
            for i, (label, act) in enumerate(self.buttons, 1)
        ]
        positive, *others = buttons
        row = [*others[1:], Space(height=0), *others[:1], positive]
        return Scroll(Row(row, padding=(12, 4, 12, 20)), id="buttonPanel", height=WRAP)


def _choices(menu: Menu, id: str, padding: Edges) -> List:
    rows = [
        Text(label, id=id, size=LABEL, on_click=act, width=MATCH, padding=padding, max_lines=1)
        for label, act in menu
    ]
    return List(rows, class_name="android.widget.ListView")


def sheet(
    parts: Sequence[View],
    *,
    id: str = "",
    padding: tuple[float, float, float, float] = (0, 0, 0, 0),
) -> Dialog:
    """Create a panel at the bottom of the screen, whose lower corners are below its edge."""
    panel = Dialog(width=MATCH, align="bottom")
    panel.margin = (0, 48, 0, -panel.corner)
    left, top, right, bottom = padding
    body = Column(parts, id=id, padding=(left, top, right, bottom + panel.corner))
    panel.children = [Scroll(body, id="design_bottom_sheet", height=WRAP)]
    return panel


def popup(anchor: Box, metrics: Metrics) -> View:
    """Create the window of the menu that `anchor` opens: over the anchor, within the screen."""
    place = anchor.visible or anchor.bounds
    if metrics.rtl:
        place = mirror(place, metrics.screen)
    left, top, right, _ = (edge / metrics.density for edge in place)
    width, height = metrics.width_px / metrics.density, metrics.height_px / metrics.density
    tall = 48 * len(anchor.view.menu) * max(1, metrics.font_scale) + 16
    top = max(24, min(top, height - tall - 24))
    at_right = left + right > width
    longest = max(text.width(label, metrics.sp(LABEL)) for label, _ in anchor.view.menu)
    choices = _choices(anchor.view.menu, "title", (16, 13))
    menu = Frame([choices], padding=(0, 8), background="surface_container", corner=4, elevation=8)
    menu.width = min(max(200, longest / metrics.density + 33), width - 16)
    menu.align = "end" if at_right else "start"
    menu.margin = (8, top, max(8, width - right), 24) if at_right else (max(8, left), top, 8, 24)
    return menu
