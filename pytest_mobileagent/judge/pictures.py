"""Screenshots as judges are shown them, with what the agent did drawn into them.

The conventions are SPA-Bench's (arXiv 2410.15164, appendix D.4.4 and D.4.5).
"""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import DoubleTap, LongPress, Scroll, Swipe, Tap, Type
from pytest_mobileagent.judge.actions import in_words, quoted
from pytest_mobileagent.judge.prompts import en
from pytest_mobileagent.llm.message import Image
from pytest_mobileagent.screen.drawing import draw_strip, draw_touches
from pytest_mobileagent.screen.picture import encode, fit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.judge.frames import Frame
    from pytest_mobileagent.judge.question import Actions
    from pytest_mobileagent.screen.drawing import Point

LONGEST_SIDE = 1024  # pixels of a screenshot; the strip below comes on top of that
_QUALITY = 85
_CODE = 6  # hexadecimal digits
_LONGEST_WORDS = 120  # characters of a text that stands on a strip itself
_LONGEST_STRIP = 600  # characters of all that stands on a strip


@dataclass(frozen=True, slots=True)
class Album:
    """The pictures of one request, and the words that are too long or foreign for their strips.

    Strips are drawn in a font that every machine has, and that has the letters of ASCII only. What
    it cannot write stands on a strip as [1], [2] …, and in `words`. Each strip begins with `code`,
    which no app can know, so that an app's own picture of a strip can be told from ours.
    """

    actions: Actions
    code: str = ""
    words: list[str] = field(default_factory=list)

    def picture(self, frame: Frame) -> Image:
        """Return the screenshot of a frame, its actions drawn into it, as a JPEG.

        Raises:
            ScreenError: the screenshot cannot be decoded.
        """
        image = copy.copy(frame.screen).image  # decoded pictures are not kept with the episode
        if self.actions != "none":
            dots, paths = _touches(frame, image.size)
            image = draw_touches(image, dots, paths)
        image = fit(image, LONGEST_SIDE)
        if self.actions == "image" and not frame.is_last:
            words = in_words(frame, en.VERBS, self._on_strip)
            if len(words) > _LONGEST_STRIP:
                words = self._number(words)
            image = draw_strip(image, f"{self.code} {words}")
        return Image(encode(image, "jpeg", _QUALITY), detail="high")

    def _on_strip(self, text: object) -> str:
        words = quoted(text)
        if words.isascii() and words.isprintable() and len(words) <= _LONGEST_WORDS:
            return words
        return self._number(words)

    def _number(self, words: str) -> str:
        """Return how a strip names words that are listed beside the pictures."""
        if words not in self.words:
            self.words.append(words)
        return f"[{self.words.index(words) + 1}]"


def code_of(found: Iterable[Frame]) -> str:
    """Return a code that is derived from all pictures: none of them can show it."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(f.screen.png).digest() for f in found))
    return digest.hexdigest()[:_CODE]


def _touches(frame: Frame, size: tuple[int, int]) -> tuple[list[Point], list[tuple[Point, Point]]]:
    dots, paths = [], []
    for action in frame.actions:
        for points in _points(action, size):
            if not all(isinstance(v, int | float) for point in points for v in point):
                continue  # a record holds what an agent gave, sensible or not
            whole = [(round(x), round(y)) for x, y in points]
            if len(whole) == 1:
                dots.append(whole[0])
            else:
                paths.append((whole[0], whole[1]))
    return dots, paths


def _points(action: Action, size: tuple[int, int]) -> Iterator[tuple[Point, ...]]:
    """Yield the points that an action touches, and the two ends of ways that it goes."""
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y):
            yield ((x, y),)
        case Type(at=(x, y)):
            yield ((x, y),)
        case Swipe(x1, y1, x2, y2):
            yield ((x1, y1), (x2, y2))
        case Scroll(direction, at):
            x, y = at or (size[0] // 2, size[1] // 2)
            across, down = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}.get(
                direction, (0, 0)
            )
            reach = across * size[0] // 4, down * size[1] // 4
            yield ((x - reach[0], y - reach[1]), (x + reach[0], y + reach[1]))
