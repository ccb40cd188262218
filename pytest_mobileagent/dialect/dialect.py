"""The base class of dialects, which convert between a model's replies and canonical actions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.dialect.parts import (
    DialectError,
    OnError,
    cannot_say,
    reading,
    without_markers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.perception.marks import Mark
    from pytest_mobileagent.screen import Screen

Parts = Mapping[str, str]  # the named parts of a reply besides its action, such as the thought


@dataclass(frozen=True, slots=True)
class Frame:
    """The screen, picture and marks that a model's reply refers to.

    - `size`: the phone's screen in pixels, (width, height).
    - `shown`: the size of the picture that was sent, in pixels; None if it is the screen's size.
    - `marks`: the marks or list entries that the model saw, by label.
    """

    size: tuple[int, int]
    shown: tuple[int, int] | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)

    @classmethod
    def of(
        cls, screen: Screen, marks: Iterable[Mark] = (), shown: tuple[int, int] | None = None
    ) -> Frame:
        """Return the frame of a screen, its marks, and the size of the picture that was sent."""
        return cls(screen.size, shown, {mark.label: mark for mark in marks})

    def pixel(
        self, x: float, y: float, scale: tuple[float, float] | None = None
    ) -> tuple[int, int]:
        """Return the pixel of the screen for a model's point.

        `scale` is the model's width and height of the whole picture: (1000, 1000) for coordinates
        from 0 to 1000, (1, 1) for fractions; by default, points are pixels of the picture that was
        sent. A point on the right or bottom edge is in the last column or row of pixels.

        Raises:
            DialectError: if the point lies outside the picture.
        """
        width, height = scale or self.shown or self.size
        if not (0 <= x <= width and 0 <= y <= height):
            msg = f"the point ({x:g}, {y:g}) is outside the picture, which is {width:g}x{height:g}"
            raise DialectError(msg)
        return (
            min(int(x * self.size[0] / width), self.size[0] - 1),
            min(int(y * self.size[1] / height), self.size[1] - 1),
        )

    def point(
        self, x: int, y: int, scale: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Return the model's point for a pixel of the screen; the inverse of `pixel`."""
        width, height = scale or self.shown or self.size
        return (x + 0.5) * width / self.size[0], (y + 0.5) * height / self.size[1]

    def whole(self, x: int, y: int, scale: tuple[float, float] | None = None) -> tuple[int, int]:
        """Return the model's point for a pixel of the screen, as whole numbers.

        `pixel` maps the point back to the same pixel, unless the scale is coarser than the screen.
        """
        across, down = self.point(x, y, scale)
        return math.ceil(across - 0.5), math.ceil(down - 0.5)

    def thousandths(self, x: int, y: int) -> tuple[int, int]:
        """Return a pixel of the screen in whole thousandths of the screen's size, from 0 to 999.

        With a scale of (1000, 1000), `pixel` maps the point back to the same pixel if the screen is
        at most 1000 pixels wide or high, respectively.
        """
        across, down = self.point(x, y, (1000, 1000))
        return _thousandth(x, self.size[0], across), _thousandth(y, self.size[1], down)

    def mark(self, label: str) -> Mark:
        """Return the mark with a label.

        Raises:
            DialectError: if no mark has this label.
        """
        if label not in self.marks:
            known = ", ".join(list(self.marks)[:12]) or "none"
            msg = f"there is no mark {label!r} (marks: {known}{', …' * (len(self.marks) > 12)})"
            raise DialectError(msg)
        return self.marks[label]

    def mark_at(self, x: int, y: int) -> Mark:
        """Return the smallest mark that contains a pixel of the screen.

        Raises:
            DialectError: if no mark contains the pixel.
        """
        inside = [mark for mark in self.marks.values() if mark.bounds.contains(x, y)]
        if not inside:
            raise DialectError(f"no mark contains the pixel ({x}, {y})")
        return min(inside, key=lambda mark: mark.bounds.width * mark.bounds.height)

    def mark_of(self, x: int, y: int) -> Mark:
        """Return the mark whose centre is a pixel, or else the smallest mark that contains it.

        Raises:
            DialectError: if no mark contains the pixel.
        """
        centred = (mark for mark in self.marks.values() if mark.bounds.center == (x, y))
        return next(centred, None) or self.mark_at(x, y)

    def only(self, marks: Iterable[Mark]) -> Frame:
        """Return this frame with only the given marks."""
        return Frame(self.size, self.shown, {mark.label: mark for mark in marks})


@dataclass(frozen=True, slots=True)
class Decision:
    """A model's decision: what its reply means, or why the reply could not be read.

    - `actions`: the canonical actions, usually one, in pixels of the screen.
    - `said`: the named parts of the reply ("thought", "summary", …), under the dialect's names.
    - `signal`: a request to the agent rather than the phone, such as AppAgent's "grid".
    - `words`: the complete reply. `ask` sets this field and the following ones.
    - `error`: why the reply could not be read, or an empty string. After an error, `actions` come
      from the agent's policy for unreadable replies.
    - `refused`: whether the model, or its provider's filter, refused to answer.
    """

    actions: tuple[Action, ...] = ()
    said: Parts = field(default_factory=dict)
    signal: str = ""
    words: str = ""
    error: str = ""
    refused: bool = False


class Dialect:
    """A format in which models express actions. Instances are immutable; fields select variants.

    A subclass implements `_read` and `_print`; or `print` if a reply may have many actions or none.

    - `name`: the dialect's name in the registry and in options.
    - `title`: its name in error messages; by default `name`.
    - `on_error`: how the original agent handles a reply that it cannot read; by default "no
      action". Agents that use the dialect may choose another policy.
    """

    __slots__ = ()

    name: ClassVar[str]
    title: ClassVar[str] = ""
    on_error: ClassVar[OnError] = "no action"

    def parse(self, words: str, frame: Frame) -> Decision:
        """Return the decision that a model's reply expresses, without its markers (see `parts`).

        Raises:
            DialectError: if the reply is not in this dialect; its `words` are the complete reply.
        """
        with reading(words):
            return _decision(self._read(without_markers(words), frame))

    def parse_strictly(self, words: str, frame: Frame) -> Decision:
        """Return the decision as the original's code reads it, which fails where `parse` does not.

        For most dialects, the two do not differ; docs/dialects.md lists the differences.

        Raises:
            DialectError: if the original cannot read the reply; `on_error` says what it does then.
        """
        with reading(words):
            return _decision(self._read_strictly(words, frame))

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a reply that expresses a decision.

        `parse` returns the same decision, up to the resolution of the dialect's coordinates.

        Raises:
            DialectError: if the dialect cannot express an action, or that number of actions.
        """
        if len(decision.actions) != 1:
            title, count = self.title or self.name, len(decision.actions)
            raise DialectError(f"{title} expresses one action at a time, not {count}")
        words = self._print(decision.actions[0], decision.said, frame)
        if without_markers(words) != words:  # they would be taken off a text without quotes
            raise cannot_say(self.title or self.name, "a special token at the end of a text")
        return words

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        """Return an action, or a decision if the reply also has named parts or a signal."""
        raise NotImplementedError

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the action or decision as the original's code reads it; by default, `parse`."""
        return self.parse(words, frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        """Return a reply that has an action and the named parts."""
        raise NotImplementedError


def _decision(found: Decision | Action) -> Decision:
    return found if isinstance(found, Decision) else Decision((found,))


def _thousandth(pixel: int, size: int, middle: float) -> int:
    near = min(round(middle), 999)
    return near if near * size // 1000 == pixel else min(-(-pixel * 1000 // size), 999)
