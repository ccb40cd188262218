"""Marks on a screen, by which a model names elements: set-of-marks, in the papers' conventions.

This module selects and numbers elements; `picture` draws marks, and `listing` lists them.

The original M3A and SeeAct read an accessibility forest of all windows. UIAutomator dumps contain
the visible nodes of the topmost window, and lack three things: hint texts (the text of an empty
field is its hint), tooltips (which have no replacement), and whether an element can be edited
(which is inferred from its class: see `is_editable`).
"""

from __future__ import annotations

import math
import string
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.screen.element import Bounds, Element

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.screen import Screen

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """A label for a part of the screen: an element of the hierarchy, or only a region.

    `bounds` are in pixels of the screen.
    """

    label: str
    bounds: Bounds
    element: Element | None = field(default=None, repr=False)


def numbered(elements: Iterable[Element], first: int = 1) -> tuple[Mark, ...]:
    """Return a mark for each element, numbered from `first`."""
    return tuple(Mark(str(number), e.bounds, e) for number, e in enumerate(elements, first))


def lettered(elements: Iterable[Element]) -> tuple[Mark, ...]:
    """Return a mark for each element, lettered A to Z, AA, AB, and so on (see `letters`)."""
    return tuple(Mark(letters(place), e.bounds, e) for place, e in enumerate(elements))


def letters(place: int) -> str:
    """Return the letters for an index from 0: A to Z, AA to ZZ, AAA and so on.

    SeeAct ends at ZZ, with an error.
    """
    label = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        label = string.ascii_uppercase[letter] + label
    return label


def appagent_marks(screen: Screen, min_distance: float = 30) -> tuple[Mark, ...]:
    """Return AppAgent's marks, from "1": clickable elements, then those that are only focusable.

    Both are in document order. Of elements whose centres are `min_distance` pixels or less apart,
    only the first is marked. Source: AppAgent (arXiv:2312.13771) names elements by numbers; the
    rule is in its released code (`traverse_tree`, with the 30 pixels of its configuration).
    """
    clickable, marked = _apart((e for e in screen.elements if e.clickable), min_distance, _center)
    focusable, _ = _apart((e for e in screen.elements if e.focusable), min_distance, _center)
    return numbered([*clickable, *(e for e in focusable if not marked.near(_center(e)))])


def appagent_grid(size: tuple[int, int]) -> tuple[Mark, ...]:
    """Return the cells of AppAgent's grid over a screen of (width, height), row by row from "1".

    A cell's side is the smallest divisor of the screen's side from 120 to 180 pixels, or else 120,
    in which case a strip at the right or the bottom belongs to no cell. Source: AppAgent's released
    code (`draw_grid`). If 120 does not divide a side, the code draws one grid and acts on another,
    slightly larger one; this is the grid that it draws.
    """
    width, height = _cell(size[0]), _cell(size[1])
    columns, rows = size[0] // width, size[1] // height
    return tuple(
        Mark(
            str(row * columns + column + 1),
            Bounds(column * width, row * height, (column + 1) * width, (row + 1) * height),
        )
        for row in range(rows)
        for column in range(columns)
    )


def _cell(side: int) -> int:
    return next((unit for unit in range(120, 181) if side % unit == 0), 120)


def m3a_marks(screen: Screen) -> tuple[Mark, ...]:
    """Return M3A's and T3A's marks, from "0": leaves, and elements with a description or scrolling.

    A label is the element's index in the list of all of these; those without any area on the screen
    are left out, which leaves gaps in the numbers. Overlapping elements are not filtered. Source:
    AndroidWorld (`forest_to_ui_elements`, `validate_ui_element`).
    """
    marks = numbered(_informative(screen), 0)
    return tuple(mark for mark in marks if _on(mark.bounds, screen.size))


def seeact_marks(screen: Screen) -> tuple[Mark, ...]:
    """Return SeeAct's choices, from "A": those of M3A's elements that can be described.

    An element needs a class, and text, a description or a resource id. Source: AndroidWorld's
    SeeAct (`format_and_filter_elements`); elements outside the screen remain in the list.
    """
    named = (e for e in _informative(screen) if e.text or e.content_desc or e.resource_id)
    return lettered(e for e in named if e.class_name)


def _informative(screen: Screen) -> list[Element]:
    return [e for e in screen.elements if not e.children or e.content_desc or e.scrollable]


def som_marks(screen: Screen, min_distance: float = 45) -> tuple[Mark, ...]:
    """Return marks, from "1", for every enabled element that can be acted on, in document order.

    These can be clicked, long-pressed, checked or edited. If top left corners are `min_distance`
    pixels or less apart, so that labels would overlap, the last element is marked, which is the
    innermost. A3's GPT-4o agent (arXiv:2501.01149, section 4.2) was not released, only the helper
    that draws its marks (AITK, `draw_mark`): the selection of elements is our own.
    """
    enabled = (e for e in reversed(screen.elements) if e.enabled)
    able = (e for e in enabled if is_actionable(e) and _on(e.bounds, screen.size))
    chosen, _ = _apart(able, min_distance, lambda element: element.bounds[:2])
    return numbered(reversed(chosen))


def bmoca_marks(screen: Screen) -> tuple[Mark, ...]:
    """Return B-MoCA's tags, from "0", for all elements, children before their parents.

    Source: B-MoCA's released code (`parse_obs`), which reads elements in the order of end tags.
    """
    pending = list(screen.root.children)
    parents_first = []
    while pending:
        element = pending.pop()
        parents_first.append(element)
        pending.extend(element.children)
    return numbered(reversed(parents_first), 0)


def is_actionable(element: Element) -> bool:
    """Return whether an element can be clicked, long-pressed, checked or edited."""
    return element.clickable or element.long_clickable or element.checkable or is_editable(element)


def is_editable(element: Element) -> bool:
    """Return whether text can be typed into an element, by its class; dumps have no attribute."""
    return element.class_name.endswith(("EditText", "AutoCompleteTextView"))


class _Spots:
    """A set of points that quickly tells whether another point is near one of them."""

    def __init__(self, distance: float) -> None:
        self._distance = distance
        self._cells: dict[tuple[int, int], list[Point]] = {}

    def add(self, point: Point) -> None:
        self._cells.setdefault(self._cell(point), []).append(point)

    def near(self, point: Point) -> bool:
        column, row = self._cell(point)
        return any(
            math.dist(point, other) <= self._distance
            for x in (column - 1, column, column + 1)
            for y in (row - 1, row, row + 1)
            for other in self._cells.get((x, y), ())
        )

    def _cell(self, point: Point) -> tuple[int, int]:
        side = max(1.0, self._distance)
        return int(point[0] // side), int(point[1] // side)


def _apart(
    elements: Iterable[Element], distance: float, place: Callable[[Element], Point]
) -> tuple[list[Element], _Spots]:
    """Return the elements that are not near an earlier one, and the set of their points."""
    spots = _Spots(distance)
    chosen = []
    for element in elements:
        if not spots.near(place(element)):
            spots.add(place(element))
            chosen.append(element)
    return chosen, spots


def _center(element: Element) -> Point:
    return element.bounds.center


def _on(bounds: Bounds, size: tuple[int, int]) -> bool:
    """Return whether any pixel of the bounds lies on a screen of this size."""
    return (
        bounds.left < min(bounds.right, size[0])
        and bounds.top < min(bounds.bottom, size[1])
        and bounds.right > 0
        and bounds.bottom > 0
    )
