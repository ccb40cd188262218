"""The base of dialects, which convert between a model's words and canonical actions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.perception.marks import Mark
    from pytest_mobileagent.screen.screen import Screen

# The named parts of a reply besides its action, such as the thought.
Parts = Mapping[str, str]
# What the original agent does with words that it cannot read: it does nothing in that step; it asks
# the model again; it ends as if the task were done, gives up, or crashes.
OnError = Literal["no action", "ask again", "finish", "give up", "crash"]


class DialectError(ValueError):
    """Words that a dialect cannot read (`words` has all of them), or an action it cannot express.

    The message says what is wrong, and quotes the place. `on_error` is what the original does with
    these words if that differs from the dialect's `on_error`; otherwise it is None.
    """

    def __init__(self, problem: str, words: str = "", on_error: OnError | None = None) -> None:
        super().__init__(problem)
        self.words = words
        self.on_error = on_error


def quoted(value: object, most: int = 120) -> str:
    """Return a value quoted for an error: on one line, and cut if it is long."""
    try:
        text = " ".join((value if isinstance(value, str) else repr(value)).split())
    except (ValueError, RecursionError):  # a number too large, or a list too deep
        return f"a {type(value).__name__}"
    short = text if len(text) <= most else text[: most - 1] + "…"
    return repr(short) if isinstance(value, str) else short


def cannot_say(title: str, what: object) -> DialectError:
    """Return the error for an action that a dialect cannot express."""
    return DialectError(f"{title} cannot say {quoted(what)}")


def lacks(words: str, what: str, on_error: OnError | None = None) -> DialectError:
    """Return the error for words in which something is missing."""
    return DialectError(f"there is no {what} in {quoted(words)}", words, on_error)


def unknown(kind: str, name: object) -> DialectError:
    """Return the error for a name that the dialect does not know: an action, a key, a direction."""
    return DialectError(f"there is no {kind} {quoted(name)}")


@contextmanager
def reading(words: str) -> Iterator[None]:
    """Let each DialectError that is raised inside hold all of the words, not a part of them."""
    try:
        yield
    except DialectError as error:
        error.words = words
        raise


@dataclass(frozen=True, slots=True)
class Frame:
    """The screen, picture and marks that a model's words refer to.

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
        """Return the frame of a screen, with its marks and the size of the picture as sent."""
        return cls(screen.size, shown, {mark.label: mark for mark in marks})

    def pixel(
        self, x: float, y: float, scale: tuple[float, float] | None = None
    ) -> tuple[int, int]:
        """Return the pixel of the screen for a model's point.

        `scale` is the model's width and height of the whole picture: (1000, 1000) for coordinates
        from 0 to 1000, (1, 1) for fractions; by default, points are pixels of the picture that was
        sent. A point on the right or bottom edge is in the last column or row of pixels.

        Raises:
            DialectError: the point lies outside of the picture.
        """
        width, height = scale or self.shown or self.size
        if not (0 <= x <= width and 0 <= y <= height):
            msg = (
                f"the point ({x:g}, {y:g}) is outside of the picture, which is {width:g}x{height:g}"
            )
            raise DialectError(msg)
        return (
            min(int(x * self.size[0] / width), self.size[0] - 1),
            min(int(y * self.size[1] / height), self.size[1] - 1),
        )

    def point(
        self, x: int, y: int, scale: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Return the model's point for a pixel of the screen; the reverse of `pixel`."""
        width, height = scale or self.shown or self.size
        return (x + 0.5) * width / self.size[0], (y + 0.5) * height / self.size[1]

    def whole(self, x: int, y: int, scale: tuple[float, float] | None = None) -> tuple[int, int]:
        """Return the model's point for a pixel of the screen, in whole numbers.

        `pixel` returns the same pixel again, unless the scale is coarser than the screen.
        """
        across, down = self.point(x, y, scale)
        return math.ceil(across - 0.5), math.ceil(down - 0.5)

    def thousandths(self, x: int, y: int) -> tuple[int, int]:
        """Return a pixel of the screen in whole thousandths of its size, from 0 to 999.

        `pixel` returns the same pixel again if the screen has at most a thousand in that direction.
        """
        across, down = self.point(x, y, (1000, 1000))
        return _thousandth(x, self.size[0], across), _thousandth(y, self.size[1], down)

    def mark(self, label: str) -> Mark:
        """Return the mark of a label.

        Raises:
            DialectError: the model saw no such mark.
        """
        if label not in self.marks:
            known = ", ".join(list(self.marks)[:12]) or "none"
            msg = f"there is no mark {label!r} (marks: {known}{', …' * (len(self.marks) > 12)})"
            raise DialectError(msg)
        return self.marks[label]

    def mark_at(self, x: int, y: int) -> Mark:
        """Return the smallest mark that contains a pixel of the screen.

        Raises:
            DialectError: none does.
        """
        inside = [mark for mark in self.marks.values() if mark.bounds.contains(x, y)]
        if not inside:
            msg = f"no mark contains the pixel ({x}, {y})"
            raise DialectError(msg)
        return min(inside, key=lambda mark: mark.bounds.width * mark.bounds.height)

    def mark_of(self, x: int, y: int) -> Mark:
        """Return the mark centred at a pixel, or else the smallest one that contains it.

        Raises:
            DialectError: none does.
        """
        centred = (mark for mark in self.marks.values() if mark.bounds.center == (x, y))
        return next(centred, None) or self.mark_at(x, y)

    def only(self, marks: Iterable[Mark]) -> Frame:
        """Return this frame with only the given marks."""
        return Frame(self.size, self.shown, {mark.label: mark for mark in marks})


@dataclass(frozen=True, slots=True)
class Decision:
    """A model's decision: the meaning of its words, or why they could not be read.

    - `actions`: the canonical actions, usually one, in pixels of the screen.
    - `said`: the named parts of the words ("thought", "summary", …), under the dialect's names.
    - `signal`: a request to the agent instead of the phone, such as AppAgent's "grid".
    - `words`: the model's whole text. `ask` sets this and the following fields.
    - `error`: why the words could not be read, in which case `actions` are those of the policy for
      unreadable words; empty if they could be read. `refused`: whether the model, or its provider's
      filter, refused to answer.
    """

    actions: tuple[Action, ...] = ()
    said: Parts = field(default_factory=dict)
    signal: str = ""
    words: str = ""
    error: str = ""
    refused: bool = False


class Dialect:
    """A format in which models express actions. Instances are immutable; fields select variants.

    A dialect of your own implements `_read` and `_print`, or `_read` and `print` if one reply may
    hold several actions or none.

    - `name`: its name in a registry or an option.
    - `title`: its name in errors; by default `name`.
    - `on_error`: what the original agent does with words that it cannot read, by default "no
      action". Agents that use the dialect may have a policy of their own.
    """

    __slots__ = ()

    name: ClassVar[str]
    title: ClassVar[str] = ""
    on_error: ClassVar[OnError] = "no action"

    def parse(self, words: str, frame: Frame) -> Decision:
        """Return what a model's words mean.

        Raises:
            DialectError: they are not in this dialect; the error holds all of them.
        """
        with reading(words):
            return _decision(self._read(words, frame))

    def parse_strictly(self, words: str, frame: Frame) -> Decision:
        """Return what words mean to the original's code, which fails where `parse` is lenient.

        The same as `parse` where no lenient reading is known: docs/dialects.md lists them all.

        Raises:
            DialectError: the original cannot read them; its `on_error` says what it does then.
        """
        with reading(words):
            return _decision(self._read_strictly(words, frame))

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return a decision in the dialect's words: `parse` gives it back within its resolution.

        Raises:
            DialectError: the dialect cannot say such an action, or not as many of them.
        """
        if len(decision.actions) != 1:
            title, count = self.title or self.name, len(decision.actions)
            msg = f"{title} says one action at a time, not {count}"
            raise DialectError(msg)
        return self._print(decision.actions[0], decision.said, frame)

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        """Return what words mean: an action, or a decision where there is more to tell."""
        raise NotImplementedError

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return what words mean to the original's code; a dialect overrides it if that differs."""
        return self.parse(words, frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        """Return the words for an action, together with the named parts of a reply."""
        raise NotImplementedError


def _decision(found: Decision | Action) -> Decision:
    return found if isinstance(found, Decision) else Decision((found,))


def _thousandth(pixel: int, size: int, middle: float) -> int:
    near = min(round(middle), 999)
    return near if near * size // 1000 == pixel else min(-(-pixel * 1000 // size), 999)
