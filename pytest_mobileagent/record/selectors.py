"""The selector for an element in a task: the shortest one that is unique and will remain so.

These are tried in order: resource id, content description, text, two of these, text in the same
row, and the position among similar elements. Coordinates are the last resort.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element

# Texts that differ between days: times, dates, counters, amounts.
VOLATILE = re.compile(
    r"\d{1,2}[:.]\d\d|\d{4}-\d\d|\d+[/.]\d+[/.]\d+|\d+\s*%|\d+\s*(min|hours?|days?|sec|new|unread|[KMG]?B)\b"
    r"|\b(yesterday|today|tomorrow|just now)\b",
    re.IGNORECASE,
)
_LONGEST = 60  # characters of text that is used as a selector
_COORDINATES = "no selector fits this element: it uses coordinates, which may not fit other phones"
_PLACE = "several elements fit the selector: it uses the position among them"
_ROWS = 4  # levels that the row of an element may be above it


@dataclass(frozen=True, slots=True)
class Choice:
    """The selector for an element in a task.

    - `criteria`: the arguments of `screen.find`; empty if only coordinates identify the element.
    - `nth`: the index among the elements that meet the criteria.
    - `at`: without criteria, the point (x, y) in fractions of the screen.
    - `warning`: why the selector may fail on another phone or day; empty if it should not.
    """

    criteria: Mapping[str, str] = field(default_factory=dict)
    nth: int = 0
    at: tuple[float, float] | None = None
    warning: str = ""

    def __str__(self) -> str:
        if self.at is not None:
            return f"at={self.at}"
        words = [f"{name}={literal(value)}" for name, value in self.criteria.items()]
        return ", ".join([*words, *([f"nth={self.nth}"] if self.nth else [])])


def literal(value: Any) -> str:
    """Return plain data as Python code with double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(n)}: {literal(each)}' for n, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)


def target_at(screen: Screen, x: int, y: int) -> Element | None:
    """Return what a touch at a pixel hits: the innermost touchable element, else the innermost.

    Raises:
        ScreenError: if the view hierarchy cannot be read.
    """
    there = list(screen.at(x, y))
    return next((each for each in there if is_touchable(each)), there[0] if there else None)


def is_touchable(element: Element) -> bool:
    """Return whether an element reacts to touches."""
    return element.clickable or element.long_clickable or element.checkable


def touchables(screen: Screen) -> list[Element]:
    """Return the visible elements of a screen that are touchable or labelled, in document order.

    Raises:
        ScreenError: if the view hierarchy cannot be read.
    """
    width, height = screen.size
    return [
        each
        for each in screen.elements
        if is_touchable(each) or (each.label and not each.children)
        if each.bounds.width and each.bounds.height
        if each.bounds.right > 0 and each.bounds.left < width
        if each.bounds.bottom > 0 and each.bounds.top < height
    ]


def choose(screen: Screen, element: Element | None, x: int, y: int) -> Choice:
    """Return the selector for an element that was touched at a pixel."""
    width, height = screen.size
    place = Choice(at=(round(x / width, 3), round(y / height, 3)), warning=_COORDINATES)
    if element is None:
        return place
    names = _names_on(screen)
    for each in (element, *_speaking_for(element)):
        for criteria in _candidates(each):
            if names.is_unique(criteria):
                return Choice(criteria)
    try:
        return _in_row(screen, element, names) or _among(screen, element) or place
    except ScreenError:
        return place


class _Names:
    """The number of elements on a screen with each name, and with each pair of names."""

    def __init__(self, screen: Screen) -> None:
        named = (criteria for each in screen.elements for criteria in _named(each))
        self._counts = Counter(tuple(criteria.items()) for criteria in named)

    def is_unique(self, criteria: Mapping[str, str]) -> bool:
        return self._counts[tuple(criteria.items())] == 1


@lru_cache(4)
def _names_on(screen: Screen) -> _Names:
    return _Names(screen)


def _named(element: Element) -> Iterator[dict[str, str]]:
    """Yield all criteria for an element with one or two of its attributes."""
    words = {
        "resource_id": short_id(element),
        "content_desc": element.content_desc,
        "text": element.text,
        "class_name": element.class_name.rpartition(".")[2],
    }
    words = {name: text for name, text in words.items() if text}
    singles = [name for name in words if name != "class_name"]
    yield from ({name: words[name]} for name in singles)
    for place, first in enumerate(singles):
        for second in list(words)[place + 1 :]:
            if second in singles[place + 1 :] or second == "class_name":
                yield {first: words[first], second: words[second]}


def _candidates(element: Element) -> Iterator[dict[str, str]]:
    """Yield the criteria for an element that will still fit on another day."""
    for criteria in _named(element):
        words = [text for name, text in criteria.items() if name in ("text", "content_desc")]
        if all(len(text) <= _LONGEST and not VOLATILE.search(text) for text in words):
            yield criteria


def short_id(element: Element) -> str:
    """Return a resource id without its package, except for ids of the system."""
    package, _, name = element.resource_id.rpartition(":id/")
    return element.resource_id if package == "android" or not package else name


def _speaking_for(element: Element) -> Iterator[Element]:
    """Yield the descendants that share an element's touches: those not touchable themselves."""
    for child in element.children:
        if not is_touchable(child):
            yield child
            yield from _speaking_for(child)


def _in_row(screen: Screen, element: Element, names: _Names) -> Choice | None:
    """Return a selector by text in the same row, such as the title of a switch, if possible."""
    own = short_id(element) or element.class_name
    attribute = "resource-id" if element.resource_id else "class"
    value = element.resource_id or element.class_name
    for up, row in zip(range(1, _ROWS + 1), element.ancestors, strict=False):
        for each in row.iter():
            text = each.text or each.content_desc
            kind = "text" if each.text else "content-desc"
            if each is element or not text or '"' in text or VOLATILE.search(text):
                continue
            if not names.is_unique({kind.replace("-", "_"): text}) or len(text) > _LONGEST:
                continue
            for levels in range(1, up + _ROWS):
                xpath = f'//*[@{kind}="{text}"]/ancestor::*[{levels}]//*[@{attribute}="{value}"]'
                if own and [*screen.find_all(xpath=xpath)] == [element]:
                    return Choice({"xpath": xpath})
    return None


def _among(screen: Screen, element: Element) -> Choice | None:
    """Return a selector by the position among elements with the same attribute, if possible."""
    ways: list[dict[str, Any]] = [*_candidates(element)]
    if element.class_name:
        ways.append({"class_name": element.class_name.rpartition(".")[2]})
    for criteria in ways:
        same = screen.find_all(**criteria)
        place = next((n for n, each in enumerate(same) if each is element), None)
        if place is not None:
            return Choice(criteria, place, warning=_PLACE)
    return None
