"""A page of Mobile3M: its files, and the positions of actions on it.

An action is `click(LINE)`, `scroll(([x, y], [x, y]))` or `input(LINE, 'text')`. LINE is a line of
the page's HTML, PAGE-html.txt, which has no positions. Like the released code, this module
generates the lines again from the view hierarchy, so that a line's element is found by its line
number. If the numbers of lines differ, it searches for an element with the line's attributes. All
elements with the line are equally right. Source: gezelligheid0314/Mobile-Bench-v2, utils.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.action import Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.formats.release import size_of
from pytest_mobileagent.dataset.formats.streams import text_of
from pytest_mobileagent.errors import GraphError, ScreenError
from pytest_mobileagent.screen import xml as hierarchy
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.screen.element import Element

_SIZE = (720, 1280)  # of the emulators on which the pages were recorded
_SCROLL = re.compile(r"scroll\(\(?\[(\d+), ?(\d+)\](?:, ?)?\[(\d+), ?(\d+)\]\)?\)")
_INPUT = re.compile(r"input\((.*),\s*'(.*)'\)", re.DOTALL)
_CLICK = re.compile(r"click\((.*)\)", re.DOTALL)
_LINE = re.compile(r'<\w+((?:\s+[\w ]+?\s*=\s*"[^"]*")*)\s*>\s*(.*?)\s*</\s*\w+\s*>', re.DOTALL)
_ATTRIBUTE = re.compile(r'(?<![\w-])(id|class|description)\s*=\s*"([^"]*)"')
_PACKAGE = re.compile(r'\spackage="([\w.]+)"')
# Parts of the class names of the elements that have a line even without text.
_ALWAYS_LISTED = ("button", "edittext")


class _Words(NamedTuple):
    id: str
    class_name: str
    description: str
    text: str


class RecordedPage:
    """The files of a page; `png` and `xml` are None if the file does not exist."""

    def __init__(self, folder: Path, name: str) -> None:
        self._files = folder / name
        self.name = name
        self.png = self._file("-screen.png")
        self.xml = self._file("-xml.txt")

    @property
    def is_there(self) -> bool:
        """Whether the page has a picture or a view hierarchy."""
        return self.png is not None or self.xml is not None

    @cached_property
    def size(self) -> Size:
        """Width and height in pixels; without a picture, those of the data set's emulators."""
        return (self.png and size_of(self.png)) or _SIZE

    def package(self) -> str:
        """Return the package of the first element, or an empty string."""
        found = _PACKAGE.search(self._xml)
        return found[1] if found else ""

    def flaw(self) -> str:
        """Return why the view hierarchy cannot be read, or an empty string."""
        try:
            _ = self._elements
        except (ScreenError, GraphError) as error:
            return str(error)
        return ""

    def golden(self, words: str) -> Golden | None:
        """Return an action with the boxes of its elements, or None if this page has none."""
        if found := _SCROLL.fullmatch(words):
            x1, y1, x2, y2 = map(int, found.groups())
            swipe = Swipe(x1, y1, x2, y2)
            boxes = tuple(each.bounds for each in self._elements if each.scrollable)
            boxes = tuple(box for box in boxes if (x1, y1, x2, y2) in _paths_in(box))
            return self._golden(swipe, boxes or (_around(swipe, self.size),))
        typed = _INPUT.fullmatch(words)
        found = typed or _CLICK.fullmatch(words)
        if found is None:
            return None
        boxes = tuple(box for box in self._boxes(found[1].strip()) if box.width and box.height)
        if not boxes:
            return None
        place = boxes[0].center
        return self._golden(Type(typed[2], at=place) if typed else Tap(*place), boxes)

    def _golden(self, action: Action, boxes: tuple[Bounds, ...]) -> Golden:
        return Golden(action, self.size, boxes, self.name)

    def _file(self, suffix: str) -> Path | None:
        path = self._files / f"{self.name}{suffix}"
        return path if path.is_file() else None

    @cached_property
    def _xml(self) -> str:
        return text_of(self.xml) if self.xml else ""

    @cached_property
    def _elements(self) -> tuple[Element, ...]:
        return tuple(hierarchy.parse(self._xml).iter())[1:] if self._xml.strip() else ()

    def _boxes(self, line: str) -> list[Bounds]:
        if line in self._by_line:
            return self._by_line[line]
        found = _LINE.fullmatch(line)
        if found is None:
            return []
        attributes = dict(_ATTRIBUTE.findall(found[1]))
        element, kind, said = (attributes.get(name, "") for name in ("id", "class", "description"))
        return self._by_words.get(_Words(element, kind, said, found[2]), [])

    @cached_property
    def _by_line(self) -> dict[str, list[Bounds]]:
        html = self._file("-html.txt")
        lines = text_of(html).strip().split("\n") if html else []
        printed = list(self._printed())
        found = defaultdict[str, list[Bounds]](list)
        if len(lines) == len(printed):
            for line, element in zip(lines, printed, strict=True):
                found[line.strip()].append(element.bounds)
        return found

    @cached_property
    def _by_words(self) -> dict[_Words, list[Bounds]]:
        found = defaultdict[_Words, list[Bounds]](list)
        for each in self._elements:
            texts = _joined(each.content_desc), _joined(each.text).strip()
            found[_Words(each.resource_id, each.class_name, *texts)].append(each.bounds)
        return found

    def _printed(self) -> Iterator[Element]:
        """Yield the elements that have their own line of HTML, in order."""
        is_raw = "<node" in self._xml  # a tag that does not have the class as its name
        for each in self._elements:
            kind = "" if is_raw else each.class_name.lower()
            always = any(word in kind for word in _ALWAYS_LISTED)
            is_listed = each.text or each.content_desc or always
            if each.scrollable or (is_listed and not each.children):
                yield each


def _joined(text: str) -> str:
    return text.replace("\n", "")


def _paths_in(box: Bounds) -> list[tuple[int, int, int, int]]:
    """Return the four swipes in a box, each across half of the box and through its centre."""
    x, y = box.center
    dx, dy = (box.right - box.left) // 4, (box.bottom - box.top) // 4
    return [
        (x, y + dy, x, y - dy),
        (x, y - dy, x, y + dy),
        (x + dx, y, x - dx, y),
        (x - dx, y, x + dx, y),
    ]


def _around(swipe: Swipe, size: Size) -> Bounds:
    """Return the box of which a swipe crosses half; it is as wide or as high as the screen."""
    if swipe.x1 == swipe.x2:
        reach = abs(swipe.y2 - swipe.y1) // 2
        return Bounds(0, min(swipe.y1, swipe.y2) - reach, size[0], max(swipe.y1, swipe.y2) + reach)
    reach = abs(swipe.x2 - swipe.x1) // 2
    return Bounds(min(swipe.x1, swipe.x2) - reach, 0, max(swipe.x1, swipe.x2) + reach, size[1])
