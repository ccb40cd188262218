"""The dimensions of the home screen, derived from the display."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.image.workspace import COLUMNS, ROWS

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.metrics import Metrics
    from pytest_mobileagent.virtual.ui.views import Edges

SIDES = 12  # dp on either side of the pages
SEARCH = 68  # dp of the search bar
LARGEST, SMALLEST = 56, 24  # dp, icon sizes
LEGIBLE = 28  # dp, smallest icon that has a label
BESIDE = 88  # dp, width of the hotseat in landscape, where it is beside the pages
TABLET = 600  # dp, from which shorter side a display is a tablet


@dataclass(frozen=True, slots=True)
class Grid:
    """The dimensions, in dp, of the home screen on a display."""

    width: float
    height: float
    font_scale: float

    @classmethod
    def of(cls, metrics: Metrics) -> Grid:
        """Return the grid for a display."""
        density = metrics.density
        return cls(metrics.width_px / density, metrics.height_px / density, metrics.font_scale)

    @property
    def columns(self) -> int:
        """The number of columns in the list of all apps."""
        return COLUMNS if min(self.width, self.height) < TABLET else COLUMNS + 1

    @property
    def wide(self) -> bool:
        """Whether the hotseat is placed beside the pages: on a phone in landscape."""
        return self.width > self.height < TABLET

    @property
    def top(self) -> int:
        """The height, in dp, above the pages, which includes the status bar."""
        return 28 if self.wide else 40

    @property
    def dots(self) -> int:
        """The height of the row of page indicator dots."""
        return 16 if self.wide else 24

    @property
    def bottom(self) -> int:
        """The height below everything else."""
        return 24 if self.wide else 32

    @property
    def cell(self) -> tuple[float, float]:
        """The width and height of a cell on a page."""
        width, height = self.width - 2 * SIDES, self.height - self.top - self.dots - self.bottom
        if self.wide:
            return (width - BESIDE) / COLUMNS, height / ROWS
        return width / COLUMNS, max(height - self.seat - SEARCH, 0) / ROWS

    @property
    def seat(self) -> float:
        """The height of a cell in the hotseat."""
        if self.wide:
            return (self.height - self.top - self.bottom) / (COLUMNS + 1)
        return min(LARGEST + 20, self.height / 8)

    def place(self, at: int) -> tuple[float, float, Edges]:
        """Return the width, height and margin of the hotseat cell at index `at`."""
        if self.wide:
            return BESIDE, self.seat, (0, at * self.seat, 0, 0)
        return self.cell[0], self.seat, (at * self.cell[0], 0, 0, 0)

    @property
    def label(self) -> float:
        """The height of the label under an icon, or 0 if there is no room for one."""
        label = 10 + 16 * self.font_scale
        return label if self.cell[1] >= LEGIBLE + label else 0

    @property
    def icon(self) -> float:
        """The size of an icon, which leaves room for the label."""
        width, height = self.cell
        return max(SMALLEST, min(LARGEST, width - 10, height - 4 - (self.label or 6)))
