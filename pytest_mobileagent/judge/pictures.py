"""Screenshots for judges, with the agent's actions drawn into them.

The conventions are those of SPA-Bench (arXiv 2410.15164, appendix D.4.4 and D.4.5). Each picture is
made once, and shared by all judges and votes that need it.
"""

from __future__ import annotations

import copy
import hashlib
import math
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_mobileagent.action.action import Scroll, Swipe, Touch, Type
from pytest_mobileagent.judge.prompts import wording_of
from pytest_mobileagent.judge.transcript import in_quotes, in_words
from pytest_mobileagent.llm.model import Image
from pytest_mobileagent.perception.picture import draw_strip, draw_touches, encode, fit

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from pytest_mobileagent.judge.question import Actions
    from pytest_mobileagent.judge.transcript import TranscriptFrame
    from pytest_mobileagent.perception.picture import Point
    from pytest_mobileagent.screen.screen import Screen

    _Touches = tuple[Touch | Type, ...]


V = TypeVar("V")


class LruCache(Generic[V]):
    """A thread-safe cache of the `most` recently used values, by key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key; `make` computes a missing one, maybe twice in parallel."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value


LONGEST_SIDE = 1024  # pixels of a screenshot's longer side, without the strip below it
_QUALITY = 85
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_CODE = 6  # hexadecimal digits
_LONGEST_WORDS = 120  # characters of one text on a strip
_LONGEST_STRIP = 600  # characters of all strings on a strip


@dataclass(frozen=True, slots=True)
class Album:
    """The pictures of one request, and the strings that cannot be written on their strips.

    Strips are drawn in a font that is available everywhere, but only has ASCII letters. Texts that
    are too long or have other letters appear on a strip as [1], [2] …, and in `words`. Each strip
    begins with `code`, which no app can know, so an app cannot imitate a strip.
    """

    actions: Actions
    code: str = ""
    words: list[str] = field(default_factory=list)

    def picture(self, frame: TranscriptFrame) -> Image:
        """Return the screenshot of a frame as a JPEG, with its actions drawn into it.

        Raises:
            ScreenError: if the screenshot cannot be decoded.
        """
        touches: _Touches = _touches(frame) if self.actions != "none" else ()
        strip = ""
        if self.actions == "image" and not frame.is_last:
            words = in_words(frame, wording_of("en").verbs, self._on_strip)
            if len(words) > _LONGEST_STRIP:
                words = self._number(words)
            strip = f"{self.code} {words}"
        key = frame.screen.key, touches, strip
        return Image(_pictures.get(key, lambda: _drawn(frame.screen, touches, strip)), "high")

    def _on_strip(self, text: object) -> str:
        words = in_quotes(text)
        if words.isascii() and words.isprintable() and len(words) <= _LONGEST_WORDS:
            return words
        return self._number(words)

    def _number(self, words: str) -> str:
        """Return a reference such as [1] to text that is listed beside the pictures."""
        if words not in self.words:
            self.words.append(words)
        return f"[{self.words.index(words) + 1}]"


def code_of(found: Iterable[TranscriptFrame]) -> str:
    """Return a code that is derived from all pictures, so none of them can show it."""
    digest = hashlib.sha256("".join(f.screen.key for f in found).encode())
    return digest.hexdigest()[:_CODE]


_pictures: LruCache[bytes] = LruCache(256)  # about 80 kB each


def _drawn(screen: Screen, touches: _Touches, strip: str) -> bytes:
    image = copy.copy(screen).image  # of a copy, so the episode does not keep decoded pixels
    ways = [_on_screen(each, image.size) for each in touches]
    dots = [way[0] for way in ways if len(way) == 1]
    image = draw_touches(image, dots, [(way[0], way[-1]) for way in ways if len(way) > 1])
    image = fit(image, LONGEST_SIDE)
    return encode(draw_strip(image, strip) if strip else image, "jpeg", _QUALITY)


def _touches(frame: TranscriptFrame) -> _Touches:
    """Return the touches with valid coordinates; a record may contain any values."""
    touches = (action for action in frame.actions if isinstance(action, Touch | Type))
    return tuple(action for action in touches if _numbers(action))


def _numbers(action: Touch | Type) -> bool:
    """Return whether an action's coordinates are finite numbers."""
    match action:
        case Type(at=at):
            return at is not None and _are_numbers(at)
        case Scroll(at=at):
            return at is None or _are_numbers(at)
        case Swipe(x1, y1, x2, y2):
            return _are_numbers((x1, y1, x2, y2))
    return _are_numbers((action.x, action.y))


def _are_numbers(values: tuple[object, ...]) -> bool:
    return all(isinstance(value, int | float) and math.isfinite(value) for value in values)


def _on_screen(action: Touch | Type, size: tuple[int, int]) -> list[Point]:
    """Return the point that an action touches, or the start and end of the finger's path."""
    match action:
        case Swipe(x1, y1, x2, y2):
            points = [(x1, y1), (x2, y2)]
        case Scroll(direction, at):
            x, y = at or (size[0] // 2, size[1] // 2)
            across, down = _DIRECTIONS.get(direction, (0, 0))
            reach = across * size[0] // 4, down * size[1] // 4
            points = [(x - reach[0], y - reach[1]), (x + reach[0], y + reach[1])]
        case Type(at=at):
            points = [at or (0, 0)]
        case _:
            points = [(action.x, action.y)]
    return [(round(x), round(y)) for x, y in points]
