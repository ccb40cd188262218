"""What painters share: canvas, measures and colours, and the pictures that views name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect, aligned, intersect
from pytest_mobileagent.virtual.ui.pictures import cover
from pytest_mobileagent.virtual.ui.strokes import DRAWINGS, flipped, icon
from pytest_mobileagent.virtual.ui.views import Icon, Source, View

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.canvas import Canvas
    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.theme import RGBA, Theme


@dataclass(frozen=True, slots=True)
class Brush:
    """What painting needs besides the view."""

    canvas: Canvas
    metrics: Metrics
    theme: Theme

    def ink(self, color: str, view: View) -> RGBA:
        """Give a colour, faint for a view that is not enabled."""
        red, green, blue, alpha = self.theme(color)
        return (red, green, blue, alpha if view.enabled else alpha * 38 // 100)

    def source(self, source: Source, room: Rect, ink: RGBA, box: Box) -> None:
        """Paint an icon, an app's icon or a picture."""
        clip = intersect(room, box.visible)
        width, height = room[2] - room[0], room[3] - room[1]
        size = min(width, height)
        if clip is None or not source:
            return
        if isinstance(source, bytes):
            radius = self.metrics.px(box.view.corner)
            self.canvas.show(cover(source, width, height), room, clip, radius)
            return
        square = aligned("center", (size, size), room)
        if isinstance(source, Icon):
            self.canvas.fill(square, self.theme(source.color), clip, size // 2)
            self._glyph(source, square, clip)
        else:
            mask = flipped(source, size) if box.metrics.rtl else icon(source, size)
            self.canvas.stamp(mask, square[:2], ink, clip)

    def _glyph(self, source: Icon, disc: Rect, clip: Rect) -> None:
        size = disc[2] - disc[0]
        if source.glyph in DRAWINGS:
            mask = icon(source.glyph, size * 56 // 100)
        else:
            mask = roboto.mask(source.glyph, max(1, size // 2), True)
        place = aligned("center", mask.size, disc)
        self.canvas.stamp(mask, place[:2], self.theme(source.ink), clip)
