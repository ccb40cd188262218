"""One observation of a phone's screen."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen import xml as hierarchy
from pytest_mobileagent.screen.explain import missed
from pytest_mobileagent.screen.selector import Missing, Selector

if TYPE_CHECKING:
    from datetime import datetime

    from PIL.Image import Image

    from pytest_mobileagent.screen.element import Element


# No slots: `cached_property` keeps what it has derived in the instance's dictionary.
@dataclass(frozen=True, repr=False)
class Screen:
    """What was to be seen at one moment: a view hierarchy and a screenshot. Immutable.

    `xml` is the hierarchy as the phone gave it (raw UIAutomator or Appium), `png` the screenshot,
    `package` and `activity` name what has the focus, `time` is the phone's own clock. All
    coordinates are pixels of the screenshot, (0, 0) at the top left. `where` says where this screen
    is recorded, for error messages; it does not count for equality.
    """

    xml: str
    png: bytes
    package: str = ""
    activity: str = ""
    time: datetime | None = None
    where: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"<screen of {self.package or '?'}{f' at {self.where}' if self.where else ''}>"

    @cached_property
    def root(self) -> Element:
        """The element of class "hierarchy" that holds the windows' roots.

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
        """The screenshot as a Pillow image (RGB)."""
        import io  # noqa: PLC0415 - a heavy library is loaded by who needs it

        from PIL import Image as image  # noqa: N813, PLC0415

        return image.open(io.BytesIO(self.png)).convert("RGB")

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """All elements in document order, without the hierarchy itself."""
        return tuple(self.root.iter())[1:]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts and content descriptions on the screen, in document order."""
        return tuple(t for e in self.elements for t in (e.text, e.content_desc) if t)

    def find(self, **criteria: Any) -> Element:
        """Return the first element that meets all criteria (see `Selector`).

        If there is none, the result is false, and using it raises an AssertionError that says what
        was sought and which elements come closest.
        """
        found = self.find_all(**criteria)
        return found[0] if found else Missing(partial(self.explain, Selector.of(criteria)))

    def find_all(self, **criteria: Any) -> list[Element]:
        """Return all elements that meet all criteria (see `Selector`), in document order."""
        selector = Selector.of(criteria)
        candidates = self.elements if selector.xpath is None else self._xpath(selector.xpath)
        found = [element for element in candidates if selector.matches(element)]
        if not found:
            missed(partial(self.explain, selector))
        return found

    def explain(self, selector: Selector) -> str:
        """Say what was sought here, which elements come closest, and where this is recorded."""
        lines = [f"nothing on the screen of {self.package or '?'} has {selector}"]
        nearest = selector.nearest(self.elements)
        lines += [f"  closest: {element.describe()}" for element in nearest]
        if not nearest:
            words = ", ".join(repr(text) for text in self.texts[:8]) or "no words at all"
            lines.append(f"  nothing comes close; the screen says {words}")
        if self.where:
            lines.append(f"  at {self.where}")
        return "\n".join(lines)

    def at(self, x: int, y: int) -> list[Element]:
        """Return the elements that contain the pixel (x, y), the innermost and topmost first.

        Where the hierarchy holds several windows, Android has put the topmost first.
        """
        windows = (reversed(tuple(window.iter())) for window in self.root.children)
        return [e for window in windows for e in window if e.bounds.contains(x, y)]

    def _xpath(self, expression: str) -> list[Element]:
        from lxml import etree  # noqa: PLC0415

        elements = [self.root, *self.elements]
        found: set[int] = set()
        for tree in self._trees:
            try:
                result = tree.xpath(expression)
            except etree.XPathError as error:
                msg = f"xpath={expression!r} is not an XPath 1.0 expression: {error}"
                raise ValueError(msg) from error
            if not (isinstance(result, list) and all(map(etree.iselement, result))):
                msg = f"xpath={expression!r} gives {result!r}, not elements"
                raise ValueError(msg)
            places = {node: place for place, node in enumerate(hierarchy.nodes(tree))}
            found |= {places[node] for node in result if node in places}
        return [elements[place] for place in sorted(found - {0})]

    @cached_property
    def _trees(self) -> tuple[Any, Any]:
        tree = hierarchy.parse_tree(self.xml)
        return tree, hierarchy.in_other_dialect(tree)
