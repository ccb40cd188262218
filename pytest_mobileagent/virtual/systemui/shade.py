"""The notification shade with quick settings, pulled down over everything."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.systemui.notices import notice
from pytest_mobileagent.virtual.systemui.tiles import FIRST, TileView, tiles
from pytest_mobileagent.virtual.ui import (
    MATCH,
    Button,
    Column,
    Frame,
    Grid,
    ImageButton,
    Row,
    Scroll,
    SeekBar,
    Space,
    Text,
    View,
)
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.notifications import Notification

SETTINGS = "com.android.settings"
BRIGHTEST = 255
SIDES, TILE = 16, 130  # dp beside the panel, and of a tile at least


class Shade:
    """Open or not, and how far; what it shows comes from settings and notifications."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self.open = False
        self.full = False  # quick settings are pulled down all the way
        self.expanded: list[str] = []  # keys of notifications
        self.replying = ""  # the key of the notification that is being answered
        self.reply = ""
        self.ui = UiState()

    def pull(self, *, full: bool = False) -> None:
        """Open it; a second pull brings all of quick settings."""
        self.full = full or self.open
        self.open = True
        self._phone.notifications.hide()
        self._changed()

    def push(self) -> None:
        """Close it, or quick settings first if they are open all the way."""
        self.open = self.full and self.open
        self.full = False
        self._changed()

    def close(self) -> None:
        """Close all of it."""
        self.open = self.full = False
        self.replying = self.reply = ""
        self.expanded, self.ui = [], UiState()
        self._changed()

    def _changed(self) -> None:
        self._phone.ime.hide()
        self._phone.changed()

    def view(self) -> View:
        """Build it."""
        parts = [self._header(), self._quick_settings()]
        parts.append(self._footer() if self.full else self._stack())
        panel = Column(parts, id="notification_panel", height=MATCH, padding=(SIDES, 32, SIDES, 24))
        return Frame([panel], id="notification_shade", height=MATCH, background="surface_container")

    def _header(self) -> View:
        locale = self._phone.locales.current
        date = locale.date(self._phone.clock.now(), "EEE, MMM d")
        parts: list[View] = [
            Text(self._phone.time_text(), id="clock", size=24, margin=(8, 0)),
            Text(date, id="date", margin=(8, 0)),
            Space(height=0),
        ]
        charge = f"{self._phone.power.level}%"
        if self.full:
            parts.append(Text(locale.digits(charge), id="batteryRemainingIcon"))
        return Row(parts, id="header", height=56)

    def _quick_settings(self) -> View:
        shown = tiles(self._phone)
        shown = shown if self.full else shown[:FIRST]
        panel = "quick_settings_panel" if self.full else "quick_qs_panel"
        metrics = self._phone.display.metrics
        room = metrics.width_px / metrics.density - 2 * SIDES
        columns = max(2, min(FIRST, int(room / (TILE * max(1, metrics.font_scale)))))
        grid = Grid([TileView(tile, self._phone) for tile in shown], columns, id=panel)
        parts: list[View] = [grid]
        if self.full:
            parts.insert(0, self._brightness())
        return Column(parts, id="quick_settings_container" if self.full else "qs_frame")

    def _brightness(self) -> View:
        return SeekBar(
            float(self._phone.settings.text("system", "screen_brightness", "102")),
            BRIGHTEST,
            self._phone.power.set_brightness,
            id="slider",
            desc=self._phone.t("Display brightness"),
            margin=(0, 0, 0, 8),
        )

    def _footer(self) -> View:
        parts: list[View] = [Space(height=0)]
        if SETTINGS in self._phone.packages:
            gear = ImageButton("settings", id="settings_button", desc=self._phone.t("Settings"))
            gear.on_click = self._open_settings
            parts.append(gear)
        return Row(parts, id="qs_footer_actions", margin=(0, 12))

    def _open_settings(self) -> None:
        self.close()
        self._phone.activities.launch(SETTINGS, uid=1000)

    def _stack(self) -> View:
        shown = self._phone.notifications.posted
        if not shown:
            words = self._phone.t("No notifications")
            return Text(words, id="no_notifications", margin=(8, 24), width=MATCH)
        rows = [notice(self._phone, each, expanded=self.is_expanded(each)) for each in shown]
        buttons: list[View] = [
            Button(
                self._phone.t("Manage"),
                id="manage_text",
                style="text",
                on_click=self._open_settings,
                visible=SETTINGS in self._phone.packages,
            ),
            Space(height=0),
        ]
        if any(not each.ongoing for each in shown):
            clear = Button(self._phone.t("Clear all"), id="dismiss_text", style="text")
            clear.on_click = self._clear
            buttons.append(clear)
        body = Column([*rows, Row(buttons)])
        return Scroll(body, id="notification_stack_scroller", margin=(0, 12, 0, 0))

    def _clear(self) -> None:
        self._phone.notifications.cancel_all()
        if not self._phone.notifications.posted:
            self.close()

    def is_expanded(self, each: Notification) -> bool:
        """Tell whether a notification is shown with all it has: the first one is by itself."""
        first = self._phone.notifications.posted[0].key == each.key
        return first is not (each.key in self.expanded)

    def toggle(self, each: Notification) -> None:
        """Expand a notification, or fold it up."""
        known = each.key in self.expanded
        self.expanded = [key for key in self.expanded if key != each.key]
        if not known:
            self.expanded.append(each.key)
        self._phone.changed()

    def answer(self, each: Notification) -> None:
        """Open the field for an answer."""
        self.replying, self.reply = each.key, ""
        self.ui.focused = f"reply:{each.key}"
        self._phone.ime.show()
        self._phone.changed()

    def typed(self, text: str) -> None:
        """Keep what is typed as an answer."""
        self.reply = text

    def send(self, each: Notification, *_: object) -> None:
        """Send the answer."""
        deed = next((deed for deed in each.deeds if deed.reply), None)
        words, self.replying, self.reply = self.reply, "", ""
        self._phone.ime.hide()
        if deed and words:
            self._phone.notifications.do(each, deed, words)

    def swiped(self, key: str) -> bool:
        """Dismiss the notification that was swiped aside; False if there is none."""
        each = next((n for n in self._phone.notifications.posted if n.key == key), None)
        if each:
            self._phone.notifications.dismiss(each)
        return each is not None

    def save(self) -> dict[str, Any]:
        """Tell how far it is open."""
        return {
            "open": self.open,
            "full": self.full,
            "expanded": self.expanded,
            "replying": self.replying,
            "reply": self.reply,
            "ui": asdict(self.ui),
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Open or close it again."""
        self.open, self.full, self.expanded = saved["open"], saved["full"], saved["expanded"]
        self.replying, self.reply = saved["replying"], saved["reply"]
        self.ui = UiState(**saved["ui"])
