"""Paint laid-out windows into a picture, the way a Material 3 app looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.brush import Brush
from pytest_mobileagent.virtual.ui.canvas import Canvas
from pytest_mobileagent.virtual.ui.paint import paint
from pytest_mobileagent.virtual.ui.pictures import png
from pytest_mobileagent.virtual.ui.theme import theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.Image import Image

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect

__all__ = ["draw", "png"]

OPAQUE = 255  # what is not throws no shadow


def draw(windows: Iterable[Box], metrics: Metrics) -> Image:
    """Paint windows, the lowest first, each in its own theme, into an RGB picture."""
    canvas = Canvas(metrics.width_px, metrics.height_px, (0, 0, 0))
    for window in windows:
        colors = theme(window.metrics.accent, window.metrics.dark)
        _draw(window, Brush(canvas, metrics, colors), metrics.screen)
    return canvas.picture


def _draw(box: Box, brush: Brush, clip: Rect) -> None:
    if box.visible is None:
        return
    view, metrics, canvas = box.view, brush.metrics, brush.canvas
    radius = metrics.px(view.corner)
    if view.elevation and view.background and brush.theme(view.background)[3] == OPAQUE:
        canvas.shadow(box.bounds, clip, radius, metrics.px(view.elevation))
    saved = canvas.save_corners(box.bounds, radius) if box.children else []
    if view.background:
        canvas.fill(box.bounds, brush.theme(view.background), box.visible, radius)
    paint(view, box, brush)
    for child in sorted(box.children, key=lambda child: child.view.elevation):
        _draw(child, brush, box.visible)
    canvas.restore_corners(box.bounds, radius, saved)
    if view.outline:
        color = brush.theme(view.outline)
        canvas.outline(box.bounds, color, box.visible, radius, metrics.px(1))
