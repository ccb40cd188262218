"""The canvas and colours that a view is painted with, and the pictures that views name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, intersect
from pytest_mobileagent.virtual.ui.pictures import cover
from pytest_mobileagent.virtual.ui.strokes import DRAWINGS, flipped, icon
from pytest_mobileagent.virtual.ui.views import Icon, Source

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.canvas import Canvas
    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.theme import RGBA, Theme


@dataclass(frozen=True, slots=True)
class Brush:
    """What painting a view requires; the canvas is clipped to the visible part of the view."""

    canvas: Canvas
    theme: Theme
    box: Box

    @property
    def metrics(self) -> Metrics:
        """The metrics of the display that the view was laid out for."""
        return self.box.metrics

    def ink(self, color: str) -> RGBA:
        """Return a colour, translucent if the view is disabled."""
        red, green, blue, alpha = self.theme(color)
        return (red, green, blue, alpha if self.box.view.enabled else alpha * 38 // 100)

    def source(self, source: Source, room: Rect, ink: RGBA) -> None:
        """Paint an icon, an app icon or a picture."""
        clip = intersect(room, self.box.visible)
        if clip and source:
            with self.canvas.clipped(clip):
                self._source(source, room, ink)

    def _source(self, source: Source, room: Rect, ink: RGBA) -> None:
        width, height = room[2] - room[0], room[3] - room[1]
        if isinstance(source, bytes):
            radius = self.metrics.px(self.box.view.corner)
            self.canvas.show(cover(source, width, height), room, radius)
            return
        size = min(width, height)
        square = aligned("center", (size, size), room)
        if isinstance(source, Icon):
            self.canvas.fill(square, self.theme(source.color), size // 2)
            self._glyph(source, square)
        else:
            mask = flipped(source, size) if self.metrics.rtl else icon(source, size)
            self.canvas.stamp(mask, square[:2], ink)

    def _glyph(self, source: Icon, disc: Rect) -> None:
        size = disc[2] - disc[0]
        if source.glyph in DRAWINGS:
            mask = icon(source.glyph, size * 56 // 100)
        else:
            mask = roboto.mask(source.glyph, max(1, size // 2), True)
        place = aligned("center", mask.size, disc)
        self.canvas.stamp(mask, place[:2], self.theme(source.ink))
