"""Finding regions of a picture that may be icons, for agents without a view hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.Image import Image

# A wider picture is scaled to this width: icons then have 12 to 120 pixels.
_WIDTH = 540
_SIDES = (12, 120)
_ASPECT = 2.0
_GAP = 7  # closer strokes form one group; letters do, too, but their lines are too long for icons


def find_icons(image: Image, largest: float = 0.05, overlap: float = 0.5) -> tuple[Bounds, ...]:
    """Return the bounds of regions that look like icons, in pixels of the picture, from the top.

    An icon is a group of strokes that is about as wide as high. Regions larger than the share
    `largest` of the picture are dropped; if two overlap by `overlap` (intersection over union) or
    more, the smaller one is. Single letters and digits are found, too; if they matter, drop the
    regions in which OCR reads text. Mobile-Agent (arXiv:2401.16158) finds icons by GroundingDINO,
    and drops boxes by the same two numbers; here, edge detection takes the network's place.

    Raises:
        MissingExtraError: the extra [vision] is not installed.
    """
    check_extra("vision", "finding icons in pictures")
    import cv2  # heavy, and of an extra
    import numpy as np

    width, height = image.size
    scale = min(1.0, _WIDTH / width)
    grey = np.asarray(image.convert("L"))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    edges = cv2.Canny(small, 20, 60)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (_GAP, _GAP))
    strokes = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, kernel)
    outlines, _ = cv2.findContours(strokes, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = {
        _scaled((x, y, x + w, y + h), 1 / scale, (width, height))
        for x, y, w, h in map(cv2.boundingRect, outlines)
        if _like_icon(w, h)
    }
    most = largest * width * height
    kept = _distinct((box for box in found if _area(box) <= most), overlap)
    return tuple(sorted(kept, key=lambda box: (box.top, box.left)))


def _like_icon(width: int, height: int) -> bool:
    shorter, longer = sorted((width, height))
    return _SIDES[0] <= shorter and longer <= _SIDES[1] and longer <= _ASPECT * shorter


def _scaled(box: tuple[int, int, int, int], factor: float, size: tuple[int, int]) -> Bounds:
    left, top, right, bottom = (round(side * factor) for side in box)
    return Bounds(left, top, min(right, size[0]), min(bottom, size[1]))


def _distinct(boxes: Iterable[Bounds], overlap: float) -> list[Bounds]:
    """Return the boxes without those that overlap a larger one too much."""
    kept: list[Bounds] = []
    for box in sorted(boxes, key=lambda each: (-_area(each), each)):
        if all(_shared(box, other) < overlap for other in kept):
            kept.append(box)
    return kept


def _shared(one: Bounds, two: Bounds) -> float:
    """Return the intersection of two boxes over their union, from 0 to 1."""
    both = Bounds(
        max(one.left, two.left),
        max(one.top, two.top),
        min(one.right, two.right),
        min(one.bottom, two.bottom),
    )
    common = _area(both)
    union = _area(one) + _area(two) - common
    return common / union if union else 0.0


def _area(box: Bounds) -> int:
    return box.width * box.height
