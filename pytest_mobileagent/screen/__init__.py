"""An observation of a phone's screen; and whether the keyboard is visible, as far as it shows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import NoScreenshotError, ScreenError
from pytest_mobileagent.recorded_data import RecordedList, RecordedTuple
from pytest_mobileagent.screen import xml as hierarchy
from pytest_mobileagent.screen.element import Bounds, Element, lazy, tree
from pytest_mobileagent.screen.explain import NotFoundError, missed
from pytest_mobileagent.screen.ocr import read_screenshot, read_text
from pytest_mobileagent.screen.picture import LEAST, as_png, decoded, find_image, size_of
from pytest_mobileagent.screen.selector import CriteriaError, Selector, check_same_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from PIL.Image import Image


SPARED_BY = "mobile_screenshots=needed"


# No slots: `lazy` stores derived values in the instance's dictionary.
@dataclass(frozen=True, repr=False)
class Screen:
    """What the phone showed at one moment: a view hierarchy and a screenshot. Immutable.

    - `xml`: the hierarchy as the phone returned it, a raw UIAutomator dump or Appium's page source.
    - `png`: the encoded screenshot; empty if none was taken (`mobile_screenshots=needed`), in
      which case everything that needs one raises NoScreenshotError.
    - `package`, `activity`: the focused app and activity.
    - `time`: the phone's own clock.
    - `where`: where this screen is recorded, for error messages; ignored in comparisons.
    - `page`: its id in a graph of recorded pages, if any; `same`: the ids of equivalent pages.
    - `beneath`: the phone's own screen, if noise covers it (docs/noise.md); else None.
    - `extent`: the `size` of a screen without a screenshot; else None.
    - `files`: the files of its screenshot and hierarchy in the user's copy of a data set, to which
      records refer instead of copying them, or "". Ignored in comparisons.
    - `notice`: why the screenshot does not show the page, such as that the app forbids screenshots;
      "" if it does, as far as can be seen. Ignored in comparisons.

    All coordinates are pixels of the screenshot, with (0, 0) at the top left.
    """

    xml: str
    png: bytes
    package: str = ""
    activity: str = ""
    time: datetime | None = None
    where: str = field(default="", compare=False)
    page: str = ""
    same: tuple[str, ...] = ()
    beneath: Screen | None = None
    extent: tuple[int, int] | None = None
    notice: str = field(default="", compare=False)
    files: tuple[str, str] = field(default=("", ""), compare=False)

    @classmethod
    def recorded(cls, xml: str, key: str, read: Callable[[], bytes], **known: Any) -> Screen:
        """Return a screen whose screenshot is read on first access, which few checks need.

        `read` returns the `picture`, or raises OSError or ValueError. `key` is that of the screen.
        """
        screen = cls(xml, b"", **known)
        del screen.__dict__["png"]
        screen.__dict__.update(key=key, _read=read)
        return screen

    if not TYPE_CHECKING:  # hidden from type checkers, which know the real attributes

        def __getattr__(self, name: str) -> Any:
            """Return a recorded screen's screenshot as PNG; on other screens this is a field."""
            if name != "png":
                return object.__getattribute__(self, name)  # raises the standard error
            png = self.__dict__["png"] = as_png(self.picture)
            return png

    @lazy
    def picture(self) -> bytes:
        """The screenshot as stored: `png`, or for a record possibly WebP with the same pixels.

        Raises:
            ScreenError: if the screenshot cannot be read.
        """
        if "png" in self.__dict__:
            return self.png
        try:
            return self._read()  # type: ignore[attr-defined, no-any-return]
        except (OSError, ValueError, AttributeError) as error:
            raise ScreenError(f"the screenshot at {self.where} cannot be read: {error}") from error

    @lazy
    def key(self) -> str:
        """The identity of the screenshot: half the SHA-256 of the PNG file that the phone returned.

        It does not change when a record stores the same pixels in another format.
        """
        return hashlib.sha256(self.png).hexdigest()[:32]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Screen):
            return NotImplemented
        # Compares keys, so that no picture needs to be read or decoded.
        names = (each.name for each in fields(self) if each.compare and each.name != "png")
        return all(getattr(self, n) == getattr(other, n) for n in (*names, "key"))

    def __hash__(self) -> int:
        return hash((self.xml, self.package, self.activity, self.time))

    @property
    def own(self) -> Screen:
        """The phone's own screen, without noise over it."""
        return self if self.beneath is None else self.beneath

    def __getstate__(self) -> dict[str, Any]:
        # A screen is pickled and copied without derived values, which may be deeply nested.
        state = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "png"}
        return {**state, "picture": self.picture, "key": self.key}

    def __repr__(self) -> str:
        return f"<screen of {self.package or '?'}{f' at {self.where}' if self.where else ''}>"

    @lazy
    def root(self) -> Element:
        """The element of class "hierarchy", whose children are the roots of the windows.

        Raises:
            ScreenError: if the recorded hierarchy cannot be read.
        """
        known = self._outline
        root = hierarchy.parse(self.xml) if known is None else tree(*known)
        object.__setattr__(root, "_seen_on", self)  # for Element.ocr
        return root

    @lazy
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, from the screenshot's header if there is one.

        Raises:
            ScreenError: if the screenshot is neither a PNG image nor a WebP one.
        """
        return self.extent or size_of(self.picture)

    @lazy
    def image(self) -> Image:
        """The screenshot as a Pillow image (RGB).

        Raises:
            ScreenError: if the screenshot cannot be decoded.
            NoScreenshotError: if none was taken.
        """
        if self.extent is not None:
            place = f" at {self.where}" if self.where else ""
            msg = f"no screenshot was taken{place}: run this task without {SPARED_BY}"
            raise NoScreenshotError(msg)
        return decoded(self.picture)

    @lazy
    def elements(self) -> tuple[Element, ...]:
        """All elements in document order, without the root."""
        return RecordedTuple(self.root.iter())[1:]

    @lazy
    def _outline(self) -> tuple[list[Element], list[int]] | None:
        return hierarchy.outline(self.xml)

    @lazy
    def _own_elements(self) -> Sequence[Element]:
        """The elements without their relatives (see `xml.outline`), which are cheap to obtain."""
        return self.elements if self._outline is None else self._outline[0][1:]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts and content descriptions on the screen, in document order."""
        return RecordedTuple(t for e in self._own_elements for t in (e.text, e.content_desc) if t)

    def find(self, **criteria: Any) -> Element | None:
        """Return the first element that meets all criteria (see `Selector`), or None.

        Raises:
            CriteriaError: if the criteria are invalid.
            MissingExtraError: if the packages for reading or comparing pictures are not installed.
        """
        return self._first(Selector.of(criteria))

    def get(self, **criteria: Any) -> Element:
        """Return the first element that meets all criteria (see `Selector`).

        Raises:
            NotFoundError: if there is none; the message describes the closest elements.
            CriteriaError: if the criteria are invalid.
            MissingExtraError: if the packages for reading or comparing pictures are not installed.
        """
        selector = Selector.of(criteria)
        found = self._first(selector)
        if found is None:
            raise NotFoundError(partial(self.explain, selector))
        return found

    def find_all(self, **criteria: Any) -> list[Element]:
        """Return all elements that meet all criteria (see `Selector`), in document order.

        Elements found only in the picture come from top to bottom; for images, the best one first.

        Raises:
            CriteriaError: if the criteria are invalid.
            MissingExtraError: if the packages for reading or comparing pictures are not installed.
        """
        selector = Selector.of(criteria)
        found = RecordedList(self._search(selector))
        if not found:
            missed(partial(self.explain, selector))
        return found

    def _first(self, selector: Selector) -> Element | None:
        found = next(self._search(selector), None)
        if found is None:
            missed(partial(self.explain, selector))
        return found

    def _search(self, selector: Selector) -> Iterator[Element]:
        relations = selector.relations
        for name, other in relations.items():
            if other is None:
                return
            check_same_screen(name, other, self.root)
        if selector.image is not None:
            likest = find_image(self.image, selector.image, selector.similarity)
            places = (
                Element("image", bounds=place.bounds, in_picture=True, parent=self.root)
                for place in likest
            )
            yield from filter(selector.test(self.elements), places)
            return
        found = self._meeting(selector)
        first = next(found, None)
        if first is not None:
            yield first
            yield from found
        elif selector.ocr:
            yield from filter(selector.test(self.elements, as_read=True), self.lines)

    def _meeting(self, selector: Selector) -> Iterator[Element]:
        if selector.xpath is not None:
            yield from filter(selector.test(self.elements), self._xpath(selector.xpath))
            return
        # Most searches find one element or none, so the tree is built only for a match.
        own, in_place = selector.own_test(), None
        for place, alone in enumerate(self._own_elements):
            if own(alone):
                element = self.elements[place]
                in_place = in_place or selector.relation_test(self.elements)
                if in_place(element):
                    yield element

    @lazy
    def lines(self) -> tuple[Element, ...]:
        """The lines of text read in the screenshot, from top to bottom (see `screen.ocr`).

        Raises:
            MissingExtraError: if the OCR engine is not installed.
            ScreenError: if the screenshot cannot be decoded.
        """
        return RecordedTuple(
            Element("ocr", text=box.text, bounds=box.bounds, in_picture=True, parent=self.root)
            for box in read_screenshot(self.key, lambda: self.image)
        )

    def read(self, bounds: Bounds) -> str:
        """Return the text in a part of the screenshot, line by line."""
        left, top, right, bottom = bounds
        width, height = self.size
        part = Bounds(max(left, 0), max(top, 0), min(right, width), min(bottom, height))
        if not (part.width and part.height):
            return ""
        if part not in self._texts_of_parts:
            lines = read_text(self.image.crop(part))
            self._texts_of_parts[part] = "\n".join(line.text for line in lines)
        return self._texts_of_parts[part]

    @lazy
    def _texts_of_parts(self) -> dict[Bounds, str]:
        return {}

    def explain(self, selector: Selector) -> str:
        """Describe the search, the closest elements, and where the screen is recorded."""
        lines = [f"nothing on the screen of {self.package or '?'} has {selector}"]
        missing = [name for name, other in selector.relations.items() if other is None]
        lines += [f"  {n}=None: the element it should refer to was not found" for n in missing]
        if selector.image is not None:
            lines += self._likest(selector) if not missing else []
        else:
            lines += self._nearest(selector)
        if self.where:
            lines.append(f"  at {self.where}")
        return "\n".join(lines)

    def _nearest(self, selector: Selector) -> list[str]:
        read = self.__dict__.get("lines", ()) if selector.ocr else ()
        if nearest := selector.nearest(self.elements, read):
            return [f"  closest: {self._described(element, selector)}" for element in nearest]
        words = ", ".join(repr(text) for text in self.texts[:8]) or "nothing"
        return [f"  nothing comes close; the screen says {words}"]

    def _described(self, element: Element, selector: Selector) -> str:
        not_so = selector.misplaced(element, self.elements)
        return element.describe() + (f", not {' nor '.join(not_so)} that" if not_so else "")

    def _likest(self, selector: Selector) -> list[str]:
        assert selector.image is not None
        places = find_image(self.image, selector.image, LEAST)
        return [
            f"  closest: {100 * place.similarity:.0f} % alike at {place.bounds.describe()}"
            for place in places[:1]
        ] or ["  nothing looks like it"]

    def at(self, x: int, y: int) -> list[Element]:
        """Return the elements that contain the pixel (x, y), the innermost and topmost first."""
        # Android lists the topmost window first.
        windows = (reversed(tuple(window.iter())) for window in self.root.children)
        return RecordedList(e for window in windows for e in window if e.bounds.contains(x, y))

    def _xpath(self, expression: str) -> list[Element]:
        from lxml import etree

        elements = [self.root, *self.elements]
        found: set[int] = set()
        for each in self._trees:
            try:
                result = each.xpath(expression)
            except (etree.XPathError, ValueError) as error:
                msg = f"xpath={expression!r} is not an XPath 1.0 expression: {error}"
                raise CriteriaError(msg) from error
            if not (isinstance(result, list) and all(map(etree.iselement, result))):
                raise CriteriaError(f"xpath={expression!r} returns {result!r}, not elements")
            # Freed in this order, the innermost first: lxml climbs from each node to one in use.
            places = {node: place for place, node in reversed(list(enumerate(each.iter())))}
            found |= {places[node] for node in result if node in places}
        return [elements[place] for place in sorted(found - {0})]

    @lazy
    def _trees(self) -> tuple[Any, Any]:
        tree = hierarchy.parse_tree(self.xml)
        return tree, hierarchy.in_other_dialect(tree)


def keyboard_is_shown(screen: Screen) -> bool:
    """Return whether text could be typed: a keyboard is visible, or a field has the focus.

    Dumps of the hierarchy contain the app's own window and usually no keyboard, but Android shows
    it for the focused field. (`dumpsys input_method` is more reliable, but not for agents.)
    """
    return any(
        "inputmethod" in element.package
        or (element.focused and element.class_name.endswith(("EditText", "AutoCompleteTextView")))
        for element in screen.elements
    )
