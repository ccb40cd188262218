"""The display: its size, density, rotation and theme, as the settings have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.metrics import Metrics

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.content.settings import Settings

DISPLAY = "4619827259835644672"
UPSIDE_DOWN = 2  # quarter turns
BASELINE = 160  # dots per inch at which a dp is a pixel


class Display:
    """Physical properties, and what `wm` and the settings make of them; keeps nothing itself."""

    def __init__(self, settings: Settings, size: tuple[int, int], density: int) -> None:
        self._settings = settings
        self.physical_size = size
        self.physical_density = density
        self._held = 0

    @property
    def size_override(self) -> tuple[int, int] | None:
        """The size that `wm size` has set."""
        text = self._settings.text("global", "display_size_forced")
        if not text:
            return None
        width, _, height = text.partition(",")
        return int(width), int(height)

    @size_override.setter
    def size_override(self, size: tuple[int, int] | None) -> None:
        text = f"{size[0]},{size[1]}" if size and size != self.physical_size else ""
        self._settings.put("global", "display_size_forced", text)

    @property
    def density_override(self) -> int | None:
        """The density that `wm density` has set."""
        text = self._settings.text("secure", "display_density_forced")
        return int(text) if text else None

    @density_override.setter
    def density_override(self, density: int | None) -> None:
        text = str(density) if density and density != self.physical_density else ""
        self._settings.put("secure", "display_density_forced", text)

    @property
    def density(self) -> int:
        """Dots per inch."""
        return self.density_override or self.physical_density

    @property
    def rotation(self) -> int:
        """Quarter turns, counter-clockwise: as the phone is held, or as the user has locked it."""
        if self._settings.on("system", "accelerometer_rotation"):
            return self._held
        return int(self._settings.text("system", "user_rotation", "0"))

    def turned(self, turns: int) -> None:
        """Take note of how the phone is held; upside down, the display stays as it was."""
        if turns != UPSIDE_DOWN:
            self._held = turns

    def lock_rotation(self, rotation: int | None = None) -> None:
        """Let the display stay as it is turned now, or as given."""
        turns = self.rotation if rotation is None else rotation
        self._settings.put("system", "user_rotation", str(turns))
        self._settings.put("system", "accelerometer_rotation", "0")

    def free_rotation(self) -> None:
        """Let the display turn with the phone."""
        self._settings.put("system", "accelerometer_rotation", "1")

    @property
    def dark(self) -> bool:
        """Whether the night theme is on."""
        return self._settings.text("secure", "ui_night_mode") == "2"

    @dark.setter
    def dark(self, on: bool) -> None:
        self._settings.put("secure", "ui_night_mode", "2" if on else "1")

    @property
    def metrics(self) -> Metrics:
        """What views are laid out by."""
        width, height = self.size_override or self.physical_size
        if self.rotation % 2:
            width, height = height, width
        return Metrics(
            width_px=width,
            height_px=height,
            density=self.density / BASELINE,
            font_scale=float(self._settings.text("system", "font_scale", "1.0")),
            dark=self.dark,
        )
