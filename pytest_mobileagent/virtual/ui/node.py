"""What accessibility knows of a laid-out view: the one source of dumps, finders and events."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cmp_to_key
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.controls import Input, ProgressBar
from pytest_mobileagent.virtual.ui.metrics import Rect, intersect
from pytest_mobileagent.virtual.ui.views import Column, Scroll, SeekBar, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.views import View


@dataclass(slots=True, eq=False)
class Node:
    """An AccessibilityNodeInfo, of a view as it is at this moment.

    Children come in reading order, those that cannot be seen included; `index` is the place
    among them. `drawing_order` counts from 1 in the order of drawing; a window's root has 0.
    """

    box: Box
    package: str
    window_id: int = 0
    index: int = 0
    drawing_order: int = 0
    path: str = ""  # of names from the root: the same when the screen is built anew
    parent: Node | None = field(default=None, repr=False)
    children: list[Node] = field(default_factory=list, repr=False)

    @classmethod
    def tree(cls, root: Box, package: str, window_id: int = 0) -> Node:
        """Make the nodes of a window, and give its root."""
        node = cls(root, package, window_id)
        node._grow()
        return node

    def _grow(self) -> None:
        drawn = sorted(self.box.children, key=lambda child: child.view.elevation)
        orders = {id(child): order for order, child in enumerate(drawn, start=1)}
        paths = {
            id(child): path for child, path in zip(self.box.children, self._paths(), strict=True)
        }
        for index, box in enumerate(in_reading_order(self.box)):
            at = id(box)
            child = Node(box, self.package, self.window_id, index, orders[at], paths[at], self)
            self.children.append(child)
            child._grow()

    def _paths(self) -> Iterator[str]:
        """Yield a lasting name for every child: its key, row or id, else its class."""
        names = Counter[str]()
        for box in self.box.children:
            view = box.view
            if view.key:
                name = f"={view.key}"
            else:
                name = box.key if box.key.endswith("]") else view.id or class_name(view)
            names[name] += 1
            yield f"{self.path}/{name}#{names[name]}"

    def walk(self) -> Iterator[Node]:
        """Yield this node and all inside it, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def seen(self) -> list[Node]:
        """Give the children that can be seen."""
        return [child for child in self.children if child.visible]

    def walk_seen(self) -> Iterator[Node]:
        """Yield this node and all inside it that can be seen, in reading order."""
        yield self
        for child in self.seen():
            yield from child.walk_seen()

    # Names.

    @property
    def class_name(self) -> str:
        """The class that the view says it is; a Column without room enough is in a ScrollView."""
        view = self.box.view
        return Scroll.kind if self.scrollable and isinstance(view, Column) else class_name(view)

    @property
    def resource_id(self) -> str:
        """The full resource id, or ""."""
        return resource_id(self.box.view, self.package)

    @property
    def text(self) -> str:
        """The text that is shown: the hint in an empty field, dots for a password."""
        return self.box.view.label

    @property
    def desc(self) -> str:
        """The content description, or ""."""
        return self.box.view.desc

    @property
    def hint(self) -> str:
        """The hint of a text field, or ""."""
        view = self.box.view
        return view.hint if isinstance(view, Input) else ""

    @property
    def showing_hint(self) -> bool:
        """Whether `text` is the hint."""
        view = self.box.view
        return isinstance(view, Input) and not view.text and bool(view.hint)

    # Flags.

    @property
    def checkable(self) -> bool:
        """Whether it can be on or off."""
        return self.box.view.checkable

    @property
    def checked(self) -> bool:
        """Whether it is on."""
        return self.box.view.is_checked

    @property
    def clickable(self) -> bool:
        """Whether it takes taps."""
        return self.box.view.clickable

    @property
    def long_clickable(self) -> bool:
        """Whether it takes long presses."""
        return self.box.view.long_clickable

    @property
    def enabled(self) -> bool:
        """Whether anything happens on them."""
        return self.box.view.enabled

    @property
    def focusable(self) -> bool:
        """Whether it can have the input focus."""
        return self.box.view.clickable or self.box.view.focusable

    @property
    def focused(self) -> bool:
        """Whether it has the input focus."""
        return self.box.focused

    @property
    def scrollable(self) -> bool:
        """Whether there is more to see in it than fits."""
        return self.box.reach > 0

    @property
    def password(self) -> bool:
        """Whether its text is secret."""
        view = self.box.view
        return isinstance(view, Input) and view.password

    @property
    def selected(self) -> bool:
        """Whether it is selected, or in something that is."""
        return self.box.view.selected or (self.parent is not None and self.parent.selected)

    @property
    def editable(self) -> bool:
        """Whether it is a text field."""
        return isinstance(self.box.view, Input)

    @property
    def multiline(self) -> bool:
        """Whether it is a text field of several lines."""
        view = self.box.view
        return isinstance(view, Input) and view.multiline

    @property
    def visible(self) -> bool:
        """Whether any of it can be seen."""
        return self.box.visible is not None

    @property
    def important(self) -> bool:
        """Whether it means something to accessibility, rather than only holding others."""
        view = self.box.view
        return view.clickable or view.focusable or bool(view.desc) or isinstance(view, Text)

    @property
    def unfriendly(self) -> bool:
        """Whether it is something to tap that says nothing (not accessibility friendly)."""
        return (
            self.clickable
            and self.enabled
            and not self.class_name.endswith(_NEVER_UNFRIENDLY)
            and not any(inner.text or inner.desc for inner in self.walk())
        )

    # Places and amounts.

    @property
    def bounds(self) -> Rect:
        """The part that can be seen, in pixels of the screen; of what cannot, the whole."""
        seen = self.box.visible or self.box.bounds
        return intersect(seen, self.box.metrics.screen) or seen

    @property
    def center(self) -> tuple[int, int]:
        """The middle of the bounds, where a tap goes."""
        left, top, right, bottom = self.bounds
        return (left + right) // 2, (top + bottom) // 2

    @property
    def selection(self) -> tuple[int, int] | None:
        """The first and last index of a text field's selection; equal for a mere cursor."""
        view = self.box.view
        if not isinstance(view, Input):
            return None
        if not self.box.focused:
            return len(view.text), len(view.text)
        start, end = sorted(self.box.selection)
        return start, end

    @property
    def progress(self) -> tuple[float, float] | None:
        """The value of a slider or a bar, and its maximum."""
        view = self.box.view
        if not isinstance(view, SeekBar | ProgressBar) or view.value is None:
            return None
        return view.value, view.maximum

    @property
    def identity(self) -> Identity:
        """What tells this node from the others, and is the same when the screen is rebuilt."""
        return Identity(self.window_id, self.path, self.class_name, self.resource_id)


@dataclass(frozen=True, slots=True)
class Identity:
    """Which node it is."""

    window_id: int
    path: str
    class_name: str
    resource_id: str


def resource_id(view: View, package: str) -> str:
    """Give the full resource id of a view."""
    return view.id if not view.id or ":" in view.id else f"{package}:id/{view.id}"


def class_name(view: View) -> str:
    """Give the class that a view says it is."""
    return view.class_name or view.kind


def in_reading_order(box: Box) -> list[Box]:
    """Give the children as accessibility sorts them: by stripes, each from its start on."""
    if not box.metrics.rtl:
        return sorted(box.children, key=lambda child: _PLACE(child.bounds))
    return sorted(box.children, key=lambda child: _PLACE(_turned(child.bounds)))


def _turned(rect: Rect) -> Rect:
    """Turn a place left for right."""
    return -rect[2], rect[1], -rect[0], rect[3]


def compare(a: Rect, b: Rect) -> int:
    """Tell which of two places is read first, by a number below or above 0."""
    if a[3] <= b[1]:
        return -1
    if a[1] >= b[3]:
        return 1
    by = (a[0] - b[0], a[1] - b[1], (b[3] - b[1]) - (a[3] - a[1]), (b[2] - b[0]) - (a[2] - a[0]))
    return next((difference for difference in by if difference), 0)


_PLACE = cmp_to_key(compare)
_NEVER_UNFRIENDLY = tuple(
    f"android.widget.{name}" for name in ("GridView", "GridLayout", "ListView", "TableLayout")
)
