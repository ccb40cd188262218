"""One observation of a phone's screen."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen import xml as hierarchy
from pytest_mobileagent.screen.explain import NotFoundError, missed
from pytest_mobileagent.screen.selector import CriteriaError, Selector

if TYPE_CHECKING:
    from datetime import datetime

    from PIL.Image import Image

    from pytest_mobileagent.screen.element import Element


# No slots: `cached_property` keeps what it has derived in the instance's dictionary.
@dataclass(frozen=True, repr=False)
class Screen:
    """What the phone showed at one moment: a view hierarchy and a screenshot. Immutable.

    - `xml`: the hierarchy as the phone gave it, a raw UIAutomator dump or Appium's page source.
    - `png`: the screenshot, encoded.
    - `package`, `activity`: the app and the activity that have the focus.
    - `time`: the phone's own clock.
    - `where`: where this screen is recorded, for error messages; ignored when screens are compared.

    All coordinates are pixels of the screenshot, with (0, 0) at the top left.
    """

    xml: str
    png: bytes
    package: str = ""
    activity: str = ""
    time: datetime | None = None
    where: str = field(default="", compare=False)

    def __getstate__(self) -> dict[str, Any]:
        # A screen is sent and copied without what was derived from it, which may be deeply nested.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self) -> str:
        return f"<screen of {self.package or '?'}{f' at {self.where}' if self.where else ''}>"

    @cached_property
    def root(self) -> Element:
        """The element of class "hierarchy", whose children are the roots of the windows.

        Raises:
            ScreenError: the recorded hierarchy cannot be read.
        """
        return hierarchy.parse(self.xml)

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, from the screenshot's header.

        Raises:
            ScreenError: the screenshot is not a PNG image.
        """
        header = self.png[:24]
        if len(header) < 24 or header[:8] != b"\x89PNG\r\n\x1a\n" or header[12:16] != b"IHDR":
            msg = f"the screenshot is not a PNG image: it begins {self.png[:16]!r}"
            raise ScreenError(msg)
        width, height = struct.unpack(">II", header[16:])
        return width, height

    @cached_property
    def image(self) -> Image:
        """The screenshot as a Pillow image (RGB).

        Raises:
            ScreenError: the screenshot cannot be decoded.
        """
        import io  # noqa: PLC0415 - a heavy library is loaded by who needs it

        from PIL import Image as image  # noqa: N813, PLC0415

        try:
            return image.open(io.BytesIO(self.png)).convert("RGB")
        except (OSError, SyntaxError, ValueError, image.DecompressionBombError) as error:
            msg = f"the screenshot cannot be decoded: {error} (it begins {self.png[:16]!r})"
            raise ScreenError(msg) from error

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """All elements in document order, without the root."""
        return tuple(self.root.iter())[1:]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts and content descriptions on the screen, in document order."""
        return tuple(t for e in self.elements for t in (e.text, e.content_desc) if t)

    def find(self, **criteria: Any) -> Element | None:
        """Return the first element that meets all criteria (see `Selector`), or None.

        Raises:
            CriteriaError: the criteria make no sense.
        """
        return next(iter(self.find_all(**criteria)), None)

    def get(self, **criteria: Any) -> Element:
        """Return the first element that meets all criteria (see `Selector`).

        Raises:
            NotFoundError: there is none; the message says which elements come closest.
            CriteriaError: the criteria make no sense.
        """
        found = self.find(**criteria)
        if found is None:
            raise NotFoundError(partial(self.explain, Selector.of(criteria)))
        return found

    def find_all(self, **criteria: Any) -> list[Element]:
        """Return all elements that meet all criteria (see `Selector`), in document order.

        Raises:
            CriteriaError: the criteria make no sense.
        """
        selector = Selector.of(criteria)
        candidates = self.elements if selector.xpath is None else self._xpath(selector.xpath)
        found = [element for element in candidates if selector.matches(element)]
        if not found:
            missed(partial(self.explain, selector))
        return found

    def explain(self, selector: Selector) -> str:
        """Say what was sought, which elements come closest, and where the screen is recorded."""
        lines = [f"nothing on the screen of {self.package or '?'} has {selector}"]
        nearest = selector.nearest(self.elements)
        lines += [f"  closest: {element.describe()}" for element in nearest]
        if not nearest:
            words = ", ".join(repr(text) for text in self.texts[:8]) or "nothing"
            lines.append(f"  nothing comes close; the screen says {words}")
        if self.where:
            lines.append(f"  at {self.where}")
        return "\n".join(lines)

    def at(self, x: int, y: int) -> list[Element]:
        """Return the elements that contain the pixel (x, y), the innermost and topmost first."""
        # Of several windows, Android lists the topmost first.
        windows = (reversed(tuple(window.iter())) for window in self.root.children)
        return [e for window in windows for e in window if e.bounds.contains(x, y)]

    def _xpath(self, expression: str) -> list[Element]:
        from lxml import etree  # noqa: PLC0415

        elements = [self.root, *self.elements]
        found: set[int] = set()
        for tree in self._trees:
            try:
                result = tree.xpath(expression)
            except (etree.XPathError, ValueError) as error:
                msg = f"xpath={expression!r} is not an XPath 1.0 expression: {error}"
                raise CriteriaError(msg) from error
            if not (isinstance(result, list) and all(map(etree.iselement, result))):
                msg = f"xpath={expression!r} gives {result!r}, not elements"
                raise CriteriaError(msg)
            places = {node: place for place, node in enumerate(tree.iter())}
            found |= {places[node] for node in result if node in places}
        return [elements[place] for place in sorted(found - {0})]

    @cached_property
    def _trees(self) -> tuple[Any, Any]:
        tree = hierarchy.parse_tree(self.xml)
        return tree, hierarchy.in_other_dialect(tree)
