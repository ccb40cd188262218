"""A page of Mobile3M: its files, and where on it an action is done.

An action is `click(LINE)`, `scroll(([x, y], [x, y]))` or `input(LINE, 'text')`. LINE is a line of
the page's HTML, PAGE-html.txt, which says nothing of places. The released code reads the lines of
that file beside those that it makes of the view hierarchy anew: the same place in both is the same
element. So does this, and looks for an element with the line's attributes where the two have
different numbers of lines. An action of which several elements have the line is done on any of
them. Source: gezelligheid0314/Mobile-Bench-v2, utils.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.action.action import Swipe, Tap, Type
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.formats.jsonstream import text_of
from pytest_mobileagent.dataset.formats.release import size_of
from pytest_mobileagent.errors import GraphError, ScreenError
from pytest_mobileagent.screen import xml as hierarchy
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.screen.element import Element

_SIZE = (720, 1280)  # of the emulators on which pages were recorded
_SCROLL = re.compile(r"scroll\(\(?\[(\d+), ?(\d+)\](?:, ?)?\[(\d+), ?(\d+)\]\)?\)")
_INPUT = re.compile(r"input\((.*),\s*'(.*)'\)", re.DOTALL)
_CLICK = re.compile(r"click\((.*)\)", re.DOTALL)
_LINE = re.compile(r'<\w+((?:\s+[\w ]+?\s*=\s*"[^"]*")*)\s*>\s*(.*?)\s*</\s*\w+\s*>', re.DOTALL)
_ATTRIBUTE = re.compile(r'(?<![\w-])(id|class|description)\s*=\s*"([^"]*)"')
_PACKAGE = re.compile(r'\spackage="([\w.]+)"')
_SHOWN = ("button", "edittext")  # in the classes of elements that need no words to have a line


class _Words(NamedTuple):
    """What a line says of its element."""

    id: str
    class_name: str
    description: str
    text: str


class RecordedPage:
    """The files of a page; `png` and `xml` are None where there is none."""

    def __init__(self, folder: Path, name: str) -> None:
        self._files = folder / name
        self.name = name
        self.png = self._file("-screen.png")
        self.xml = self._file("-xml.txt")

    @property
    def is_there(self) -> bool:
        """Whether there is a picture or a view hierarchy."""
        return self.png is not None or self.xml is not None

    @cached_property
    def size(self) -> Size:
        """Width and height in pixels; that of the data set's emulators without a picture."""
        return (self.png and size_of(self.png)) or _SIZE

    def package(self) -> str:
        """Return the package of the first element; empty without a view hierarchy."""
        found = _PACKAGE.search(self._xml)
        return found[1] if found else ""

    def flaw(self) -> str:
        """Return why the view hierarchy cannot be read; empty if it can, or there is none."""
        try:
            _ = self._elements
        except (ScreenError, GraphError) as error:
            return str(error)
        return ""

    def golden(self, words: str) -> Golden | None:
        """Return an action with the boxes of its elements; None if it has none on this page."""
        if found := _SCROLL.fullmatch(words):
            x1, y1, x2, y2 = map(int, found.groups())
            swipe = Swipe(x1, y1, x2, y2)
            boxes = tuple(each for each in self._scrolled if (x1, y1, x2, y2) in _paths_in(each))
            return self._golden(swipe, boxes or (_around(swipe, self.size),))
        text = None
        if found := _INPUT.fullmatch(words):
            text = found[2]
        else:
            found = _CLICK.fullmatch(words)
        if found is None:
            return None
        boxes = tuple(box for box in self._boxes(found[1].strip()) if box.width and box.height)
        if not boxes:
            return None
        place = boxes[0].center
        return self._golden(Tap(*place) if text is None else Type(text, at=place), boxes)

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

    @cached_property
    def _scrolled(self) -> list[Bounds]:
        return [each.bounds for each in self._elements if each.scrollable]

    def _boxes(self, line: str) -> list[Bounds]:
        """Return the boxes of the elements that a line of HTML stands for."""
        if line in self._by_line:
            return self._by_line[line]
        found = _LINE.fullmatch(line)
        if found is None:
            return []
        attributes = dict(_ATTRIBUTE.findall(found[1]))
        words = _Words(
            attributes.get("id", ""),
            attributes.get("class", ""),
            attributes.get("description", ""),
            found[2],
        )
        return self._by_words.get(words, [])

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
            words = _Words(
                each.resource_id,
                each.class_name,
                _joined(each.content_desc),
                _joined(each.text).strip(),
            )
            found[words].append(each.bounds)
        return found

    def _printed(self) -> Iterator[Element]:
        """Return the elements that have a line of their own in HTML, in order."""
        is_raw = "<node" in self._xml  # a tag that says nothing of its class
        for each in self._elements:
            kind = "" if is_raw else each.class_name.lower()
            is_shown = each.text or each.content_desc or any(word in kind for word in _SHOWN)
            if each.scrollable or (is_shown and not each.children):
                yield each


def _joined(text: str) -> str:
    return text.replace("\n", "")


def _paths_in(box: Bounds) -> list[tuple[int, int, int, int]]:
    """Return the four ways that a finger moves in a box: over half of it, through its middle."""
    x, y = box.center
    dx, dy = (box.right - box.left) // 4, (box.bottom - box.top) // 4
    return [
        (x, y + dy, x, y - dy),
        (x, y - dy, x, y + dy),
        (x + dx, y, x - dx, y),
        (x - dx, y, x + dx, y),
    ]


def _around(swipe: Swipe, size: Size) -> Bounds:
    """Return the box over whose half a swipe goes, as wide or as high as the screen."""
    if swipe.x1 == swipe.x2:
        reach = abs(swipe.y2 - swipe.y1) // 2
        return Bounds(0, min(swipe.y1, swipe.y2) - reach, size[0], max(swipe.y1, swipe.y2) + reach)
    reach = abs(swipe.x2 - swipe.x1) // 2
    return Bounds(min(swipe.x1, swipe.x2) - reach, 0, max(swipe.x1, swipe.x2) + reach, size[1])
