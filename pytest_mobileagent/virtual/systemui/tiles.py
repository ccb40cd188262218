"""The quick settings tiles: what each shows, what it switches, and its page in Settings."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.virtual.content.intent import NEW_TASK, Intent
from pytest_mobileagent.virtual.systemui.system_ui import SYSTEM_UI, SystemUi
from pytest_mobileagent.virtual.ui import MATCH, Column, Image, Row, Text, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.ui.views import Edges


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile: whether it is on, what a tap does, and its page in Settings."""

    label: str
    icon: str
    on: bool
    flip: Callable[[bool], object]
    page: str = ""  # action of the intent that opens the page
    detail: str = ""  # shown under the label while the tile is on


def tiles(ui: SystemUi) -> tuple[Tile, ...]:
    """Return the tiles in their current state and order."""
    radios, settings, display = ui.radios, ui.settings, ui.display

    def switch(namespace: str, key: str) -> tuple[bool, Callable[[bool], object]]:
        return settings.on(namespace, key), lambda on: settings.put(namespace, key, str(int(on)))

    def set_wifi(on: bool) -> None:
        radios.set_wifi(on, package=SYSTEM_UI, uid=ui.packages[SYSTEM_UI].uid)

    def set_rotation(free: bool) -> None:
        (display.free_rotation if free else display.lock_rotation)()

    def set_dark(on: bool) -> None:
        display.dark = on

    page = "android.settings."
    return (
        Tile("Wi-Fi", "wifi", radios.wifi, set_wifi, f"{page}WIFI_SETTINGS", "AndroidWifi"),
        Tile("Bluetooth", "bluetooth", radios.bluetooth, radios.set_bluetooth,
             f"{page}BLUETOOTH_SETTINGS"),
        Tile("Do Not Disturb", "remove", *switch("global", "zen_mode"), f"{page}ZEN_MODE_SETTINGS"),
        Tile("Flashlight", "lightbulb", radios.torch, radios.set_torch),
        Tile("Airplane mode", "airplane", settings.on("global", "airplane_mode_on"),
             radios.set_airplane, f"{page}AIRPLANE_MODE_SETTINGS"),
        Tile("Auto-rotate", "phone_android", settings.on("system", "accelerometer_rotation"),
             set_rotation, f"{page}DISPLAY_SETTINGS"),
        Tile("Battery Saver", "battery", *switch("global", "low_power"),
             f"{page}BATTERY_SAVER_SETTINGS"),
        Tile("Dark theme", "moon", display.dark, set_dark, f"{page}DISPLAY_SETTINGS"),
    )  # fmt: skip


FIRST = 4  # tiles that are shown before quick settings are fully expanded


@dataclass(eq=False)
class TileView(Row):
    """A tile as a checkable view."""

    _: KW_ONLY
    checked: bool = False
    min_height: float = 64
    margin: Edges = 4
    padding: Edges = (14, 4)
    corner: float = 32

    kind: ClassVar[str] = "android.widget.Switch"
    checkable: ClassVar[bool] = True

    @property
    def is_checked(self) -> bool:
        """Whether the tile is switched on."""
        return self.checked


def tile_view(tile: Tile, ui: SystemUi) -> View:
    """Build the view of a tile: its icon and texts in a pill."""
    on, label = tile.on, ui.t(tile.label)
    state = tile.detail if tile.detail and on else ui.t("On" if on else "Off")
    ink = "on_primary" if on else "on_surface"
    words = [
        Text(label, id="tile_label", color=ink, bold=True, max_lines=2, width=MATCH),
        Text(state, id="app_label", color=ink, size=12, max_lines=1, width=MATCH),
    ]
    column = Column(words, id="label_group", margin=(10, 0, 0, 0), weight=1)
    return TileView(
        [Image(tile.icon, id="icon", color=ink), column],
        checked=on,
        key=f"tile:{tile.label}",
        desc=f"{label}, {state}",
        background="primary" if on else "surface_container_highest",
        on_click=partial(tile.flip, not on),
        on_long_click=partial(_open_page, ui, tile) if tile.page else None,
    )


def _open_page(ui: SystemUi, tile: Tile) -> None:
    intent = Intent(tile.page, flags=NEW_TASK)
    if ui.packages.resolve(intent):
        ui.shade.push()
        ui.activities.start(intent, uid=1000)
