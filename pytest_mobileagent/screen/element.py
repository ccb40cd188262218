"""A node of a view hierarchy, and a descriptor for properties computed on first access."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, overload

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.recorded_data import RecordedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self


T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - named like functools.cached_property
    """A property that is computed once and then stored in the instance's dictionary.

    Two threads may compute it twice. There is no lock: that of functools, which Python 3.11 holds
    for all instances at once, would never be released in a process that is forked meanwhile.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any]) -> T: ...

    def __get__(self, instance: object | None, owner: type[Any]) -> Self | T:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


FLAGS = (
    "checkable", "checked", "clickable", "enabled", "focusable", "focused", "scrollable",
    "long_clickable", "password", "selected",
)  # fmt: skip
_LINKS = ("children", "parent", "_seen_on")


class Bounds(NamedTuple):
    """A rectangle in pixels of the screen; its right and bottom edges lie outside it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """The width in pixels; never negative."""
        return max(0, self.right - self.left)

    @property
    def height(self) -> int:
        """The height in pixels; never negative."""
        return max(0, self.bottom - self.top)

    @property
    def area(self) -> int:
        """The number of pixels."""
        return self.width * self.height

    @property
    def center(self) -> tuple[int, int]:
        """The pixel in the middle, as (x, y)."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def contains(self, x: int, y: int) -> bool:
        """Return whether the pixel (x, y) lies inside."""
        return self.left <= x < self.right and self.top <= y < self.bottom

    def describe(self) -> str:
        """Return the corners in Android's notation: "[left,top][right,bottom]"."""
        return f"[{self.left},{self.top}][{self.right},{self.bottom}]"


class Readable(Protocol):
    """A screen with a picture, from which the text of its elements is read."""

    def read(self, bounds: Bounds) -> str:
        """Return the text in a part of the picture."""


# The default equality of dataclasses is recursive, and hierarchies can be deeper than the stack.
@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A node of the view hierarchy, with Android's attributes.

    - `class_name`: the Java class ("android.widget.Button").
    - `text`, `content_desc`: the displayed text, and the text for screen readers.
    - `resource_id`: in full ("package:id/name"); `package`: the app that the element belongs to.
    - `bounds`: its position, in pixels of the screen; (0, 0, 0, 0) if unknown.
    - `checkable`, `checked`, `clickable`, `enabled`, `focusable`, `focused`, `scrollable`,
      `long_clickable`, `password`, `selected`: Android's flags.
    - `in_picture`: found in the screenshot rather than the hierarchy (see `Screen.find`): a text
      that was read, of class "ocr", or a place that looks like an image, of class "image".
    - `children`: the elements directly inside it; `parent`: the element that contains it, or None.
      The parent of one that is only in the picture is the root, which does not list it.

    Elements are equal if their attributes and descendants are, whatever their place in a hierarchy.
    """

    class_name: str
    text: str = ""
    resource_id: str = ""
    content_desc: str = ""
    package: str = ""
    bounds: Bounds = field(default_factory=lambda: Bounds(0, 0, 0, 0))
    checkable: bool = False
    checked: bool = False
    clickable: bool = False
    enabled: bool = True
    focusable: bool = False
    focused: bool = False
    scrollable: bool = False
    long_clickable: bool = False
    password: bool = False
    selected: bool = False
    in_picture: bool = False
    children: tuple[Element, ...] = field(default=(), repr=False)
    parent: Element | None = field(default=None, repr=False)
    _seen_on: Readable | None = field(default=None, init=False, repr=False)  # set on the root only

    def __post_init__(self) -> None:
        object.__setattr__(self, "children", RecordedTuple(self.children))
        for child in self.children:
            object.__setattr__(child, "parent", self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        if self is other:
            return True
        # A tree is determined by its elements in document order, each with its number of children.
        pairs = zip(self.iter(), other.iter(), strict=False)
        return all(
            len(one.children) == len(two.children) and _own(one) == _own(two) for one, two in pairs
        )

    def __hash__(self) -> int:
        return hash((_own(self), len(self.children)))

    def iter(self) -> Iterator[Element]:
        """Yield this element and all of its descendants, in document order."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            if element.children:
                pending.extend(reversed(element.children))

    @property
    def ancestors(self) -> Iterator[Element]:
        """Yield the parent, its parent, and so on up to the root."""
        parent = self.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    @property
    def texts(self) -> tuple[str, ...]:
        """The text, or else the content description, of this element and of each descendant."""
        words = (e.text or e.content_desc for e in self.iter())
        return RecordedTuple(text for text in words if text)

    @property
    def label(self) -> str:
        """The text that a person would call this element by: its own, or else that inside it."""
        return self.text or self.content_desc or " ".join(self.texts)

    def ocr(self) -> str:
        """Return the text in the element's part of the screenshot, line by line.

        The result is "" for an element without an extent, or outside the screenshot.

        Raises:
            MissingExtraError: if the OCR engine is not installed (see `screen.ocr`).
            ScreenError: if the element belongs to no screen, or its screenshot cannot be decoded.
        """
        top = [self, *self.ancestors][-1]
        seen_on = top._seen_on  # noqa: SLF001 - the root is an element, too
        if seen_on is None:
            msg = f"{self.describe()} belongs to no screen, so there is no picture to read it from"
            raise ScreenError(msg)
        return seen_on.read(self.bounds)

    def describe(self) -> str:
        """Return a one-line description of the element: its class, texts, id and bounds."""
        shown = {name: getattr(self, name) for name in ("text", "content_desc", "resource_id")}
        words = [f"{name}={value!r}" for name, value in shown.items() if value]
        name = self.class_name.rpartition(".")[2] or "element"
        return f"<{' '.join([name, *words])} at {self.bounds.describe()}>"


_own = attrgetter(*(each.name for each in fields(Element) if each.name not in _LINKS))


class _Unfrozen:
    """A mutable element with the same slots, used until its relatives are known.

    Creating a frozen dataclass with this many fields takes ten times as long.
    """

    __slots__ = Element.__slots__


def tree(elements: Sequence[Element], parents: Sequence[int]) -> Element:
    """Return the root of a tree built from copies of elements in document order.

    `parents` contains the index of each element's parent; the first element is the root. The given
    elements are not changed, and their own relatives are ignored.
    """
    made: list[Any] = []
    inside: list[list[Any]] = []
    for each, parent in zip(elements, parents, strict=True):
        new: Any = _Unfrozen()
        (
            new.class_name, new.text, new.resource_id, new.content_desc, new.package, new.bounds,
            new.checkable, new.checked, new.clickable, new.enabled, new.focusable, new.focused,
            new.scrollable, new.long_clickable, new.password, new.selected, new.in_picture,
        ) = _own(each)  # fmt: skip
        new.parent = new._seen_on = None  # noqa: SLF001 - it is becoming an element
        if made:
            new.parent = made[parent]
            inside[parent].append(new)
        made.append(new)
        inside.append([])
    for new, children in zip(made, inside, strict=True):
        new.children = RecordedTuple(children)
        new.__class__ = Element
    return made[0]  # type: ignore[no-any-return]
