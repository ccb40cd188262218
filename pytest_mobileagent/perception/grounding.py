"""Finds texts and icons in a picture, for agents without a view hierarchy.

The rules for texts are Mobile-Agent's: v1 (arXiv 2401.16158,
Mobile-Agent-v1/MobileAgent/text_localization.py and crop.py) and v2 (arXiv 2406.01014,
Mobile-Agent-v2/run.py). Bounds are in pixels of the picture. Texts are compared without spaces and
in their compatibility forms, which OCR engines do not distinguish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PIL.Image import Image

    from pytest_mobileagent.screen.ocr import TextBox


Size = tuple[int, int]

_LARGEST = 0.05  # share of the picture above which a box with the text is not a label
_LONGEST = 200  # compared characters; the time grows with the product of the lengths
_MARGIN = 10
_AROUND = (300, 400)
_LINE = 10  # pixels by which the lines of one paragraph may differ
_GAP = (-10, 30)


@dataclass(frozen=True, slots=True)
class Seen:
    """A perceived text, or the description of an icon, with its bounds."""

    words: str
    bounds: Bounds


def find_text(boxes: Sequence[TextBox], text: str, size: Size) -> list[Bounds]:
    """Return where text is: all boxes with exactly this text, or else the most similar one.

    The most similar one has the longest common subsequence with the text, which must be at least 80
    % of a text of up to 10 characters, half of one of up to 20, and 40 % of a longer one. (The
    released code mentions the longest common substring, but computes the subsequence.)
    """
    sought = folded(text)
    exact = [box.bounds for box in boxes if folded(box.text) == sought]
    exact = [bounds for bounds in exact if bounds.area <= _LARGEST * size[0] * size[1]]
    if exact or not sought:
        return exact
    candidates = [
        (_in_common(folded(box.text), sought), box.bounds)
        for box in boxes
        if len(folded(box.text)) >= 0.3 * len(sought)
    ]
    length, bounds = max(candidates, key=lambda each: each[0], default=(0, Bounds(0, 0, 0, 0)))
    needed = 0.8 if len(sought) <= 10 else 0.5 if len(sought) <= 20 else 0.4
    return [bounds] if length >= needed * len(sought) else []


def say_exactly(boxes: Iterable[TextBox], text: str) -> list[Bounds]:
    """Return the bounds of all boxes with exactly this text."""
    return [box.bounds for box in boxes if folded(box.text) == folded(text)]


def paragraphs(boxes: Iterable[TextBox]) -> list[Seen]:
    """Return the texts, with consecutive lines joined into paragraphs.

    Lines are joined if their left edges and their heights differ by less than 10 pixels, and the
    gap between them is at least -10 and less than 30 pixels.
    """
    lines = sorted(boxes, key=lambda box: (box.bounds.top, box.bounds.left))
    found = []
    taken: set[int] = set()
    for first, line in enumerate(lines):
        if first in taken:
            continue
        group = [line]
        for place in range(first + 1, len(lines)):
            if place not in taken and _continues(group[-1].bounds, lines[place].bounds):
                group.append(lines[place])
                taken.add(place)
        words = "\n".join(each.text for each in group)
        found.append(Seen(words, _around(each.bounds for each in group)))
    return found


def lies_in(bounds: Bounds, place: str, size: Size) -> bool:
    """Return whether bounds lie entirely in the half or quarter of the picture that `place` names.

    `place` is "top", "bottom", "left", "right", or two of them ("top left"); else all of it counts.
    """
    width, height = size
    left, top, right, bottom = 0.0, 0.0, float(width), float(height)
    words = place.replace("-", " ").split()
    if not words or not set(words) <= {"top", "bottom", "left", "right"}:
        words = []
    if "left" in words:
        right = width / 2
    if "right" in words:
        left = width / 2
    if "top" in words:
        bottom = height / 2
    if "bottom" in words:
        top = height / 2
    within = left < bounds.left and bounds.right < right
    return within and top < bounds.top and bounds.bottom < bottom


def widened(bounds: Bounds, size: Size, margin: int = _MARGIN) -> Bounds:
    """Return bounds with a margin on all sides, within the picture."""
    return _grown(bounds, margin, margin, size)


def surroundings(image: Image, bounds: Bounds) -> Image:
    """Return the part of the picture around some bounds, which are marked by a red rectangle."""
    from PIL import ImageDraw  # heavy

    marked = image.copy()
    ImageDraw.Draw(marked).rectangle(widened(bounds, image.size), outline="red", width=10)
    return marked.crop(_grown(bounds, *_AROUND, image.size))


def rounded(x: float, y: float, size: Size) -> tuple[int, int]:
    """Return the pixel of a point, with its fractions of the sides rounded to two places."""
    shares = (round(x / size[0], 2), round(y / size[1], 2))
    across, down = (
        min(max(int(share * side), 0), side - 1) for share, side in zip(shares, size, strict=True)
    )
    return across, down


def _in_common(one: str, two: str) -> int:
    """Return the length of the longest common subsequence of two strings."""
    if one in two:
        return len(one)
    one, two = one[:_LONGEST], two[:_LONGEST]
    above = [0] * (len(two) + 1)
    for character in one:
        row = [0]
        for place, other in enumerate(two):
            row.append(above[place] + 1 if character == other else max(above[place + 1], row[-1]))
        above = row
    return above[-1]


def _continues(above: Bounds, below: Bounds) -> bool:
    gap = below.top - above.bottom
    return (
        abs(above.left - below.left) < _LINE
        and _GAP[0] <= gap < _GAP[1]
        and abs(above.height - below.height) < _LINE
    )


def _around(boxes: Iterable[Bounds]) -> Bounds:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Bounds(min(lefts), min(tops), max(rights), max(bottoms))


def _grown(bounds: Bounds, across: int, down: int, size: Size) -> Bounds:
    return Bounds(
        max(0, bounds.left - across),
        max(0, bounds.top - down),
        min(size[0], bounds.right + across),
        min(size[1], bounds.bottom + down),
    )


_WIDTH = 540  # of pictures, or less; wider ones are scaled, so icons have 12 to 120 pixels
_SIDES = (12, 120)
_ASPECT = 2.0
_STROKE_GAP = 7  # closer strokes are one group, and so are letters, too long a line for icons


def find_icons(image: Image, largest: float = 0.05, overlap: float = 0.5) -> tuple[Bounds, ...]:
    """Return the bounds of regions that look like icons, in pixels of the picture, from the top.

    An icon is a group of strokes that is about as wide as it is high. Regions larger than the share
    `largest` of the picture are dropped; if two overlap by `overlap` (intersection over union) or
    more, the smaller one is dropped. Single letters and digits are found too; if that matters, drop
    the regions in which OCR reads text. Mobile-Agent (arXiv:2401.16158) finds icons with
    GroundingDINO, and drops boxes by the same two numbers; here, edges are detected instead.

    Raises:
        MissingExtraError: if the extra [vision] is not installed.
    """
    check_extra("vision", "finding icons in pictures")
    import cv2  # heavy, and part of an extra
    import numpy as np

    width, height = image.size
    scale = min(1.0, _WIDTH / width)
    grey = np.asarray(image.convert("L"))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    edges = cv2.Canny(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), 20, 60)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (_STROKE_GAP, _STROKE_GAP))
    strokes = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, kernel)
    outlines, _ = cv2.findContours(strokes, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = {
        _scaled((x, y, x + w, y + h), 1 / scale, (width, height))
        for x, y, w, h in map(cv2.boundingRect, outlines)
        if _like_icon(w, h)
    }
    most = largest * width * height
    chosen = _distinct((box for box in found if box.area <= most), overlap)
    return tuple(sorted(chosen, key=lambda box: (box.top, box.left)))


def _like_icon(width: int, height: int) -> bool:
    shorter, longer = sorted((width, height))
    return _SIDES[0] <= shorter and longer <= _SIDES[1] and longer <= _ASPECT * shorter


def _scaled(box: tuple[int, int, int, int], factor: float, size: tuple[int, int]) -> Bounds:
    left, top, right, bottom = (round(side * factor) for side in box)
    return Bounds(left, top, min(right, size[0]), min(bottom, size[1]))


def _distinct(boxes: Iterable[Bounds], overlap: float) -> list[Bounds]:
    """Return the boxes without those that overlap a larger one too much."""
    chosen: list[Bounds] = []
    for box in sorted(boxes, key=lambda each: (-each.area, each)):
        if all(_shared(box, other) < overlap for other in chosen):
            chosen.append(box)
    return chosen


def _shared(one: Bounds, two: Bounds) -> float:
    """Return the intersection of two boxes over their union, from 0 to 1."""
    width = min(one.right, two.right) - max(one.left, two.left)
    height = min(one.bottom, two.bottom) - max(one.top, two.top)
    common = max(0, width) * max(0, height)
    union = one.area + two.area - common
    return common / union if union else 0.0
