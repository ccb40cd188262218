"""The notification shade with its quick settings, pulled down over everything."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import (
    MATCH,
    WRAP,
    Button,
    Card,
    Column,
    Frame,
    Grid,
    Image,
    ImageButton,
    Row,
    Scroll,
    SeekBar,
    Space,
    Text,
    View,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.notifications import Notification
    from pytest_mobileagent.virtual.ui.views import Action

SETTINGS = "com.android.settings"
BRIGHTEST = 255


class Shade:
    """Open or not; what it shows comes from settings and notifications."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self.open = False

    def pull(self) -> None:
        """Open it."""
        self._set(open=True)

    def push(self) -> None:
        """Close it."""
        self._set(open=False)

    def _set(self, *, open: bool) -> None:
        self.open = open
        self._phone.ime.hide()
        self._phone.changed()

    def view(self) -> View:
        """Build it."""
        notifications = self._phone.notifications.posted
        return Frame(
            [
                Column(
                    [self._header(), self._quick_settings(), self._stack(notifications)],
                    id="notification_panel",
                    height=MATCH,
                    padding=(16, 32, 16, 24),
                )
            ],
            id="notification_shade",
            height=MATCH,
            background="surface_container",
        )

    def _header(self) -> View:
        t, now = self._phone.t, self._phone.clock.now()
        parts: list[View] = [
            Text(self._phone.time_text(), id="clock", size=24, margin=(8, 0)),
            Text(self._phone.locales.current.date(now, "EEE, MMM d"), id="date", margin=(8, 0)),
            Space(height=0),
        ]
        if SETTINGS in self._phone.packages:
            gear = ImageButton("settings", id="settings_button", desc=t("Settings"))
            gear.on_click = partial(self._start, SETTINGS)
            parts.append(gear)
        return Row(parts, id="header", height=56)

    def _quick_settings(self) -> View:
        settings = self._phone.settings
        tiles = [
            self._tile(
                self._phone.t(label), icon, settings.on("global", key), partial(self._flip, key)
            )
            for label, icon, key in (
                ("Wi-Fi", "wifi", "wifi_on"),
                ("Bluetooth", "bluetooth", "bluetooth_on"),
                ("Airplane mode", "airplane", "airplane_mode_on"),
                ("Do Not Disturb", "remove", "zen_mode"),
            )
        ]
        tiles.append(
            self._tile(
                self._phone.t("Dark theme"), "moon", self._phone.display.dark, self._flip_dark
            )
        )
        slider = SeekBar(
            float(settings.text("system", "screen_brightness", "102")),
            BRIGHTEST,
            self._set_brightness,
            id="slider",
            desc=self._phone.t("Display brightness"),
        )
        grid = Grid(tiles, 2, id="quick_settings_panel")
        return Column([slider, grid], id="quick_settings_container")

    def _tile(self, label: str, icon: str, on: bool, flip: Action) -> View:
        ink = "on_primary" if on else "on_surface"
        return Row(
            [
                Image(icon, id="icon", color=ink),
                Text(label, id="tile_label", color=ink, margin=(12, 0), max_lines=1, weight=1),
            ],
            desc=f"{label}, {self._phone.t('On' if on else 'Off')}",
            selected=on,
            class_name="android.widget.Switch",
            on_click=flip,
            height=64,
            margin=4,
            padding=(16, 0),
            corner=32,
            background="primary" if on else "surface_container_highest",
        )

    def _stack(self, notifications: list[Notification]) -> View:
        if not notifications:
            return Text(
                self._phone.t("No notifications"),
                id="no_notifications",
                margin=(8, 24),
                width=MATCH,
            )
        rows = [self._row(each) for each in notifications]
        clear = Button(self._phone.t("Clear all"), id="dismiss_text", style="text")
        clear.on_click = self._phone.notifications.cancel_all
        body = Column([*rows, clear])
        return Scroll(body, id="notification_stack_scroller", margin=(0, 12, 0, 0))

    def _row(self, shown: Notification) -> View:
        app = self._phone.packages.app(shown.package)
        texts = Column(
            [
                Text(app.name, id="android:id/app_name_text", size=12, color="on_surface_variant"),
                Text(shown.title, id="android:id/title", bold=True),
                Text(shown.text, id="android:id/text"),
            ],
            width=WRAP,
        )
        return Card(
            [texts],
            key=shown.key,
            class_name="android.widget.FrameLayout",
            on_click=partial(self._open, shown),
            padding=16,
            margin=(0, 4),
            background="surface",
        )

    def _open(self, shown: Notification) -> None:
        self._phone.notifications.cancel(shown.package, shown.tag)
        self._start(shown.package, shown.component)

    def _start(self, package: str, component: str = "") -> None:
        self.push()
        if component:
            self._phone.activities.start_component(component, package)
        else:
            self._phone.activities.launch(package, uid=1000)

    def _flip(self, key: str) -> None:
        settings = self._phone.settings
        settings.put("global", key, "0" if settings.on("global", key) else "1")

    def _flip_dark(self) -> None:
        self._phone.display.dark = not self._phone.display.dark

    def _set_brightness(self, level: float) -> None:
        self._phone.settings.put("system", "screen_brightness", str(round(level)))

    def save(self) -> bool:
        """Tell whether it is open."""
        return self.open

    def load(self, saved: bool) -> None:
        """Open or close it again."""
        self.open = saved
