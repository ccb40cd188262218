"""Decides whether two screens show the same page, for graphs of recorded pages.

Two screens show the same page if their hierarchies and their pictures are equal, except for what
changes by itself on an idle phone:

- the status bar, with its clock, battery and icons: the strip above the app's content;
- the time of the phone's clock, in an element whose id or class identifies it as a clock, or if it
  is the only time of day on the screen; the date and the battery level, in elements with such ids;
- the blinking cursor: the picture of the focused text field is ignored, but its text is compared;
- animated progress bars and circles.

Only the focus of text fields is compared, since it determines where typed text goes.

Pictures are compared at a quarter of their size. They count as equal if at most the share `CHANGED`
of their pixels differs in colour. This threshold is more than a blinking cursor, and less than a
letter or a small icon. Screens without hierarchies are compared by their pictures alone, so that a
clock on the screen makes them different pages. A screen with a hierarchy and a screen without one
are never the same page.

The rules were measured on labelled pairs (tests/dataset/labelled.py); see docs/data-sets.md.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.screen.element import Bounds, Element, lazy
from pytest_mobileagent.screen.picture import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from PIL.Image import Image

    from pytest_mobileagent.screen import Screen

CHANGED = 0.0003  # of the picture: about 28 x 28 pixels of a screen of 1080 x 2400
_CONTRAST = 32  # of 255, in any channel: smaller differences in colour are noise
_SCALE = 4
_BAR = 24 / 411  # assumed height of a status bar, as a share of the screen's shorter side
_HIGHEST_BAR = 0.06  # of the screen's height
_CLOCK = "<clock>"
_SYSTEM = "com.android.systemui"
_FIELDS = ("EditText", "AutoCompleteTextView")
_TIME = re.compile(r"(?<!\d)(\d{1,2})[:.](\d{2})(?:[:.]\d{2})?(?!\d)")
_NUMBER = re.compile(r"\d+")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CLOCKS = {"clock", "date", "time", "day", "today"}


@dataclass(frozen=True, eq=False)
class Sight:
    """The parts of a screen that are compared.

    - `key`: a digest of everything except the picture; unequal keys mean unequal pages.
    - `png`: the encoded picture, or empty.
    - `hidden`: the areas of the picture that are not compared.
    - `is_alone`: whether the screen has a picture, but no hierarchy.
    """

    key: str
    png: bytes
    hidden: tuple[Bounds, ...]
    is_alone: bool

    @lazy
    def small(self) -> Image:
        """The picture at a quarter of its size.

        Raises:
            ScreenError: if the picture cannot be decoded.
        """
        return decoded(self.png).reduce(_SCALE)


def sight(screen: Screen) -> Sight:
    """Return the parts of a screen that are compared.

    Raises:
        ScreenError: if the screen's hierarchy or picture cannot be read.
    """
    size = screen.size if screen.picture else (0, 0)
    digest = hashlib.sha256(repr((screen.package, screen.activity, size)).encode())
    if not screen.xml:
        bar = Bounds(0, 0, size[0], round(min(size) * _BAR))
        return Sight(digest.hexdigest(), screen.picture, (bar,), is_alone=True)
    bar = _status_bar(screen, size)
    hidden = [bar]
    time = screen.time if _is_clock_alone(screen) else None
    for depth, element in _walk(screen.root):
        if element.package == _SYSTEM and element.bounds.bottom <= bar.bottom:
            continue
        says = _without_clock(element, screen.time, time)
        # The size of text that includes the time changes with the time, so only its left and
        # bottom edges are compared.
        box = element.bounds[::3] if _CLOCK in says else element.bounds
        digest.update(repr((depth, says, tuple(box), _attributes(element))).encode())
        has_cursor = element.focused and element.class_name.endswith(_FIELDS)
        moves = has_cursor or element.class_name.endswith(".ProgressBar")
        if moves or says != (element.text, element.content_desc):
            hidden.append(element.bounds)
    return Sight(digest.hexdigest(), screen.picture, tuple(hidden), is_alone=False)


def same_page(one: Sight, other: Sight) -> bool:
    """Return whether two screens show the same page.

    Raises:
        ScreenError: if a picture cannot be decoded.
    """
    if one.key != other.key or bool(one.png) != bool(other.png):
        return False
    if one.png == other.png:
        return bool(one.png) or not one.is_alone
    return changed(one, other) <= CHANGED


def changed(one: Sight, other: Sight) -> float:
    """Return the share (0 to 1) of pixels that differ in colour between pictures of equal size.

    Raises:
        ScreenError: if a picture cannot be decoded.
    """
    from PIL import ImageChops

    difference = ImageChops.difference(one.small, other.small)
    for left, top, right, bottom in {*one.hidden, *other.hidden}:
        # Rounded outwards, since a cell on the edge shows part of the hidden area.
        cells = (left // _SCALE, top // _SCALE, -(-right // _SCALE), -(-bottom // _SCALE))
        difference.paste((0, 0, 0), cells)
    red, green, blue = difference.split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(most.histogram()[_CONTRAST:]) / (most.width * most.height)


def _attributes(element: Element) -> tuple[Any, ...]:
    field = element.class_name.endswith(_FIELDS)
    return (
        element.class_name, element.resource_id, element.package, element.checkable,
        element.checked, element.clickable, element.enabled, field and element.focused,
        element.scrollable, element.password, element.selected,
    )  # fmt: skip


def _walk(root: Element) -> Iterator[tuple[int, Element]]:
    """Yield the descendants of an element in document order, each with its depth."""
    pending = [(0, child) for child in reversed(root.children)]
    while pending:
        depth, element = pending.pop()
        yield depth, element
        pending += [(depth + 1, child) for child in reversed(element.children)]


def _status_bar(screen: Screen, size: tuple[int, int]) -> Bounds:
    """Return the strip at the top of the screen that belongs to the status bar."""
    boxes = [element.bounds for element in screen.elements]
    if not any(size):
        size = max((b.right for b in boxes), default=0), max((b.bottom for b in boxes), default=0)
    width, height = size
    highest = height * _HIGHEST_BAR
    for element, box in zip(screen.elements, boxes, strict=True):
        name = element.resource_id.rpartition("/")[2]
        edge = {"statusBarBackground": box.bottom, "content": box.top}
        if 0 < edge.get(name, 0) <= highest:
            return Bounds(0, 0, width, edge[name])
    return Bounds(0, 0, width, round(min(width, height) * _BAR))


def _is_clock_alone(screen: Screen) -> bool:
    """Return whether the only time of day on a screen is that of the phone's clock."""
    if screen.time is None:
        return False
    words = (each for e in screen.elements for each in (e.text, e.content_desc))
    times = (found for each in words for found in _TIME.finditer(each))
    return all(_or_now(found, screen.time) == _CLOCK for found in times)


def _without_clock(
    element: Element, now: datetime | None, alone: datetime | None
) -> tuple[str, str]:
    """Return an element's text and description without the time and date of the phone's clock.

    `now` is the phone's time. It is removed if the element's id or class identifies it as a clock,
    or if it is the only time of day on the screen, in which case `alone` is that time.
    """
    words = element.text, element.content_desc
    if not any(map(_NUMBER.search, words)):
        return words
    name = {each.lower() for each in _WORDS.findall(element.resource_id.rpartition("/")[2])}
    if "battery" in name:
        return _NUMBER.sub("#", words[0]), _NUMBER.sub("#", words[1])
    is_named = bool(name & _CLOCKS) or element.class_name.endswith("TextClock")
    time = now if is_named else alone
    if time is None:
        return words
    text, described = (_TIME.sub(lambda found: _or_now(found, time), each) for each in words)
    if is_named and time.day in map(int, _NUMBER.findall(text or described)):
        return _CLOCK, _CLOCK
    return text, described


def _or_now(found: re.Match[str], time: datetime) -> str:
    """Return `_CLOCK` for the phone's time of day, or for a minute earlier, else the text found."""
    minutes = int(found[1]) % 12 * 60 + int(found[2])
    now = time.hour % 12 * 60 + time.minute
    return _CLOCK if (now - minutes) % 720 <= 1 and int(found[2]) < 60 else found[0]
