"""The measures of the home screen, which follow from the display."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.image.workspace import COLUMNS, ROWS

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.metrics import Metrics
    from pytest_mobileagent.virtual.ui.views import Edges

SIDES = 12  # dp beside the pages
SEARCH = 68  # dp of the search bar
LARGEST, SMALLEST = 56, 24  # dp of an icon
LEGIBLE = 28  # dp of an icon that has a label
BESIDE = 88  # dp of the icons and the search that every page has, where they stand beside it
TABLET = 600  # dp of its shorter side


@dataclass(frozen=True, slots=True)
class Grid:
    """The sizes, in dp, of the home screen on a display: they follow from what there is."""

    width: float
    height: float
    font_scale: float

    @classmethod
    def of(cls, metrics: Metrics) -> Grid:
        """Measure a display."""
        density = metrics.density
        return cls(metrics.width_px / density, metrics.height_px / density, metrics.font_scale)

    @property
    def columns(self) -> int:
        """How many icons stand side by side among all apps."""
        return COLUMNS if min(self.width, self.height) < TABLET else COLUMNS + 1

    @property
    def wide(self) -> bool:
        """Whether what every page has stands beside the pages: a phone lies on its side."""
        return self.width > self.height < TABLET

    @property
    def top(self) -> int:
        """Height, in dp, above the pages, of which the status bar takes a part."""
        return 28 if self.wide else 40

    @property
    def dots(self) -> int:
        """Height of the row that tells the page."""
        return 16 if self.wide else 24

    @property
    def bottom(self) -> int:
        """Height below all."""
        return 24 if self.wide else 32

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a place on a page."""
        width, height = self.width - 2 * SIDES, self.height - self.top - self.dots - self.bottom
        if self.wide:
            return (width - BESIDE) / COLUMNS, height / ROWS
        return width / COLUMNS, max(height - self.seat - SEARCH, 0) / ROWS

    @property
    def seat(self) -> float:
        """Height of a place among the icons that every page has."""
        if self.wide:
            return (self.height - self.top - self.bottom) / (COLUMNS + 1)
        return min(LARGEST + 20, self.height / 8)

    def place(self, at: int) -> tuple[float, float, Edges]:
        """Give width, height and margin of one of these places."""
        if self.wide:
            return BESIDE, self.seat, (0, at * self.seat, 0, 0)
        return self.cell[0], self.seat, (at * self.cell[0], 0, 0, 0)

    @property
    def label(self) -> float:
        """Height of the label under an icon, 0 where there is no room for one."""
        label = 10 + 16 * self.font_scale
        return label if self.cell[1] >= LEGIBLE + label else 0

    @property
    def icon(self) -> float:
        """Size of an icon, which leaves room for the label."""
        width, height = self.cell
        return max(SMALLEST, min(LARGEST, width - 10, height - 4 - (self.label or 6)))
